#!/usr/bin/env bash
# completion.sh: tries the generated completions in the shells themselves. Ends with "N passed, N failed".
set -u
here=$(dirname "$0")
TRACETOOL=$(realpath "${TRACETOOL:-$here/../../build/tracetool}")
work=$(mktemp -d "${TMPDIR:-/tmp}/tracetool-completion.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect NAME HAVE WANT: HAVE holds every word of WANT.
expect() {
	local word
	for word in $3; do
		if [[ " ${2//$'\n'/ } " != *" $word "* ]]; then
			echo "$1: no \"$word\" in: $2"
			failed=$((failed + 1))
			return
		fi
	done
	passed=$((passed + 1))
}

for shell in bash zsh fish; do
	"$TRACETOOL" help --completion $shell > "$work/$shell" || failed=$((failed + 1))
	if $shell -n "$work/$shell"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done

# bash WORD...: what is offered for the last of the words.
in_bash() {
	bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracetool; echo "${COMPREPLY[*]}"' \
		- "$work/bash" "$@" 2>&1
}
expect "bash verbs" "$(in_bash tracetool "")" "convert stats gate report info list recover help"
expect "bash options" "$(in_bash tracetool stats --)" "--table --sort --thread --jobs"
expect "bash values" "$(in_bash tracetool convert --format "")" "chrome csv pprof folded"
expect "bash values behind =" "$(in_bash tracetool stats --color = al)" "always"
expect "bash lists" "$(in_bash tracetool stats --table markers,thr)" "markers,threads"
expect "bash operands" "$(in_bash tracetool list "")" "formats passes emitters metrics"
expect "bash words of definitions" "$(in_bash tracetool list no)" "not_ended no_place no_frames"
expect "bash without a verb" "$(in_bash tracetool game.mlpd --lim)" "--limit"

in_fish() { fish --no-config -c "source $work/fish; complete -C '$1'" 2>&1 | cut -f 1; }
cd "$work" || exit 1
expect "fish verbs" "$(in_fish "tracetool ")" "convert stats gate report info list recover help"
expect "fish options" "$(in_fish "tracetool stats --")" "--table --sort --thread --jobs"
expect "fish values" "$(in_fish "tracetool convert --format ")" "chrome csv pprof folded"
expect "fish operands" "$(in_fish "tracetool list ")" "formats passes emitters metrics"
expect "fish without a verb" "$(in_fish "tracetool game.mlpd --lim")" "--limit"

# zsh completes only at a terminal: give it one, press TAB twice, and look at the screen.
mkdir "$work/functions"
cp "$work/zsh" "$work/functions/_tracetool"
cat > "$work/try.zsh" << 'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='> '; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $1/dump; bindkey '^I' complete-word; LISTMAX=1000; print -n rea; print dy"
while zpty -r z out '*ready*' && [[ $out != *ready* ]]; do :; done
zpty -w -n z "$2"$'\t\t'
for i in {1..30}; do
	while zpty -r -t z out; do print -rn -- "$out"; done
	sleep 0.05
done
zpty -d z
END
in_zsh() { timeout 30 zsh -f "$work/try.zsh" "$work/functions" "$1" 2>&1 | sed $'s/\e\\[[0-9;?]*[A-Za-z]/ /g' | tr -s '[:cntrl:]' ' '; }
expect "zsh verbs" "$(in_zsh "tracetool ")" "convert stats gate report info list recover help"
expect "zsh options" "$(in_zsh "tracetool stats --m")" "--marker --max-depth --max-memory"
expect "zsh values" "$(in_zsh "tracetool convert --format=")" "csv pprof folded"
expect "zsh operands" "$(in_zsh "tracetool list ")" "formats passes emitters metrics"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
