# words.awk WORDS FILE: FILE with each @{KEY|WHAT|...} replaced by the sentence of that key (tests/words.txt).
FNR == NR {
	if ($0 !~ /^#/ && (i = index($0, ": ")))
		say[substr($0, 1, i - 1)] = substr($0, i + 2)
	next
}
{
	done = ""
	while (i = index($0, "@{")) {
		rest = substr($0, i + 2)
		end = index(rest, "}")
		n = split(substr(rest, 1, end - 1), part, "|")
		left = part[1] in say ? say[part[1]] : "(tests/words.txt has no " part[1] ")"
		done = done substr($0, 1, i - 1)
		for (k = 2; k <= n && (i = index(left, "{}")); k++) {
			done = done substr(left, 1, i - 1) part[k]
			left = substr(left, i + 2)
		}
		done = done left
		$0 = substr(rest, end + 1)
	}
	print done $0
}
