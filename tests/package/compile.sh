#!/usr/bin/env bash
# compile.sh: compiles and tries the C# package for Unity, as far as that is possible without Unity. Ends with
# "N passed, N failed".
#
# The C# compiles without warnings against the stand-ins of tests/unity-stubs; the package has what the
# Package Manager asks for; under Mono the companion works with the recorder's library, with one that is too
# old, and without one; the recorder in one C file compiles and has the same functions; the archive of `make
# dist` is complete and always the same.
set -u
cd "$(dirname "$0")/../.." || exit 1
# A build of our own: what `make check` has may be instrumented, and Mono is not.
BUILD=${BUILD:-build}/package
. tests/kit/is.sh
work_in "${TMPDIR:-/tmp}" package
make() { as_user make -s CC=gcc OPT='-O2 -g' BUILD="$BUILD" "$@"; }
package=formats/recorder/unity/package stubs=tests/unity-stubs

# --- C# -------------------------------------------------------------------------

cs() { mcs -warnaserror -warn:4 -target:library "$@"; }

# compiled NAME SYMBOLS PARTS: the parts of the package, with the symbols that Unity would define.
compiled() {
	local d=$work/$1 symbols=$2 part
	mkdir -p "$d"
	cs -d:"$symbols" -out:"$d/UnityEngine.dll" $stubs/UnityEngine.cs || return
	cs -d:"$symbols" -r:"$d/UnityEngine.dll" -out:"$d/Tracetool.dll" $package/Runtime/*.cs || return
	for part in $3; do
		case $part in
		editor)
			cs -d:"$symbols" -r:"$d/UnityEngine.dll" -out:"$d/UnityEditor.dll" $stubs/UnityEditor.cs &&
			cs -d:"$symbols" -r:"$d/UnityEngine.dll" -r:"$d/UnityEditor.dll" -r:"$d/Tracetool.dll" \
				-out:"$d/Tracetool.Editor.dll" $package/Editor/*.cs || return ;;
		samples)
			cs -d:"$symbols" -r:"$d/UnityEngine.dll" -r:"$d/Tracetool.dll" -out:"$d/Samples.dll" \
				$package/Samples~/*/*.cs || return ;;
		esac
	done
}

new=UNITY_2020_3_OR_NEWER,UNITY_2021_2_OR_NEWER,UNITY_2022_1_OR_NEWER
is "compiles for the Editor" compiled editor UNITY_EDITOR,UNITY_STANDALONE,$new "editor samples"
is "compiles for the Editor, 2020.3" \
	compiled editor2020 UNITY_EDITOR,UNITY_STANDALONE,UNITY_2020_3_OR_NEWER "editor samples"
# The C# of the package's texts: what it uses stands above it.
texts_compile() {
	local f=$work/text.cs
	for text in $package/README.md $package/Documentation~/*.md $package/Samples~/*/README.md; do
		awk '/^```csharp/ { c = 1; next } /^```/ { c = 0 } c && /^using / { print } c && !/^using / { body = body $0 "\n" }
			END { print "class Text { static void Run() {\n" body "} }" }' "$text" > "$f" &&
		cs -r:"$work/editor/UnityEngine.dll" -r:"$work/editor/Tracetool.dll" -out:"$work/text.dll" "$f" ||
			{ echo "$text"; return 1; }
	done
}
is "the C# of README and manual compiles" texts_compile
is "compiles for a desktop player" compiled player UNITY_STANDALONE,$new samples
is "compiles for a desktop player with IL2CPP" compiled il2cpp UNITY_STANDALONE,ENABLE_IL2CPP,$new samples
is "compiles for a desktop player, 2020.3" compiled player2020 UNITY_STANDALONE,UNITY_2020_3_OR_NEWER samples
is "compiles for Android" compiled android UNITY_ANDROID,$new samples
is "compiles for Android with IL2CPP" compiled android2 UNITY_ANDROID,ENABLE_IL2CPP,$new samples
is "compiles for iOS" compiled ios UNITY_IOS,ENABLE_IL2CPP,$new samples
is "compiles for iOS with the recorder linked in" compiled static UNITY_IOS,ENABLE_IL2CPP,TRACETOOL_STATIC,$new samples

imports() { monodis --moduleref "$1" | sed -n 's/^[0-9]*: //p' | sort -u | tr '\n' ' '; }
is "players import the library by name" [ "$(imports "$work/ios/Tracetool.dll")" = "tracetool-unity " ]
is "linked-in recorders are imported from the player" [ "$(imports "$work/static/Tracetool.dll")" = "__Internal " ]

# --- the package ------------------------------------------------------------------

# https://docs.unity3d.com/Manual/upm-manifestPkg.html and cus-naming.html
manifest() {
	jq -e '
		(.name | test("^[a-z0-9-]+(\\.[a-z0-9_-]+){2,}$") and length <= 50) and
		(.version | test("^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$")) and
		(.unity | test("^20[0-9]{2}\\.[0-9]$|^6000\\.[0-9]$")) and
		(.displayName | type == "string" and length > 0) and
		(.description | type == "string" and length > 0) and
		(.author.name | type == "string" and length > 0) and
		((.dependencies // {}) | type == "object") and
		(.keywords | all(type == "string")) and
		(.samples | all((.displayName | length > 0) and (.description | length > 0) and (.path | startswith("Samples~/")))) and
		(keys - ["author", "dependencies", "description", "displayName", "keywords", "license", "name", "samples",
			"unity", "version"] == [])' $package/package.json
}
is "package.json is what the Package Manager wants" manifest
version=$(sed -n 's/^#define TT_VERSION "\(.*\)"/\1/p' cmd/version.h)
is "the change log knows the version" grep -q "^## \[${version:-none}\]" $package/CHANGELOG.md
is "the license is the project's" cmp LICENSE $package/LICENSE.md
samples_exist() {
	jq -r '.samples[].path' $package/package.json | while read -r p; do [ -d "$package/$p" ] || exit 1; done
}
is "samples are where the manifest says" samples_exist

# Every asset has import settings, and the reverse: but for libraries, which `make dist` puts there.
metas() {
	local f rc=0
	while read -r f; do
		case $f in
		*.meta)
			[ -e "${f%.meta}" ] || [[ $f == */Plugins/*.so.meta || $f == */Plugins/*.dll.meta ]] ||
				{ echo "$f: there is no such asset"; rc=1; } ;;
		*)
			[ -e "$f.meta" ] || { echo "$f has no .meta"; rc=1; } ;;
		esac
	done < <(find $package -mindepth 1 -not -path '*/Documentation~*' -not -path '*/Source~*' -not -name '*~')
	return $rc
}
is "every asset has a .meta" metas
guids() {
	local all
	all=$(find $package -name '*.meta' -exec sed -n 's/^guid: //p' {} +)
	[ "$(wc -l <<< "$all")" -eq "$(find $package -name '*.meta' | wc -l)" ] || { echo "one without a GUID"; return 1; }
	grep -vxE '[0-9a-f]{32}' <<< "$all" && return 1
	[ -z "$(sort <<< "$all" | uniq -d)" ]
}
is "GUIDs are well formed and unique" guids
yaml() {
	python3 - $package <<-'END'
		import pathlib, sys
		importers = {'.cs': 'MonoImporter', '.md': 'TextScriptImporter', '.asmdef': 'AssemblyDefinitionImporter',
		             '.json': 'PackageManifestImporter', '.so': 'PluginImporter', '.dll': 'PluginImporter', '': 'DefaultImporter'}
		for p in pathlib.Path(sys.argv[1]).rglob('*.meta'):
		    lines = p.read_text().split('\n')
		    want = importers[pathlib.Path(p.stem).suffix if not p.with_suffix('').is_dir() else '']
		    assert lines[0] == 'fileFormatVersion: 2' and lines[1].startswith('guid: '), p
		    assert want + ':' in lines, (p, want)
		    assert ('folderAsset: yes' in lines) == p.with_suffix('').is_dir(), p
		    assert not any('\t' in l for l in lines), p
		    if want == 'PluginImporter':
		        assert '  isPreloaded: 1' in lines, (p, 'is not loaded on startup: early markers would be lost')
	END
}
is "import settings are of the right kind" yaml
asmdefs() {
	jq -e '.name == "Tracetool" and .includePlatforms == []' $package/Runtime/Tracetool.asmdef &&
	jq -e '.name == "Tracetool.Editor" and .includePlatforms == ["Editor"] and .references == ["Tracetool"]' \
		$package/Editor/Tracetool.Editor.asmdef
}
is "assembly definitions" asmdefs
functions() {
	# (tracetool_frame_timings2 does what tracetool_frame_timings does, and more.)
	diff <(sed -n 's/^TRACETOOL_API [a-z0-9_ ]*\b\(tracetool_[a-z0-9_]*\)(.*/\1/p' formats/recorder/unity/tracetool_unity.h |
			grep -vx tracetool_frame_timings | sort) \
		<(sed -n 's/.* extern .*\b\(tracetool_[a-z0-9_]*\)(.*/\1/p' $package/Runtime/Native.cs | grep -v tracetool_register | sort)
}
is "every function of tracetool_unity.h is imported" functions

options() {
	diff <(sed -n 's/^\t{ "\([a-z-]*\)", OPTTABLE_[A-Z]*,.*/\1/p' formats/recorder/unity/config.c | sort) \
		<(grep -E '^\| `[a-z-]+=' $package/Documentation~/tracetool-recorder.md | cut -d'|' -f2 | grep -o '`[a-z-]*=' |
			tr -d '`=' | sort)
}
is "the documentation has every option" options

# --- one C file ---------------------------------------------------------------------

# Two files with the same private names, of every sort; s.put and struct put are none of them.
names_apart() {
	mkdir "$work/names" && cd "$work/names" || return
	cat > a.h <<-'END'
		#ifndef A_H
		#define A_H
		struct a { int put; };
		int b_do(void);
		extern int count;
		#endif
	END
	cat > a.c <<-'END'
		#include "a.h"
		#include <stdio.h>
		#define N 3
		static int put(int x);
		enum { ONE, TWO = 2, };
		struct own { int z; };
		struct put { int z; };
		static const char *names[N] = { "put", [1] = "x{;" }, brace = '{';
		static int (*pointer)(int);
		int count;
		static int
		put(int x) { struct own o = { ONE }; struct put p = { brace }; return x + N + o.z + p.z - '{'; }
		int main(void)
		{
			struct a s = { 1 };
			pointer = put;
			s.put = pointer(s.put);
			int b = b_do();
			return printf("%d %d %s %d\n", s.put, b, names[0], count) < 0 ? TWO : 0;
		}
	END
	cat > b.c <<-'END'
		#include "a.h"
		#define N 4
		enum { ONE = 7 };
		struct own { char c[N]; };
		static _Thread_local unsigned long names, brace;
		static int pointer;
		static int put(void) { names++; return ONE + (int)sizeof(struct own) + pointer + (int)brace; }
		int b_do(void) { count = 5; return put(); }
	END
	"$top/formats/recorder/unity/amalgamate.py" -o all.c a.c b.c && gcc -Wall -Wextra -Werror all.c -o all &&
	[ "$(./all)" = "4 11 put 5" ] && nm all | grep -q ' tracetool_own_b_do'
}
top=$PWD
is "private names of two files are kept apart" eval '(names_apart)'
is "one C file is made" make "$BUILD/dist/tracetool_unity.c"
is "the library is made" make "$BUILD/libtracetool-unity.so"
one=$BUILD/dist/tracetool_unity.c
exported() {
	nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort | tee "$work/exported" && [ -s "$work/exported" ]
}
amalgam() {     # COMPILER SUFFIX FLAGS...
	local cc=$1 out=$work/$1$2.so
	shift 2
	# What IL2CPP would give: no include paths, no symbols.
	"$cc" -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -pthread "$@" -o "$out" "$one"
}
is "one C file compiles with gcc" amalgam gcc ""
is "one C file compiles with clang" amalgam clang ""
no_foreign_names() {
	gcc -std=gnu11 -O2 -c -o "$work/one.o" "$one" &&
	! nm -g --defined-only "$work/one.o" | grep -vE " (tracetool_|Unity(PluginLoad|PluginUnload))"
}
is "no function of the recorder is left open to others" no_foreign_names
library=$BUILD/libtracetool-unity.so
same_functions() {
	exported "$library" > "$work/theirs" && exported "$1" > "$work/ours" && diff "$work/theirs" "$work/ours"
}
is "one C file has the library's functions (gcc)" same_functions "$work/gcc.so"
is "one C file has the library's functions (clang)" same_functions "$work/clang.so"
is "one C file compiles for Windows" x86_64-w64-mingw32-gcc -std=gnu11 -O2 -Wall -Wextra -Werror -shared -static-libgcc \
	-o "$work/one.dll" "$one"
is "one C file compiles for aarch64" aarch64-linux-gnu-gcc -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden \
	-shared -pthread -o "$work/aarch64.so" "$one"
linked_in() {   # COMPILER RUNNER FLAGS...
	local cc=$1 runner=$2
	shift 2
	"$cc" -std=gnu11 -O2 -Wall -Wextra -Werror -DTRACETOOL_STATIC "$@" -o "$work/static/player.exe" tests/package/player.c \
		"$one" && WINEDEBUG=-all timeout 120 $runner "$work/static/player.exe"
}
is "linked into a player it registers itself" linked_in gcc "" -pthread
is "linked into a player it registers itself (aarch64)" linked_in aarch64-linux-gnu-gcc \
	"qemu-aarch64 -L /usr/aarch64-linux-gnu" -pthread
is "linked into a player it registers itself (Windows)" linked_in x86_64-w64-mingw32-gcc wine -static

# --- under Mono -----------------------------------------------------------------------

is "the test program compiles for a player" mcs -warnaserror -warn:4 -d:$new -r:"$work/player/UnityEngine.dll" \
	-r:"$work/player/Tracetool.dll" -out:"$work/player/Run.exe" tests/package/Run.cs
is "the test program compiles for the Editor" mcs -warnaserror -warn:4 -d:UNITY_EDITOR,$new \
	-r:"$work/editor/UnityEngine.dll" -r:"$work/editor/UnityEditor.dll" -r:"$work/editor/Tracetool.dll" \
	-r:"$work/editor/Tracetool.Editor.dll" -out:"$work/editor/Run.exe" tests/package/Run.cs
mono_with() {   # FOLDER-OF-LIBRARY PROGRAM...
	local folder=$1
	shift
	env -u TRACETOOL_CAPTURE -u TRACETOOL_OPTIONS LD_LIBRARY_PATH="$folder" timeout 60 mono "$@"
}
run() {         # FOLDER-OF-LIBRARY MODE...
	local folder=$1 program=$work/player/Run.exe
	shift
	[ "$1" = editor ] && program=$work/editor/Run.exe
	mono_with "$folder" "$program" "$@"
}
mkdir "$work/none" "$work/empty" "$work/old" "$work/foreign" "$work/one"
echo 'int nothing(void) { return 0; }' | gcc -shared -fPIC -x c -o "$work/empty/libtracetool-unity.so" -
echo 'int tracetool_api(void) { return 0; }' | gcc -shared -fPIC -x c -o "$work/old/libtracetool-unity.so" -
echo 'not a library' > "$work/foreign/libtracetool-unity.so"
cp "$work/gcc.so" "$work/one/libtracetool-unity.so"
mkdir "$work/fake"
is "a library that prints compiles" gcc -Wall -Wextra -Werror -shared -fPIC -o "$work/fake/libtracetool-unity.so" \
	tests/package/fake.c
told() {        # UNITY-VERSION PROGRAM
	mono_with "$work/fake" "$2" told > "$work/told" || { cat "$work/told"; return 1; }
	diff tests/package/told-"$1" "$work/told"
}
is "the library is told the right things (2022.1)" told 2022 "$work/player/Run.exe"
is "the test program compiles for 2020.3" mcs -warnaserror -warn:4 -d:UNITY_2020_3_OR_NEWER \
	-r:"$work/player2020/UnityEngine.dll" -r:"$work/player2020/Tracetool.dll" -out:"$work/player2020/Run.exe" \
	tests/package/Run.cs
is "the library is told the right things (2020.3)" told 2020 "$work/player2020/Run.exe"
is "without a library nothing happens" run "$work/none" missing "not in this build"
is "a file that is no library is none" run "$work/foreign" missing "not in this build"
is "a library without our functions is none" run "$work/empty" missing "has not the functions"
is "a library that is too old is none" run "$work/old" missing "too old"
is "the library without a Unity says so" run "$(dirname "$library")" alone
is "one C file without a Unity says so" run "$work/one" alone
is "the Editor's menu without a library" run "$work/none" editor "$work/captures" missing
is "the Editor's menu starts and stops a capture" run "$(dirname "$library")" editor "$work/captures"
is "a capture is made through the companion" run "$(dirname "$library")" hosted "$work/game.ttc"
# As the bytes have it: texts are not packed in any way.
holds_texts() {
	local file=$1 t
	shift
	for t; do
		grep -qaF -e "$t" "$file" || { echo "$file: no \"$t\""; return 1; }
	done
}
is "the capture has marks, labels, scenes and facts" holds_texts "$work/game.ttc" "Player.Update" "shot" "boss µ" \
	"scene loaded: Level" "build_guid" "00112233445566778899aabbccddeeff" "2022.3.1f1-stub"
is "a later capture has the facts, too" holds_texts "$work/game.ttc.2" "build_guid" "2022.3.1f1-stub" "Level"
# 59 frame timings (single events, or a kind of their own) and 3 marks.
reads() {
	"$TRACETOOL" info "$work/game.ttc" --format json > "$work/info.json" || return
	jq -e '(.tables.capture_events.rows | map({(.type): .events}) | add) as $n |
		$n.begin == 60 and $n.end == 60 and $n.frame >= 60 and
		($n.single == 62 or ($n.single == 3 and $n["frame timing"] == 59)) and
		.tables.capture.rows[0].clean_end and .tables.loss.rows == []' "$work/info.json" ||
		{ jq -c '.tables.capture_events.rows, .tables.loss.rows' "$work/info.json"; return 1; }
}
if [ -x "${TRACETOOL:-}" ]; then
	is "tracetool reads exactly what was recorded" reads
fi

# --- make dist --------------------------------------------------------------------------

dist() { make dist > "$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }; }
is "make dist" dist
archive=$(tail -n 1 "$work/log")
is "make dist names the archive" test -f "$archive"
is "the archive has the program's version" [ "${archive##*-}" = "$version.tgz" ]
is "make dist fails where a library is missing" bash -c '! make dist AARCH64=no-such-gcc 2> "$0" && grep -q no-such-gcc "$0"' "$work/log2"
again() {
	local sum
	# Windows libraries have times in them: link it anew, a second later.
	sum=$(sha256sum < "$archive") && rm -f "$archive" "$BUILD"/windows/*.dll && sleep 1.1 && dist &&
	[ "$sum" = "$(sha256sum < "$archive")" ]
}
is "make dist always makes the same bytes" again
holds() {
	local f
	tar -tzf "$archive" > "$work/list" || return
	grep -v '^package/' "$work/list" && return 1
	LC_ALL=C sort -c "$work/list" || return
	tar -tvzf "$archive" | grep -v '^-rw-r--r-- 0/0 ' && return 1
	for f in package.json README.md Runtime/Tracetool.cs Editor/TracetoolMenu.cs Source~/tracetool_unity.c \
		Plugins/Linux/x86_64/libtracetool-unity.so Plugins/Windows/x86_64/tracetool-unity.dll \
		Extras~/linux-aarch64/libtracetool-unity.so; do
		grep -qx "package/$f" "$work/list" || { echo "no $f"; return 1; }
	done
	while read -r f; do
		case $f in
		*.meta|package/*~/*) ;;
		*) grep -qxF "$f.meta" "$work/list" || { echo "$f has no .meta"; return 1; } ;;
		esac
	done < "$work/list"
	for f in $(grep '\.meta$' "$work/list" | tr ' ' '?'); do
		grep -qE "^${f%.meta}(/|$)" "$work/list" || { echo "$f is of nothing"; return 1; }
	done
}
is "the archive is complete" holds
is "the archive has the library, without debug information" \
	bash -c 'strip -g -o "$3/stripped" "$2" && tar -xzOf "$1" package/Plugins/Linux/x86_64/libtracetool-unity.so |
		cmp - "$3/stripped"' - "$archive" "$library" "$work"
mkdir "$work/npm"
is "npm reads the archive" bash -c 'cd "$1" && npm --offline pack --dry-run --ignore-scripts "file:$2"' - \
	"$work/npm" "$(realpath "$archive")"

finish
