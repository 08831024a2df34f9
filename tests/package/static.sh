#!/usr/bin/env bash
# static.sh: `make static` makes a program that runs where nothing else is: in a root folder that holds it, captures and /tmp alone. There it reads,
# unpacks and writes what the program with the system's libraries does, in the sandbox. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/kit/is.sh
here() { leave_out "the static program" "$1"; }
[ -z "${TT_SANITIZED:-}" ] || here "sanitizers are not linked in"
unshare --user --map-root-user true 2> /dev/null || here "no user namespaces here"
work_in "${TMPDIR:-/tmp}" static
build=$(realpath --relative-to=. "$BUILD")
make -s BUILD="$build" static > "$work/out" 2>&1
! grep -q setup-static "$work/out" || here "$(grep -m 1 'cannot find' "$work/out"); \"make setup-static\" installs it"

alone() { env -i TRACETOOL_SANDBOX=require unshare --user --map-root-user --root="$work/root" /tracetool "$@"; }
with_libraries() { (cd "$work/root" && env -i TRACETOOL_SANDBOX=require "$TRACETOOL" "$@"); }

mkdir -p "$work/root/in" "$work/root/tmp" "$work/root/alone" "$work/root/libraries"
is "it is built" cp "$build/static/tracetool" "$work/root/tracetool"
no_library() { readelf -lW "$work/root/tracetool" | tee "$work/headers" | grep -q LOAD && ! grep INTERP "$work/headers" && ! grep Shared "$work/headers"; }
is "it loads no library" no_library
pie() { readelf -hW "$work/root/tracetool" | grep -q 'Type:.*DYN'; }
is "its addresses are random" pie

# Captures as they are, compressed, and in archives with names that a locale of ASCII cannot show.
cp testdata/demo/good-hitches.ttc.xz "$work/root/in/"
cp testdata/mlpd/good-d01-gameloop-calls-alloc.mlpd testdata/raw/good-2019-every.raw "$work/root/in/"
names=(plain.raw "$(printf '\303\274\344\270\255.raw')" "$(printf 'sub/\320\226.raw')")
mkdir -p "$work/members/sub"
for name in "${names[@]}"; do cp testdata/raw/good-2019-every.raw "$work/members/$name"; done
(cd "$work/members" && export LC_ALL=C.UTF-8 && tar -czf ../root/in/gnu.tar.gz . && tar -c --format=pax . | zstd -q > ../root/in/pax.tar.zst &&
	7z a -bso0 -bsp0 ../root/in/s.7z . && python3 -m zipfile -c ../root/in/z.zip "${names[@]}") || exit 1

same() {        # COMMAND..., with FOLDER for the folder of outputs
	alone "${@//FOLDER/alone}" > "$work/alone" 2>&1
	local status=$?
	with_libraries "${@//FOLDER/libraries}" > "$work/libraries" 2>&1
	[ $? = $status ] || { echo "exit status $status"; cat "$work/alone"; return 1; }
	sed -i 's,alone/,libraries/,g' "$work/alone"
	[ -s "$work/alone" ] || [ -n "$(ls "$work/root/alone")" ] || { echo nothing; return 1; }
	diff "$work/alone" "$work/libraries" && diff -r "$work/root/alone" "$work/root/libraries" && rm -rf "$work"/root/alone/* "$work"/root/libraries/*
}
is "it reads a capture" same in/good-hitches.ttc.xz
is "it prints every table" same stats --table all in/good-d01-gameloop-calls-alloc.mlpd
is "it makes a page" same report in/good-2019-every.raw -o FOLDER/page.html
is "it writes for viewers, compressed in every way" same convert in/good-hitches.ttc.xz -o FOLDER/a.pftrace.zst -o FOLDER/a.json.gz -o FOLDER/a.pb.gz \
	-o FOLDER/a.csv.xz -o FOLDER/a.folded.lz4 -o FOLDER/b.json.bz2
if alone list emitters | grep -q 'without SQLite'; then
	echo "left out: databases: it was built without SQLite"
else
	is "it writes a database" same convert in/good-hitches.ttc.xz -o FOLDER/a.sqlite
fi
is "it unpacks archives, names and all" same batch -q -o FOLDER/batch --do convert --to csv in

# What is published: the same program, and the licence of each library that says in it what it is.
make -s BUILD="$build" release-static > "$work/out" 2>&1
mkdir "$work/published"
tar -xzf "$build"/release/tracetool-*-static.tar.gz --strip-components=1 -C "$work/published"
is "it is published as it was built" cmp "$work/published/tracetool" "$build/static/tracetool"
licences() {
	local text package n=0
	while read -r package text; do
		grep -qaE "$text" "$work/published/tracetool" || continue
		[ -s "$work/published/licences/$package" ] && grep -q "($package)" "$work/published/licences/README" ||
			{ echo "no licence of $package"; return 1; }
		n=$((n + 1))
	done <<- 'END'
		libarchive-dev libarchive [0-9]
		libbz2-dev bzip2/libbzip2
		liblzma-dev lzma
		libsqlite3-dev SQLite format 3
		zlib1g-dev deflate [0-9.]+ Copyright
		libc6-dev GNU C Library|glibc
	END
	[ $n -ge 4 ] || { echo "only $n libraries are known by their texts"; return 1; }
}
is "the licences of its libraries are with it" licences
named() { ! grep -ho '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$work"/published/licences/* | sed 's,.*/,,' | sort -u |
	while read -r name; do [ -e "$work/published/licences/$name" ] || echo "$name"; done | grep .; }
is "licences that these name are with it, too" named
finish
