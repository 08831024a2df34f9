#!/bin/bash
# imports.sh: checks the libraries that the Mono module needs and the names it exports, on this system and on Windows. From the top of the tree, with BUILD set.
passed=0 failed=0

result() {
	if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "imports.sh: $2"; fi
}

said=$(tests/imports.sh "$BUILD/libmono-profiler-tracetool.so" 2>&1)
result $? "$said"
said=$(make -s BUILD="$BUILD" mono-windows 2>&1 && tests/imports.sh "$BUILD/windows/mono-profiler-tracetool.dll" 2>&1)
result $? "$said"
# Without Mono's headers the module is left out, and it is said.
said=$(make -s BUILD="$BUILD/without-mono" PKG_CONFIG=false mono 2>&1)
case $said in *"no headers of Mono"*"make setup-check"*) result 0 ;; *) result 1 "without headers: $said" ;; esac
# One symbol of the runtime's interface, not the one of before 5.6: with that, newer runtimes refuse the module.
nm -D --defined-only "$BUILD/libmono-profiler-tracetool.so" | grep -c ' mono_profiler_' | grep -qx 1
result $? "not one mono_profiler_ symbol"
echo "$passed passed, $failed failed"
