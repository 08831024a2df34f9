#!/usr/bin/env bash
# What stat/session.h says of 2,000 random comparisons of sessions, and stat/student.h of the distributions it uses, is what R says:
# trimmed means by mean(), tails and points by pt() and qt(); the rest is written down here once more from the header's text.
set -u
"$BUILD/kit/session_gen" 2000 7 > "$TMPDIR/session.csv" || exit 1
Rscript --vanilla - "$TMPDIR/session.csv" <<'R'
lines <- strsplit(readLines(commandArgs(TRUE)[1]), ",")
close <- function(a, b) isTRUE(all(a == b | abs(a - b) <= 2e-8 * (abs(a) + abs(b)) + 1e-12))
# captures of a session: value, squared standard error, degrees of freedom, number
session <- function(x) {
	n <- length(x); g <- floor(0.2 * n); h <- n - 2 * g; s <- sort(x)
	w <- pmin(pmax(x, s[g + 1]), s[n - g])
	c(mean(x, trim = 0.2), if (h > 1) var(w) * (n - 1) / (h * (h - 1)) else 0, h - 1, n)
}
sessions <- function(text) sapply(strsplit(strsplit(text, "/")[[1]], " "), function(x) session(as.numeric(x)))
side <- function(s) {
	df <- sum(s[3, ])
	list(k = ncol(s), y = s[1, ], one = if (df > 0) sum(s[3, ] * s[2, ] * s[4, ]) / df else 0, df = df, inverse = mean(1 / s[4, ]))
}
change <- function(old, now, assumed, past) {
	a <- side(sessions(old)); b <- side(sessions(now))
	shows <- a$k + b$k >= 4
	if (shows) past <- c(0, 0)
	if (b$df == 0) { b$one <- a$one; b$df <- a$df } else if (a$df == 0 && !shows) { a$one <- b$one; a$df <- b$df }
	d <- mean(b$y) - mean(a$y)
	if (!shows && a$k + b$k + past[2] < 4) {
		if (a$df == 0) return(NULL)
		va <- a$one * a$inverse / a$k; vb <- b$one * b$inverse / b$k
		v <- assumed^2 * (1 / a$k + 1 / b$k) + va + vb
		u <- va^2 / a$df + vb^2 / b$df
		return(c(d, sqrt(v), if (u > 0) v^2 / u else Inf))
	}
	within <- a$one * a$inverse
	own <- a$k + b$k - 2 + past[2]
	squares <- sum((a$y - mean(a$y))^2) + sum((b$y - mean(b$y))^2) + past[1]
	quiet <- (0.005 * mean(a$y))^2 + within
	# Of s^2 times own / v, chi squared of own degrees of freedom: s^2 as likely by the quiet variance as by its own.
	density <- function(v) dchisq(squares / v, own) * own / v
	likely <- if (squares / own > quiet) density(quiet) / density(squares / own) else 1
	weight <- if (a$df > 0) max(1, min(12, 3 * own) * min(1, 4 * likely)) else 0
	s2 <- (weight * quiet + squares) / (weight + own)
	more <- max(0, max(b$one, a$one) * b$inverse - within)
	c(d, sqrt(s2 * (1 / a$k + 1 / b$k) + more / b$k), weight + own)
}
passed <- 0; failed <- 0
for (l in lines) {
	v <- suppressWarnings(as.numeric(l[-1]))
	if (l[1] == "student") good <- close(v[3], pt(v[1], v[2], lower.tail = FALSE))
	else if (l[1] == "point") good <- close(v[3], qt(v[1], v[2], lower.tail = FALSE))
	else {
		c <- change(l[2], l[3], v[3], v[4:5]); limit <- v[6]; alpha <- v[7]
		if (is.null(c)) good <- all(is.na(v[8:15]))
		else {
			q <- qt(1 - alpha, c[3])
			want <- c(c, pt((c[1] - limit) / c[2], c[3], lower.tail = FALSE), pt((c[1] - limit) / c[2], c[3]), c[1] - q * c[2], c[1] + q * c[2],
			    limit + (q + qt(0.95, c[3])) * c[2])
			if (c[2] == 0) want <- c(c, c[1] <= limit, c[1] > limit, c[1], c[1], limit)
			# No scatter at all: degrees of freedom mean nothing.
			at <- if (c[2] == 0) c(1, 2, 4:8) else 1:8
			good <- close(v[7 + at], want[at])
		}
	}
	if (good) passed <- passed + 1
	else { failed <- failed + 1; cat("R says otherwise:", l, "\n") }
}
cat(passed, "passed,", failed, "failed\n")
R
