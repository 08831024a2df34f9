#!/bin/sh
# chroot.sh make BASE: put a clean Debian, of DEBIAN_SUITE (bookworm) from DEBIAN_MIRROR, into the folder BASE, by debootstrap.
# chroot.sh in BASE WORK COMMAND [ARGUMENT...]: run a command there as root. BASE stays as it is: what changes lies in the folder WORK, and a
# second command with the same WORK finds it. The command has processes and /dev/shm of its own; NO_NETWORK=1 gives it no network, either.
# Needs root.
set -e
mode=$1 base=$2
case $mode in
make)
	exec debootstrap --variant=minbase "${DEBIAN_SUITE:-bookworm}" "$base" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
	;;
in)
	work=$3
	shift 3
	mkdir -p "$work/upper" "$work/own" "$work/root"
	BASE=$base WORK=$work
	export BASE WORK
	exec unshare --mount --pid --fork --kill-child --ipc ${NO_NETWORK:+--net} sh -ec '
		mount -t overlay overlay -o "lowerdir=$BASE,upperdir=$WORK/upper,workdir=$WORK/own" "$WORK/root"
		mount -t proc proc "$WORK/root/proc"
		mount -t devpts -o newinstance,ptmxmode=666 devpts "$WORK/root/dev/pts"
		ln -sf pts/ptmx "$WORK/root/dev/ptmx"
		mount -t tmpfs -o mode=1777 tmpfs "$WORK/root/dev/shm"
		[ -z "$NO_NETWORK" ] || ip link set lo up 2>/dev/null || true
		[ -n "$NO_NETWORK" ] || cp /etc/resolv.conf /etc/hosts "$WORK/root/etc/"
		cd "$WORK/root"
		unset BASE WORK
		# Not chroot: who is in one can make no user namespace.
		pivot_root . .
		umount -l .
		cd /
		exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			${DEB_BUILD_OPTIONS:+DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS"} "$@"' sh "$@"
	;;
*)
	echo "chroot.sh: make or in" >&2
	exit 2
	;;
esac
