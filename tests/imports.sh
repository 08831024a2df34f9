#!/bin/sh
# imports.sh LIBRARY: checks that a recorder needs only the system's own libraries, and exports exactly its interface.
lib=$1
bad=0

case $lib in
*.dll)
	needs=$(objdump -p "$lib" | sed -n 's/^.*DLL Name: //p')
	exports=$(objdump -p "$lib" | sed -n '/^\[Ordinal\/Name Pointer\]/,/^$/p' | awk '/^\t\[/ { print $NF }')
	system='^(KERNEL32|SHELL32|ADVAPI32|bcrypt|ntdll|msvcrt|ucrtbase|api-ms-win-.*)\.dll$'
	;;
*)
	needs=$(readelf -d "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	exports=$(readelf -W --dyn-syms "$lib" | awk '$5 != "LOCAL" && $7 != "UND" && NR > 3 { sub(/@.*/, "", $8); print $8 }')
	system='^(lib(c|dl|pthread|m)\.so.*|ld-(linux|musl).*)$'
	;;
esac

for n in $needs; do
	echo "$n" | grep -Eiq "$system" || { echo "$lib needs $n"; bad=1; }
done
for e in $exports; do
	echo "$e" | grep -Eq '^(tracetool_[a-z_]+[0-9]?|UnityPlugin(Load|Unload)|mono_profiler_init_tracetool)$' || { echo "$lib exports $e"; bad=1; }
done
[ -n "$exports" ] || { echo "$lib exports nothing"; bad=1; }
[ $bad = 0 ] && echo "$lib: needs $(echo $needs)"
exit $bad
