#!/bin/sh
# run.sh BUILD SECONDS: run every libFuzzer target for so long, beginning with its corpus in the tree.
#
# New inputs are kept in BUILD/corpus; what a target finds goes to BUILD/found and is named. The last
# line is "N passed, N failed".
BUILD=$1 TIME=$2
passed=0 failed=0
mkdir -p "$BUILD/found"
for target in "$BUILD"/fuzzer/*; do
	[ -x "$target" ] || continue
	name=$(basename "$target")
	mkdir -p "$BUILD/corpus/$name"
	seeds=
	for dir in "tests/fuzz/corpus/$name" "$BUILD/seeds/$name"; do
		[ -d "$dir" ] && seeds="$seeds $dir"
	done
	dict=
	for d in "${name%%_*}" "$name"; do
		[ -e "tests/fuzz/$d.dict" ] && dict="-dict=tests/fuzz/$d.dict"
	done
	# Time and memory limits are those any input of 64 KiB must keep.
	# shellcheck disable=SC2086
	if "$target" -max_total_time="$TIME" -timeout=10 -rss_limit_mb=512 -max_len=65536 -print_final_stats=1 \
		-artifact_prefix="$BUILD/found/$name-" $dict "$BUILD/corpus/$name" $seeds > "$BUILD/found/$name.log" 2>&1
	then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		tail -n 40 "$BUILD/found/$name.log"
	fi
	echo "$name: $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$BUILD/found/$name.log" | tr -s ' ' | cut -d ' ' -f 2) runs"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
