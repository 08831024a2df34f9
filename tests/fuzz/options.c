/**
 * Fuzz target: the option parser and every kind of value. The input is the arguments, NUL between them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse_value.h"
#include "option/opts.h"

struct all {
	bool flag;
	const char *text;
	struct tt_list list, commas, operands;
	int pick;
	uint64_t n, size;
	int64_t dur, pct;
};

static const char *
pick_value(size_t i)
{
	static const char *const v[] = { "auto", "always", "never", NULL };

	return v[i];
}

#define AT(f) offsetof(struct all, f)
static const struct tt_opt opt[] = {
	{ 'f', "flag", NULL, "x", tt_opt_flag, AT(flag), 0, 0, NULL, NULL, false },
	{ 't', "text", "TEXT", "x", tt_opt_text, AT(text), 0, 0, NULL, NULL, false },
	{ 'l', "list", "ONE", "x", tt_opt_add, AT(list), 0, 0, NULL, NULL, false },
	{ 'c', "commas", "A,B", "x", tt_opt_commas, AT(commas), 0, 0, pick_value, NULL, false },
	{ 'p', "pick", "WHEN", "x", tt_opt_choice, AT(pick), 0, 0, pick_value, NULL, false },
	{ 'n', "number", "N", "x", tt_opt_count, AT(n), 1, 9, NULL, NULL, false },
	{ 's', "size", "SIZE", "x", tt_opt_size, AT(size), 0, 0, NULL, NULL, false },
	{ 'd', "duration", "DUR", "x", tt_opt_duration, AT(dur), 0, 0, NULL, NULL, false },
	{ 'o', "percent", "PCT", "x", tt_opt_percent, AT(pct), 0, 0, NULL, NULL, false },
	{ .name = NULL },
};
static const struct tt_opt_group groups[] = { { "All", opt, 0 }, { NULL, NULL, 0 } };
static const struct tt_verb verb = { .name = "fuzz", .group = groups, .operand_at = AT(operands) };

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tt_mem mem = { .cap = 1 << 20 };
	struct tt_arena arena;
	struct tt_err err = { .msg = "" };
	struct all all = { 0 };
	char *text = malloc(n + 1), *argv[64];
	int64_t a, b;
	uint64_t c, d;
	int argc = 0, rc;

	if (!text)
		return 0;
	memcpy(text, p, n);
	text[n] = '\0';
	for (size_t i = 0; i < n && argc < 64; i += strlen(text + i) + 1)
		argv[argc++] = text + i;
	tt_arena_init(&arena, &mem);
	rc = tt_opts_parse(&verb, &all, argc, argv, &arena, &err);
	if ((rc < 0) != (err.msg[0] != '\0'))
		abort();              /* every refusal is told */
	if (rc == TT_OK && all.n > 9)
		abort();
	if (tt_parse_time_range(text, &a, &b, &err) == TT_OK && a >= b)
		abort();
	if (tt_parse_number_range(text, &c, &d, &err) == TT_OK && c > d)
		abort();
	if (tt_parse_milliseconds(text, &a, &err) == TT_OK && a <= 0)
		abort();
	tt_arena_free(&arena);
	free(text);
	return 0;
}
