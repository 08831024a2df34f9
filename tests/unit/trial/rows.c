/* Tests of trial/state.h: the rows that a trial makes of a capture of each build. */
#include "check.h"

#include "base/buf.h"
#include "base/env.h"
#include "trial/state.h"

static struct tt_mem mem;
static struct tt_arena arena;
static struct tt_err err;

/* A sample whose value of ${key} is ${v}, in thousandths; all others are unknown. */
static struct tt_sample
sample_of(const struct tt_budget *b, const char *key, int64_t v)
{
	struct tt_sample s = { .value = tt_arena_alloc(&arena, b->nmeasure * sizeof *s.value, &err), .nvalue = b->nmeasure };

	for (size_t i = 0; i < b->nmeasure; i++)
		if (strcmp(b->measure[i].key, key) == 0)
			s.value[i] = (struct tt_value){ .known = true, .v = v };
	return s;
}

TEST(without_frames_whole_runs_are_compared)
{
	struct tt_budget b;
	struct tt_buf one = { 0 }, other = { 0 };

	tt_arena_init(&arena, &mem);
	CHECK_EQ_INT(tt_budget_none(&b, &arena, &err), TT_OK);
	struct tt_sample less = sample_of(&b, "gc.alloc.bytes.total", 1000), more = sample_of(&b, "gc.alloc.bytes.total", 9000);
	const struct tt_sample *forth[TT_SIDES] = { &less, &more }, *back[TT_SIDES] = { &more, &less };

	CHECK_EQ_INT(tt_trial_rows(forth, &b, 10, false, &one, &err), TT_OK);
	CHECK_HAS(tt_buf_string(&one), "\"metric\": \"capture.time\"");
	CHECK_HAS(tt_buf_string(&one), "\"metric\": \"gc.alloc.bytes\"");
	CHECK(!strstr(tt_buf_string(&one), "frame."));
	CHECK_EQ_INT(tt_trial_rows(back, &b, 10, false, &other, &err), TT_OK);
	CHECK(strcmp(tt_buf_string(&other), tt_buf_string(&one)) == 0);    /* the choice knows no side */
	tt_buf_free(&one);
	tt_buf_free(&other);
	tt_arena_free(&arena);
}
