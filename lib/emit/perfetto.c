/**
 * Perfetto's native format: its start and end, and the order in which chunks are written.
 */
#include "emit/perfetto.h"

#include <inttypes.h>
#include <string.h>

#include "base/option.h"
#include "emit/json_args.h"
#include "emit/common.h"
#include "io/sink.h"

/* --- begin -------------------------------------------------------------------------- */

/* Return the wall-clock time of the output's zero, in ns since 1970; 0: unknown. */
static uint64_t
wall_clock(const struct perfetto *c)
{
	const struct tt_capture *cap = c->e.m->ncap ? c->e.m->cap[0] : NULL;

	if (!cap || cap->wall_ns <= 0)
		return 0;
	/* Unsigned, as numbers of a damaged capture may wrap. */
	uint64_t wall = (uint64_t)cap->wall_ns + (uint64_t)c->origin - (uint64_t)cap->offset_ns + (uint64_t)cap->zero_ns - (uint64_t)cap->start_ns;
	return wall < INT64_MAX ? wall : 0;
}

/* Write the descriptor of the sequence of zones: a packet's time is a step from the previous one, unless the packet says otherwise. */
static void
put_zones(struct tt_buf *b)
{
	size_t packet = pf_open(b, PF_PACKET), in;

	pf_number(b, PF_SEQUENCE, PF_ZONES);
	pf_number(b, PF_FLAGS, PF_CLEARED);
	in = pf_open(b, PF_DEFAULTS);
	pf_number(b, PF_CLOCK_ID, PF_STEPS);
	tt_pf_close(b, in);
	tt_pf_close(b, packet);
}

static void
put_clock(struct tt_buf *b, unsigned id, uint64_t ns)
{
	size_t at = pf_open(b, 1);

	pf_number(b, 1, id);
	pf_number(b, 2, ns);
	tt_pf_close(b, at);
}

static void
put_process(const struct perfetto *c, const struct tt_capture *cap, struct tt_buf *b)
{
	size_t n, at;
	const char *title = tt_capture_title(cap, &n);
	struct pf_event e = tt_pf_begin_track(b, pf_track(PF_PROCESS, cap->process), 0, NULL, 0);

	at = pf_open(b, PF_TRACK_PROCESS);
	pf_number(b, 1, tt_pf_pid(c, cap->process));
	tt_pf_text(b, 6, n ? title : "(unnamed)", n ? n : 9);
	tt_pf_close(b, at);
	tt_pf_end_track(b, e);
}

static int
put_start(struct perfetto *c, struct tt_err *err)
{
	static const char *const notes[] = { NULL, "class", "bytes", "site", "object", "stack" };
	struct tt_buf *b = &c->scratch;
	uint64_t wall = wall_clock(c);
	size_t packet = pf_open(b, PF_PACKET), in;

	pf_number(b, PF_SEQUENCE, PF_EVENTS);
	pf_number(b, PF_FLAGS, PF_CLEARED);
	in = pf_open(b, PF_INTERNED);
	for (uint64_t i = 1; i < sizeof notes / sizeof *notes; i++)
		tt_pf_put_interned(b, PF_IN_ANNOTATION, i, notes[i], strlen(notes[i]));
	tt_pf_close(b, in);
	tt_pf_close(b, packet);
	put_zones(b);
	if (wall) {
		packet = pf_open(b, PF_PACKET);
		pf_number(b, PF_SEQUENCE, PF_EVENTS);
		in = pf_open(b, PF_CLOCK_SNAPSHOT);
		put_clock(b, PF_BOOT, 0);
		put_clock(b, PF_WALL, wall);
		tt_pf_close(b, in);
		tt_pf_close(b, packet);
	}
	for (size_t i = 0; i < c->e.m->ncap; i++)
		put_process(c, c->e.m->cap[i], b);
	return tt_pf_write(c, b, err);
}

static int
perfetto_begin(void *state, struct tt_err *err)
{
	struct perfetto *c = state;
	struct tt_mem *mem = &c->e.env->mem;
	int rc;

	c->own = c->e.o.own;
	c->origin = tt_emit_origin(c->e.m);
	c->forms = (struct tt_forms){ tt_pf_form, c };
	c->late = tt_filter_tells_late(&c->e.m->filter);
	tt_slices_init(&c->slices, c->e.env, &c->put_aside);
	tt_text_spool_init(&c->args, c->e.env, &c->put_aside);
	c->unwritten = tt_mem_alloc(mem, sizeof *c->unwritten, err);
	c->deeper = tt_mem_alloc(mem, sizeof *c->deeper, err);
	c->process = tt_mem_alloc(mem, c->e.m->ncap * sizeof *c->process, err);
	c->nmodel = (uint32_t)c->e.m->ncategory;
	c->category = tt_mem_alloc(mem, c->nmodel + PF_CATEGORIES, err);
	c->heap_sent = tt_mem_alloc(mem, c->e.m->ncap * sizeof *c->heap_sent, err);
	if (!c->unwritten || !c->deeper || !c->process || !c->category || !c->heap_sent)
		return err ? err->code : TT_E_NOMEM;
	c->nprocess = c->e.m->ncap;
	tt_arena_init(&c->text, mem);
	rc = tt_pf_names(c, err);
	TT_THEN(rc, tt_counter_labels_make(c->e.m, &c->labels, &c->text, err));
	if (rc != TT_OK)
		return rc;
	if (!(c->sent = tt_mem_alloc(mem, c->nentry, err)))
		return err ? err->code : TT_E_NOMEM;
	c->nsent = c->nentry;
	rc = tt_emit_open(&c->e, 0, &c->sink, err);
	TT_THEN(rc, tt_sink_set_packets(c->sink, c->own->plain ? NULL : &c->forms, &c->stamps, err));
	return rc == TT_OK ? put_start(c, err) : rc;
}

static void
perfetto_end(void *state)
{
	struct perfetto *c = state;
	struct tt_mem *mem = &c->e.env->mem;

	for (size_t i = 0; i < c->nprocess; i++)
		tt_pieces_free(&c->process[i]);
	tt_mem_free(mem, c->process, c->nprocess * sizeof *c->process);
	tt_mem_free(mem, c->heap_sent, c->e.m->ncap * sizeof *c->heap_sent);
	tt_mem_free(mem, c->unwritten, sizeof *c->unwritten);
	tt_mem_free(mem, c->deeper, sizeof *c->deeper);
	tt_mem_free(mem, c->category, c->nmodel + PF_CATEGORIES);
	tt_mem_free(mem, c->sent, c->nsent);
	tt_mem_free(mem, c->entry, c->capentry * sizeof *c->entry);
	tt_mem_free(mem, c->thread, c->capthread * sizeof *c->thread);
	tt_mem_free(mem, c->counter, c->capcounter * sizeof *c->counter);
	tt_map_free(&c->counters, mem);
	tt_arena_free(&c->text);
	tt_flow_free(&c->flows, mem);
	tt_pf_stacks_free(c);
	tt_slices_free(&c->slices);
	tt_text_spool_free(&c->args);
	tt_buf_free(&c->names);
	tt_buf_free(&c->scratch);
	tt_buf_free(&c->more);
}

/* --- on the way ----------------------------------------------------------------------- */

/* Write the descriptions of the ${n} numbers at ${p} that were not written yet. */
static int
send_all(struct perfetto *c, const char *p, uint64_t n, struct tt_err *err)
{
	int rc = TT_OK;

	c->scratch.n = 0;
	for (; n > 0 && rc == TT_OK; n--, p += sizeof(uint64_t)) {
		uint64_t use;

		memcpy(&use, p, sizeof use);
		rc = tt_pf_send(c, use, &c->scratch, err);
	}
	return rc == TT_OK ? tt_pf_write(c, &c->scratch, err) : rc;
}

static int
perfetto_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct perfetto *c = state;
	int rc = tt_flow_zones(&c->flows, v, &c->process[v->cap->process], &c->more, &c->e.env->mem, err);

	for (const char *end = p + n; p < end && rc == TT_OK;) {
		struct pf_frame f;

		memcpy(&f, p, sizeof f);
		p += sizeof f;
		const char *uses = p + f.zones * sizeof(struct tt_slice) + f.stamps + f.text;
		rc = send_all(c, uses, f.uses, err);
		if (rc == TT_OK && f.zones)
			rc = tt_slices_add(&c->slices, v->thread, p, (size_t)f.zones, &c->args, err);
		else if (rc == TT_OK && f.stamps)
			rc = tt_sink_write_stamps(c->sink, p, (size_t)f.stamps, err);
		if (rc == TT_OK && f.text && !f.zones)
			rc = tt_sink_write(c->sink, p + f.stamps, (size_t)f.text, err);
		p = uses + f.uses * sizeof(uint64_t);
		if (rc == TT_OK && f.opened) {
			struct pf_thread *row = tt_pf_thread_at(c, v->thread->index, err);

			if (!row)
				return TT_E_NOMEM;
			row->open += f.opened;
		}
	}
	return rc;
}

/* --- the end -------------------------------------------------------------------------- */

static int
perfetto_finish(void *state, struct tt_err *err)
{
	struct perfetto *c = state;
	uint64_t unwritten, deeper;
	int rc = tt_pf_flows(c, err);

	if (rc == TT_OK && c->late)
		rc = tt_pf_aside_finish(c, err);
	unwritten = atomic_load_explicit(c->unwritten, memory_order_relaxed);
	if (unwritten)
		tt_loss_add(c->e.m->loss, TT_LOST_VALUES, unwritten, 0, TT_NOWHERE);
	deeper = atomic_load_explicit(c->deeper, memory_order_relaxed);
	if (deeper)
		tt_log(c->e.env, TT_LOG_NORMAL, "perfetto: %" PRIu64 " zones deeper than %d are left out: viewers would end the zones around them too early",
		    deeper, PF_DEEPEST);
	TT_THEN(rc, tt_pf_rename_threads(c, err));
	return rc == TT_OK ? tt_pf_tail(c, err) : rc;
}

static const char *const suffixes[] = { ".pftrace", ".perfetto-trace", NULL };

static const struct tt_option options[] = {
	TT_OPTION_BLOBS(offsetof(struct perfetto_own, blobs)),
	{ .name = "plain-packets", .at = offsetof(struct perfetto_own, plain), .help = "write packets as they are, not compressed" },
	{ .name = NULL },
};

const struct tt_emit tt_emit_perfetto = {
	.name = "perfetto",
	.summary = "Perfetto's native format, of any size",
	.suffix = suffixes,
	.ledger = true,
	.binary = true,
	.viewed = true,
	.option = options,
	.own = sizeof(struct perfetto_own),
	.state = sizeof(struct perfetto),
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_FRAMES | TT_NEEDS_APART,
	.begin = perfetto_begin,
	.chunk = tt_pf_chunk,
	.rare = tt_pf_rare,
	.write = perfetto_write,
	.finish = perfetto_finish,
	.end = perfetto_end,
};
