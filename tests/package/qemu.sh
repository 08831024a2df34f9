#!/bin/sh
# qemu.sh COMMAND...: run a command where programs for aarch64 run by qemu-aarch64, as if they were the machine's own. That is said to the
# kernel in a user namespace of its own (Linux 6.7 and later), so the machine itself learns nothing of it.
#
# The processor that it plays signs return addresses by a sum of its own kind, not by the cipher of Arm's, which took five sixths of the time:
# every function of ours signs its own (-mbranch-protection).
export QEMU_CPU=max,pauth-impdef=on
exec unshare --user --map-root-user --mount sh -ec '
	mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
	magic="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
	mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
	printf "%s" ":qemu-aarch64:M::$magic:$mask:$(command -v qemu-aarch64):F" > /proc/sys/fs/binfmt_misc/register
	exec "$@"' sh "$@"
