/**
 * Decodes one chunk: a thread in some records, or definitions. Pure: it reads the chunk and the opened capture, and changes neither.
 *
 * A thread whose samples do not add up (data_samples.c) is left out of that record, and counted in the batch's ledger. The only error is lack of memory.
 */
#include "data/tree.h"

#include "model/zones.h"

/* --- a thread in a record ----------------------------------------------------------------------------------- */

static void
tally_thread(struct data_run *r, const struct data_thread *th)
{
	data_tally(r, DATA_T_THREAD, 1);
	data_tally(r, DATA_T_SAMPLE, th->nsample);
	data_tally(r, DATA_T_GC, th->ngc);
	data_tally(r, DATA_T_GPU, th->ngpu);
	data_tally(r, DATA_T_INSTANCE, th->ninstance);
	data_tally(r, DATA_T_VALUE, th->nvalue);
	data_tally(r, DATA_T_STACK, th->nstack);
	data_tally(r, DATA_T_FLOW, th->nflow);
}

/* Begin to read the bytes of a thread. */
static struct data_take
take_thread(const struct data_piece *piece)
{
	const uint8_t *p = piece->p + piece->nstats;

	return (struct data_take){ .p = p, .end = piece->p + piece->len, .from = p };
}

/* A state of batch and run to which decoding can return. */
struct place {
	size_t n, nrare;
	uint64_t nzone, nalloc, alloc_b, calls;
	int64_t min_ts, max_ts, last, from;
	struct tt_loss_entry clock, bytes, values;
};

static struct place
here(const struct data_run *r)
{
	const struct tt_batch *b = r->u.b;

	return (struct place){ b->n, b->nrare, b->nzone, b->nalloc, b->alloc_b, r->calls, b->min_ts, b->max_ts, r->last, r->from,
		b->loss.e[TT_LOST_CLOCK], b->loss.e[TT_LOST_ALLOC_BYTES], b->loss.e[TT_LOST_COUNTER_VALUES] };
}

/* Drop everything that was added since ${was}. */
static void
back_to(struct data_run *r, const struct place *was)
{
	struct tt_batch *b = r->u.b;

	b->n = was->n;
	b->nrare = was->nrare;
	b->nzone = was->nzone;
	b->nalloc = was->nalloc;
	b->alloc_b = was->alloc_b;
	b->min_ts = was->min_ts;
	b->max_ts = was->max_ts;
	r->calls = was->calls;
	r->last = was->last;
	r->from = was->from;
}

/* Drop the counts of samples that are left out since ${was}. */
static void
forget_losses(struct tt_loss *l, const struct place *was)
{
	l->e[TT_LOST_CLOCK] = was->clock;
	l->e[TT_LOST_ALLOC_BYTES] = was->bytes;
	l->e[TT_LOST_COUNTER_VALUES] = was->values;
}

static int
put_gap(struct data_run *r, int64_t ts, enum tt_gap why)
{
	struct tt_event *e = tt_batch_rare(r->u.b, TT_GAP, ts, 0, r->u.err);

	if (!e)
		return r->u.err->code;
	e->flags = TT_F_CONT;
	e->depth = (uint16_t)why;
	return TT_OK;
}

/* Decode a thread of a record. If its samples do not add up, in number or in time, none is kept; on the main thread, the frame is then not whole. */
static int
thread(struct data_run *r, const struct data_piece *piece, bool *sane)
{
	struct data_tree t = { .r = r, .l = &r->h->layout, .piece = piece };
	struct data_take take = take_thread(piece);
	struct tt_batch *b = r->u.b;
	const struct place was = here(r);

	*sane = true;
	data_walk_thread(t.l, &take, &t.th);
	t.marker = (struct data_take){ .p = t.th.marker, .end = t.th.end };
	t.late = piece->first < r->last;
	tally_thread(r, &t.th);
	int rc = TT_OK;
	/* The main thread's samples must not continue after its next frame began. */
	if (r->h->flags & DATA_H_MAIN && t.late && piece->first >= piece->start - DATA_APART && piece->first < r->last - DATA_APART)
		*sane = false;
	if (*sane)
		rc = data_samples(&t, sane);
	if (rc == TT_OK && *sane && t.th.nstack > t.stacks)
		tt_loss_add(&b->loss, TT_LOST_ZONE_STACKS, t.th.nstack - t.stacks, (uint64_t)(t.th.nstack - t.stacks) * data_stack_size(t.l), piece->at);
	if (rc != TT_OK || *sane)
		return rc;
	back_to(r, &was);
	forget_losses(&b->loss, &was);
	tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, (uint64_t)t.th.nsample * data_sample_size(t.l), piece->at);
	return r->h->flags & DATA_H_MAIN ? put_gap(r, piece->start, TT_GAP_LOST) : TT_OK;
}

/* Take only the names that the thread defines and, on the main thread, check whether its samples make sense, which decides whether the frame is whole. */
static int
pass_over(struct data_run *r, const struct data_piece *piece)
{
	struct data_take take = take_thread(piece);
	const struct place was = here(r);
	struct data_thread th;
	bool sane;

	data_walk_thread(&r->h->layout, &take, &th);
	if (!(r->h->flags & DATA_H_MAIN) || data_add_up(&th, piece, r->h->zero, r->last))
		return data_sample_labels(r, &th);
	int rc = thread(r, piece, &sane);

	if (sane)
		back_to(r, &was);
	return rc != TT_OK || sane ? rc : data_sample_labels(r, &th);
}

/* --- the chunk --------------------------------------------------------------------------------------------- */

/* Begin a frame on this thread. */
static int
frame(struct data_run *r, const struct data_piece *piece)
{
	struct tt_batch *b = r->u.b;
	struct tt_event *e;
	int rc = TT_OK;

	if (piece->flags & (DATA_P_GAP | DATA_P_PAUSED))
		rc = put_gap(r, piece->gap, piece->flags & DATA_P_GAP ? TT_GAP_LOST : TT_GAP_UNRECORDED);
	/* Before 2017.3 the field is not the number of the frame. */
	if (rc == TT_OK && !tt_batch_rare(b, TT_FRAME, piece->start, r->h->layout.rank > 0 ? piece->id : 0, r->u.err))
		rc = r->u.err->code;
	if (piece->flags & DATA_P_BAD_GPU) {
		tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, 0, piece->at);
	} else if (rc == TT_OK && piece->gpu_us && piece->gpu_us < INT32_MAX) {
		if (!(e = tt_batch_rare(b, TT_TIMING, piece->start, piece->gpu_us * UINT64_C(1000), r->u.err)))
			return r->u.err->code;
		e->depth = TT_TIMING_GPU;
	}
	if (rc == TT_OK && piece->flags & DATA_P_EMPTY)
		rc = put_gap(r, piece->start, TT_GAP_LOST);
	tt_batch_time(b, piece->start);
	data_tally(r, DATA_T_FRAME, 1);
	return rc;
}

/* Put the thread, with its name. */
static int
begin_thread(struct data_run *r, const struct data_piece *piece)
{
	struct data_take take = take_thread(piece);
	struct tt_batch *b = r->u.b;
	struct data_thread th;

	data_walk_thread(&r->h->layout, &take, &th);
	if (r->h->flags & DATA_H_USUAL) {
		th.name = DATA_MAIN;
		th.nname = sizeof DATA_MAIN - 1;
		th.ngroup = 0;
	}
	struct tt_def d = { .kind = TT_DEF_THREAD, .ts = piece->start, .key = b->tid, .text = th.name, .len = th.nname, .text2 = th.group,
		.len2 = th.ngroup };
	tt_batch_time(b, piece->start);
	unity_count_name(&r->u, th.name, th.nname);
	unity_count_name(&r->u, th.group, th.ngroup);
	int rc = tt_batch_def(b, &d, r->u.err);
	return rc != TT_OK ? rc : tt_batch_rare(b, TT_THREAD, piece->start, b->tid, r->u.err) ? TT_OK : r->u.err->code;
}

static int
end_thread(struct data_run *r)
{
	struct tt_event *e = tt_batch_rare(r->u.b, TT_THREAD, r->h->ends, r->u.b->tid, r->u.err);

	if (!e)
		return r->u.err->code;
	e->flags = TT_F_END;
	return TT_OK;
}

static int
statistics(struct data_run *r, const struct data_piece *piece)
{
	return piece->nstats ? unity_stats(&r->u, piece->start, r->h->marker.counters, piece->p, piece->nstats / 4) : TT_OK;
}

int
data_decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const struct data *m = ctx;
	const struct data_head *h = (const struct data_head *)(const void *)c->bytes;
	const struct data_piece *piece = (const struct data_piece *)(const void *)(h + 1);
	struct data_run r = { .h = h, .last = b->base ? b->base->last_ts : INT64_MIN / 4, .from = INT64_MAX,
		.u = { .known = &m->known, .b = b, .err = err, .seq = c->seq, .categories = h->categories } };
	const bool defines = h->flags & DATA_H_DEFINES, skim = b->needs & TT_SKIM && data_skims(m->cap, &h->layout);
	int rc = TT_OK;

	b->tid = c->tid;
	b->at = c->at;
	b->bytes = c->len;
	if (h->flags & DATA_H_FIRST)
		rc = begin_thread(&r, piece);
	if (h->flags & DATA_H_ENDS)
		rc = end_thread(&r);
	for (const struct data_piece *const end = piece + h->npiece; piece < end && rc == TT_OK; piece++) {
		if (defines) {
			rc = data_define(&r, piece);
			continue;
		}
		if (h->flags & DATA_H_MAIN)
			rc = frame(&r, piece);
		if (rc == TT_OK && !skim)
			rc = statistics(&r, piece);
		if (piece->len > 0)
			TT_THEN(rc, skim ? pass_over(&r, piece) : thread(&r, piece, &(bool){ true }));
	}
	unity_run_end(&r.u);
	tt_mem_free(b->mem, r.level, r.caplevel * sizeof *r.level);
	b->late = !defines && b->ndef > 0;
	if (r.calls) {
		b->stack_from = r.from;
		b->stack_ts = r.last;
		b->nstack += r.calls;
	}
	return rc;
}

const char *
data_tag_name(unsigned tag)
{
	static const char *const name[DATA_TAGS] = { [DATA_T_FRAME] = "frame", [DATA_T_THREAD] = "thread in a frame", [DATA_T_SAMPLE] = "sample",
		[DATA_T_GC] = "allocation", [DATA_T_GPU] = "GPU sample", [DATA_T_INSTANCE] = "instance id", [DATA_T_VALUE] = "metadata",
		[DATA_T_STACK] = "call stack", [DATA_T_FLOW] = "flow", [DATA_T_MARKER] = "marker", [DATA_T_CODE] = "compiled method",
		[DATA_T_CATEGORY] = "category" };

	return tag < DATA_TAGS ? name[tag] : NULL;
}
