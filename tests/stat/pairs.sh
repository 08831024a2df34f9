#!/usr/bin/env bash
# What stat/pairs.h says of 1,000 random sets of pairs is what R says: p values of wilcox.exact (exactRankTests), which is right with ties and
# leaves out zeros, of differences in which disturbed runs are evened out by the rule of stat/pairs.h; shift and bounds of wilcox.test where there
# are no ties, which it wants.
set -u
"$BUILD/kit/pairs_gen" 1000 7 > "$TMPDIR/pairs.csv" || exit 1
Rscript --vanilla - "$TMPDIR/pairs.csv" <<'R' 2>&1 | grep -v 'exactRankTests\|coin'
suppressPackageStartupMessages(suppressWarnings(library(exactRankTests)))
d <- read.csv(commandArgs(TRUE)[1], colClasses = c("character", "character", rep("numeric", 5)))
close <- function(a, b) isTRUE(abs(a - b) <= 1e-9 * (abs(a) + abs(b)) + 1e-12)
lower_median <- function(v) sort(v)[(length(v) + 1) %/% 2]
even <- function(x, level, limit) {
	off <- x - limit
	some <- off != 0
	if (sum(some) < 8) return(x)
	by <- abs(level - lower_median(level[some]))
	usual <- lower_median(by[some])
	disturbed <- usual > 0 & by > 5 * usual & by < abs(off)
	if (sum(disturbed) > sum(some) %/% 2) x else ifelse(disturbed, x - sign(off) * 2 * by, x)
}
passed <- 0; failed <- 0; evened <- 0
for (i in seq_len(nrow(d))) {
	x <- as.numeric(strsplit(d$d[i], " ")[[1]])
	y <- even(x, as.numeric(strsplit(d$level[i], " ")[[1]]), d$limit[i])
	evened <- evened + any(x != y)
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
if (evened < 50) { cat("disturbed runs in", evened, "sets alone\n"); failed <- failed + 1 }
cat(passed, "passed,", failed, "failed\n")
R
