#!/usr/bin/env bash
# What stat/trend.h says of 500 random series is what lm() of R says; and TT_TREND_LOOKS holds: of quiet series that grow by one and are
# looked at each time, no more are found than it allows for.
set -u
"$BUILD/kit/trend_gen" 500 7 > "$TMPDIR/trend.csv" || exit 1
Rscript --vanilla - "$TMPDIR/trend.csv" "$(sed -n 's/^#define TT_TREND_LOOKS //p' lib/stat/trend.h)" <<'R'
lines <- strsplit(readLines(commandArgs(TRUE)[1]), ",")
looks <- as.numeric(commandArgs(TRUE)[2])
passed <- 0; failed <- 0
check <- function(good, ...) if (isTRUE(good)) passed <<- passed + 1 else { failed <<- failed + 1; cat("R says otherwise:", ..., "\n") }
close <- function(a, b) abs(a - b) <= 1e-8 * (abs(a) + abs(b)) + 1e-12
for (l in lines) {
	y <- as.numeric(strsplit(l[1], " ")[[1]]); have <- as.numeric(l[-1]); n <- length(y); x <- seq_len(n); few <- max(1, min(3, n %/% 4))
	rise <- mean(tail(y, few)) - mean(head(y, few))
	check(close(have[2], mean(head(y, few))) && abs(have[3] - rise) <= 1e-6, "from and rise of", l)
	fit <- suppressWarnings(summary(lm(y ~ x)))
	# A straight line has no scatter: the test is whether it rises.
	if (fit$sigma < 1e-6) check(have[1] == as.numeric(coef(fit)[2, 1] <= 1e-6), "a straight line", l)
	else check(close(have[1], pt(coef(fit)[2, 3], n - 2, lower.tail = FALSE)), "p of", l)
}
set.seed(1); N <- 20000
y <- matrix(rnorm(N * 35), N); sy <- syy <- sxy <- numeric(N); p <- matrix(1, N, 35)
for (n in 1:35) {
	sy <- sy + y[, n]; syy <- syy + y[, n]^2; sxy <- sxy + n * y[, n]
	if (n < 4) next
	sxx <- n * (n^2 - 1) / 12; b <- (sxy - (n + 1) / 2 * sy) / sxx
	p[, n] <- pt(b * sqrt(sxx) / sqrt((syy - sy^2 / n - b^2 * sxx) / (n - 2)), n - 2, lower.tail = FALSE)
}
for (from in c(4, 6, 11)) for (at in c(0.02, 0.01, 0.005, 0.0025, 0.001)) {
	most <- mean(apply(p[, from:min(35, from + 24)], 1, min) <= at)
	check(most <= looks * at, "25 looks from", from, "sessions on at", at, "find", most)
}
cat(passed, "passed,", failed, "failed\n")
R
