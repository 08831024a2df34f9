#!/bin/sh
# deb.sh SOURCES.tar.gz VERSION OUT [OPTION...]: lay out Debian's source package in the folder OUT and build it, as dpkg-buildpackage does
# with the options. What Debian calls the original is SOURCES.tar.gz; debian/ is the folder beside this file, as it is in there, and its
# change log is made here, for the version stands in cmd/version.h alone. The time of all is that of the sources.
set -e
sources=$1 version=$2 out=$3
shift 3
tree=$out/tracetool-$version
rm -rf "$out"
mkdir -p "$out"
cp "$sources" "$out/tracetool_$version.orig.tar.gz"
tar -xzf "$sources" -C "$out"
cp -R "$tree/.packaging/debian" "$tree/debian"
SOURCE_DATE_EPOCH=$(stat -c %Y "$tree/CHANGELOG.md")
export SOURCE_DATE_EPOCH
cat > "$tree/debian/changelog" <<END
tracetool ($version-${DEB_REVISION:-0upstream1}) ${DEB_SUITE:-unstable}; urgency=medium

  * Version $version: changelog.gz beside this file says what it brings.

 -- $(sed -n 's/^Maintainer: //p' "$tree/debian/control")  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
cd "$tree"
# Settings of the make that calls this are not the package's.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BUILD CC OPT CPPFLAGS CFLAGS LDFLAGS LDLIBS
exec dpkg-buildpackage -us -uc "$@"
