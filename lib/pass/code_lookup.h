/**
 * Finds the code that a native address belongs to; private to lib/pass.
 */
#ifndef TT_PASS_CODE_LOOKUP_H
#define TT_PASS_CODE_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

struct tt_code_helper;
struct tt_def;
struct tt_err;
struct tt_model;

enum tt_code_kind { TT_CODE_METHOD, TT_CODE_HELPER, TT_CODE_SYMBOL, TT_CODE_UNKNOWN };

/* Methods and helpers of one process by address. */
struct tt_codemap {
	const struct tt_model *m;
	uint32_t process;
	struct tt_code_range { uint64_t start, end; const struct tt_def *method; const struct tt_code_helper *helper; } *v;
	size_t n, cap;
};

int tt_codemap_init(struct tt_codemap *c, const struct tt_model *m, uint32_t process, struct tt_err *err);
void tt_codemap_free(struct tt_codemap *c);

/* Find the *${name} of the code at ${ip}: a method's, a helper's, or else that of the nearest symbol at most 4 KiB below ${ip}. */
enum tt_code_kind tt_codemap_name(const struct tt_codemap *c, uint64_t ip, const char **name);

/* Return the name of a kind of Mono's helper code, such as "delegate invoke". */
const char *tt_code_helper_kind(unsigned kind);

#endif
