/**
 * Native code: what the runtime made beside methods, and where samples hit.
 *
 * Collected with TT_NEEDS_CODE; read by the passes "jit" and "samples".
 */
#ifndef TT_COLLECT_CODE_H
#define TT_COLLECT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"
#include "model/filter.h"
#include "stat/tally.h"

struct tt_capture;
struct tt_def;

enum { TT_CODE_HELPERS_MAX = 1 << 20, TT_CODE_IPS_MAX = 1 << 20 };

/* A piece of code that is not a method: a trampoline, a helper of the runtime. */
struct tt_code_helper {
	uint64_t start;
	uint32_t size, process;
	uint16_t kind;                /* Mono's, of data version 14 */
	const char *name;             /* name of the code; "": not known */
};

struct tt_code {
	struct tt_code_helper *helper;
	size_t n, cap;
	uint64_t helper_n[16], helper_b[16];  /* number and bytes of all helpers by kind; the last entry is for kinds from 15 on */
	struct tt_code_ips {          /* native addresses that samples hit, by process */
		struct tt_tally managed, native;      /* hits of samples with and without managed frames */
		uint64_t dropped;     /* hits of addresses beyond TT_CODE_IPS_MAX */
	} *ips;
	size_t nips;
};

TT_COLLECTED_AS(tt_code, TT_COLLECTS_CODE);

/* The ${i}th piece of code of a method: key = the method's, a = where it begins, b = bytes (0 not known); NULL after the last. */
const struct tt_def *tt_code_at(const struct tt_capture *cap, size_t i);

/* Sum the code of methods defined in the time of ${f}; NULL: at any time. False: the capture has no code. */
struct tt_code_sum {
	uint64_t methods, coded;      /* methods with a name; methods whose code is known */
	uint64_t bytes, largest;
};
bool tt_code_sum(const struct tt_capture *cap, const struct tt_filter *f, struct tt_code_sum *s);

#endif
