#!/usr/bin/env bash
# What stat/pairs.h says of 1,000 random sets of differences is what R says: p values of wilcox.exact (exactRankTests), which is right
# with ties and leaves out zeros, of those that are no accidents by the rule of stat/pairs.h; shift and bounds of wilcox.test where there
# are no ties, which it wants.
set -u
"$BUILD/kit/pairs_gen" 1000 7 > "$TMPDIR/pairs.csv" || exit 1
Rscript --vanilla - "$TMPDIR/pairs.csv" <<'R' 2>&1 | grep -v 'exactRankTests\|coin'
suppressPackageStartupMessages(suppressWarnings(library(exactRankTests)))
d <- read.csv(commandArgs(TRUE)[1], colClasses = c("character", rep("numeric", 5)))
close <- function(a, b) isTRUE(abs(a - b) <= 1e-9 * (abs(a) + abs(b)) + 1e-12)
lower_median <- function(v) sort(v)[(length(v) + 1) %/% 2]
near <- function(x, limit) {
	size <- abs(x - limit)
	some <- size[size > 0]
	if (length(some) < 10) return(x)
	usual <- lower_median(abs(some - lower_median(some)))
	far <- usual > 0 & size > lower_median(some) + 5 * usual
	if (sum(far) > (length(some) * 3) %/% 10) x else x[!far]
}
passed <- 0; failed <- 0; left <- 0
for (i in seq_len(nrow(d))) {
	x <- as.numeric(strsplit(d$d[i], " ")[[1]])
	y <- near(x, d$limit[i])
	left <- left + (length(y) < length(x))
	p <- if (all(y == d$limit[i])) 1 else wilcox.exact(y, mu = d$limit[i], alternative = "greater", exact = TRUE)$p.value
	good <- close(d$p[i], p)
	if (!good) cat("p of set", i, "is", d$p[i], "not", p, "\n")
	if (!anyDuplicated(abs(x)) && !any(x == 0) && !is.na(d$low[i])) {
		w <- wilcox.test(x, conf.int = TRUE, conf.level = 0.9 - 1e-9, exact = TRUE)
		# Ours are rounded to whole numbers.
		if (abs(d$low[i] - w$conf.int[1]) > 0.5 || abs(d$high[i] - w$conf.int[2]) > 0.5 || abs(d$shift[i] - w$estimate) > 0.5) {
			cat("shift and bounds of set", i, "are", d$shift[i], d$low[i], d$high[i], "not", w$estimate, w$conf.int, "\n")
			good <- FALSE
		}
	}
	if (good) passed <- passed + 1 else failed <- failed + 1
}
if (left < 50) { cat("accidents in", left, "sets alone\n"); failed <- failed + 1 }
cat(passed, "passed,", failed, "failed\n")
R
