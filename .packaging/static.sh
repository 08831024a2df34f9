#!/bin/sh
# static.sh PROGRAM LINKED NAME OUT.tar.gz SECONDS: pack the program that has every library in it, so that others may have it: in a folder NAME the
# program, its licence, and in licences/ the copyright files of the Debian packages that the linked archives are of, with the licences that
# these name, and the packages' versions. LINKED is what the linker said it read ("-t"). All times are SECONDS.
set -e
program=$1 linked=$2 name=$3 out=$4 time=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/licences"
cp "$program" "$root/tracetool"
cp LICENSE "$root/"
# An archive may have been read by another name of its folder than that it was installed under: /lib is /usr/lib.
grep -o '^/.*\.a$' "$linked" | sort -u | while read -r archive; do
	real=$(realpath "$archive")
	dpkg -S "$real" 2> /dev/null || dpkg -S "${real#/usr}" 2> /dev/null ||
		{ echo "static.sh: no Debian package has $real, so its licence is not known" >&2; exit 1; }
done > "$work/owners"
cut -d : -f 1 "$work/owners" | sort -u > "$work/packages"
while read -r package; do
	cp "/usr/share/doc/$package/copyright" "$root/licences/$package"
	dpkg-query -W -f='${source:Package} ${source:Version} (${Package})\n' "$package" | head -n 1
done < "$work/packages" > "$work/versions"
# Licences that Debian has once for all packages.
grep -ho '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$root"/licences/* | sort -u | while read -r licence; do
	[ ! -e "$licence" ] || cp "$licence" "$root/licences/"
done
{
	cat <<- 'END'
		This program contains libraries of Debian's. Their licences are the other files here, and /usr/share/common-licenses
		in them is this folder. Their sources are Debian's packages (https://snapshot.debian.org). With tracetool's own sources,
		"make static" links it with other versions of them.

	END
	sort -u "$work/versions"
} > "$root/licences/README"
tar -c -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=ustar --mtime="@$time" "$name" | gzip -9n > "$out"
