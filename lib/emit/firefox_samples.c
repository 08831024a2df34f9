/**
 * firefox: a thread's samples, made of its zones in order of begin, and its allocations by path.
 */
#include "emit/firefox.h"

#include "emit/stacks.h"
#include "io/spool.h"

/* --- made of zones ------------------------------------------------------------------------------------------------- */

static int
flush_samples(struct firefox *d, struct tt_err *err)
{
	int rc = TT_OK;

	if (d->npending)
		rc = tt_text_spool_write(d->e.env, &d->put_aside, &d->sample_fd, d->nsample * sizeof *d->pending, d->pending,
		    d->npending * sizeof *d->pending, err);
	d->nsample += d->npending;
	d->npending = 0;
	return rc;
}

static int
put_sample(struct firefox *d, int64_t ts, uint32_t stack, int64_t weight, struct tt_err *err)
{
	d->pending[d->npending++] = (struct firefox_sample){ ts, weight, stack };
	return d->npending == FIREFOX_SAMPLES ? flush_samples(d, err) : TT_OK;
}

/* End the slice of time: write a sample for each path in it, with at most the time that the call tree has left for the path. */
static int
end_slice(struct firefox *d, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < d->ntouched && rc == TT_OK; i++) {
		const struct touched *t = &d->touched[i];
		int64_t *left = &d->stacks->value[t->node].v, weight = d->in_slice[t->node];

		weight = weight < *left ? weight : *left;
		d->in_slice[t->node] = 0;
		if (t->node)
			*left -= weight > 0 ? weight : 0;
		if (t->node == 0 || weight > 0)
			rc = put_sample(d, t->ts, d->stack_of[t->node], t->node ? weight : 0, err);
	}
	d->ntouched = 0;
	return rc;
}

static int
touch(struct firefox *d, uint32_t node, int64_t ts, struct tt_err *err)
{
	int rc = tt_mem_grow(&d->e.env->mem, &d->touched, &d->captouched, d->ntouched + 1, sizeof *d->touched, err);

	if (rc == TT_OK)
		d->touched[d->ntouched++] = (struct touched){ ts, node };
	return rc;
}

/* Count the time up to ${to} as self time of ${node}; 0: no known path. */
static int
pass_time(struct firefox *d, uint32_t node, int64_t to, struct tt_err *err)
{
	int rc = TT_OK;

	while (d->now < to && rc == TT_OK) {
		const int64_t slice = (int64_t)(((uint64_t)d->now - (uint64_t)d->origin) / (uint64_t)d->slice_ns);
		const uint64_t left = (uint64_t)d->slice_ns - ((uint64_t)d->now - (uint64_t)d->origin) % (uint64_t)d->slice_ns;
		const uint64_t asked = (uint64_t)to - (uint64_t)d->now;
		/* Whole slices filled by a single path become a single sample; so does any time outside all zones. */
		const uint64_t whole = left == (uint64_t)d->slice_ns && asked > left ? asked - asked % left : left;
		const uint64_t part = node && whole < asked ? whole : asked;

		if (slice != d->slice)
			rc = end_slice(d, err);
		d->slice = slice;
		if (rc == TT_OK && d->in_slice[node] == 0)
			rc = touch(d, node, d->now, err);
		d->in_slice[node] = node ? d->in_slice[node] + (int64_t)part : 1;
		d->now = (int64_t)((uint64_t)d->now + part);
	}
	return rc;
}

static int
close_zones(struct firefox *d, int64_t ts, uint32_t depth, struct tt_err *err)
{
	int rc = TT_OK;

	while (d->nopen > 0 && rc == TT_OK && (d->open[d->nopen - 1].depth >= depth || d->open[d->nopen - 1].end < ts)) {
		rc = pass_time(d, d->open[d->nopen - 1].node, d->open[d->nopen - 1].end, err);
		d->nopen--;
	}
	return rc;
}

static int
sample_zone(void *arg, const struct tt_slice *s, struct tt_err *err)
{
	struct firefox *d = arg;
	const uint32_t root = d->root_of[d->thread->index];
	const struct named *k;
	struct level l = { .end = tt_firefox_end_of(s), .depth = s->depth };
	int rc;

	if (s->depth == POINT_DEPTH)
		return TT_OK;
	if ((rc = tt_firefox_find_key(d, s->key, &k, err)) != TT_OK || (rc = close_zones(d, s->ts, s->depth, err)) != TT_OK)
		return rc;
	if (d->now == INT64_MIN)
		d->now = s->ts;
	const struct level *up = d->nopen ? &d->open[d->nopen - 1] : NULL;
	if ((rc = pass_time(d, up ? up->node : 0, s->ts, err)) != TT_OK)
		return rc;
	/* An inner zone must not outlast the zone around it. */
	l.end = up && l.end > up->end ? up->end : l.end;
	if (k->text && (up ? up->node : root))
		l.node = d->place[tt_firefox_find_place(d, up ? up->node : root, k->text - 1)];
	if ((rc = tt_mem_grow(&d->e.env->mem, &d->open, &d->capopen, d->nopen + 1, sizeof *d->open, err)) != TT_OK)
		return rc;
	d->open[d->nopen++] = l;
	return TT_OK;
}

/* Add a sample for the rest of each path's time that no sample has; in a capture with samples but no calls, for its number of hits. */
static int
sample_rest(struct firefox *d, struct tt_err *err)
{
	const struct tt_stacks *s = d->stacks;
	const enum tt_stack_kind kind = s->calls || !s->has[TT_STACK_SAMPLE] ? TT_STACK_ZONE : TT_STACK_SAMPLE;
	const int64_t ts = d->now != INT64_MIN ? d->now : d->thread->first_ts <= d->thread->last_ts ? d->thread->first_ts : d->origin;
	int rc = TT_OK;

	for (uint32_t i = d->first_of[d->thread->index]; i && rc == TT_OK; i = d->next_of[i]) {
		const int64_t left = kind == TT_STACK_ZONE ? s->value[i].v : s->value[i].n < INT64_MAX ? (int64_t)s->value[i].n : INT64_MAX;

		if (tt_stacks_kind(s, i) == kind && left > 0)
			rc = put_sample(d, ts, d->stack_of[tt_firefox_stack_node(d, i)], left, err);
	}
	return rc;
}

bool
tt_firefox_counts_samples(const struct firefox *d)
{
	return !d->stacks->calls && d->stacks->has[TT_STACK_SAMPLE];
}

static int
make_samples(struct firefox *d, struct tt_err *err)
{
	const size_t i = d->thread->index;
	int rc;

	d->first_sample = d->nsample;
	d->now = INT64_MIN;
	d->slice = -1;
	d->nopen = 0;
	/* The profiler shows the time from the first to the last sample of all threads, so both are placed at the ends of the capture. */
	rc = put_sample(d, d->origin, 0, 0, err);
	if (rc == TT_OK && !tt_firefox_counts_samples(d) && i < d->slices.nthread && d->slices.thread[i].thread)
		rc = tt_slices_each(&d->slices, i, sample_zone, d, err);
	TT_THEN(rc, close_zones(d, INT64_MAX, 0, err));
	TT_THEN(rc, end_slice(d, err));
	TT_THEN(rc, sample_rest(d, err));
	TT_THEN(rc, put_sample(d, d->max_ts, 0, 0, err));
	return rc == TT_OK ? flush_samples(d, err) : rc;
}

/* Write a column of the thread's samples, which are read back for each column. ${which}: 0 stack, 1 time, 2 weight. */
static int
put_sample_column(struct firefox *d, unsigned which, struct tt_err *err)
{
	const bool is_count = tt_firefox_counts_samples(d);
	int rc = TT_OK;

	tt_json_open(&d->j, (const char *const[]){ "stack", "time", "weight" }[which], "[");
	for (uint64_t at = d->first_sample; at < d->nsample && rc == TT_OK; at += FIREFOX_SAMPLES) {
		const size_t n = d->nsample - at < FIREFOX_SAMPLES ? (size_t)(d->nsample - at) : FIREFOX_SAMPLES;

		rc = tt_spool_read(d->e.env, d->sample_fd, "samples", at * sizeof *d->pending, d->pending, n * sizeof *d->pending, err);
		for (size_t i = 0; i < n && rc == TT_OK; i++) {
			const struct firefox_sample *s = &d->pending[i];

			if (which == 0 && s->stack)
				tt_firefox_put_number(d, s->stack - 1);
			else if (which == 0)
				tt_firefox_put_word(d, "null");
			else if (which == 1)
				tt_firefox_put_time(d, s->ts);
			else if (is_count)
				tt_firefox_put_number(d, (uint64_t)s->weight);
			else
				tt_firefox_put_ms(d, s->weight);
			rc = tt_firefox_spill(d, err);
		}
	}
	tt_json_close(&d->j, "]");
	return rc;
}

int
tt_firefox_put_samples(struct firefox *d, struct tt_err *err)
{
	int rc = make_samples(d, err);

	tt_json_open(&d->j, "samples", "{");
	for (unsigned i = 0; i < 3 && rc == TT_OK; i++)
		rc = put_sample_column(d, i, err);
	tt_json_text(&d->j, "weightType", tt_firefox_counts_samples(d) ? "samples" : "tracing-ms");
	tt_json_u64(&d->j, "length", d->nsample - d->first_sample);
	tt_json_close(&d->j, "}");
	return rc;
}

/* Write allocations summed up by path and class: the format wants a time for each, which sums do not have. */
int
tt_firefox_put_allocations(struct firefox *d, struct tt_err *err)
{
	static const char *const columns[] = { "className", "weight", "stack" };
	const struct tt_stacks *s = d->stacks;
	const int64_t ts = d->thread->first_ts <= d->thread->last_ts ? d->thread->first_ts : d->origin;
	uint64_t n = 0;
	int rc = TT_OK;

	for (uint32_t i = d->first_of[d->thread->index]; i; i = d->next_of[i])
		n += tt_stacks_kind(s, i) == TT_STACK_ALLOC;
	if (n == 0)
		return TT_OK;
	tt_json_open(&d->j, "jsAllocations", "{");
	for (unsigned which = 0; which < 3 && rc == TT_OK; which++) {
		tt_json_open(&d->j, columns[which], "[");
		for (uint32_t i = d->first_of[d->thread->index]; i && rc == TT_OK; i = d->next_of[i]) {
			const uint32_t node = tt_firefox_stack_node(d, i);

			if (tt_stacks_kind(s, i) != TT_STACK_ALLOC)
				continue;
			if (which == 0)
				tt_json_text(&d->j, NULL, s->name[s->text[i]]);
			else if (which == 1)
				tt_firefox_put_number(d, s->value[i].v > 0 ? (uint64_t)s->value[i].v : 0);
			else if (node)
				tt_firefox_put_number(d, d->stack_of[node] - 1);
			else
				tt_firefox_put_word(d, "null");
			rc = tt_firefox_spill(d, err);
		}
		tt_json_close(&d->j, "]");
	}
	tt_json_open(&d->j, "time", "[");
	for (uint64_t i = 0; i < n && rc == TT_OK; i++) {
		tt_firefox_put_time(d, ts);
		rc = tt_firefox_spill(d, err);
	}
	tt_json_close(&d->j, "]");
	rc = rc == TT_OK ? tt_firefox_put_same(d, "typeName", "\"Object\"", n, err) : rc;
	rc = rc == TT_OK ? tt_firefox_put_same(d, "coarseType", "\"Object\"", n, err) : rc;
	rc = rc == TT_OK ? tt_firefox_put_same(d, "inNursery", "false", n, err) : rc;
	tt_json_text(&d->j, "weightType", "bytes");
	tt_json_u64(&d->j, "length", n);
	tt_json_close(&d->j, "}");
	return rc;
}
