/**
 * The .ttc reader that the registry lists: opens and closes a file, reads its head, and hands out its chunks in order.
 */
#include "ttc/ttc.h"

#include <stdio.h>

#include "base/clock_ratio.h"
#include "base/extract_bits.h"
#include "ttc/crc32c.h"
#include "producers/mono_records.h"
#include "producers/mono.h"
#include "producers/unity.h"

static int
probe(const uint8_t *head, size_t n)
{
	if (n >= 8 && memcmp(head, TTC_MAGIC, 8) == 0)
		return 100;
	/* Compare only the first letters of the magic: a transfer in text mode may have changed the others. */
	return n >= 4 && memcmp(head, TTC_MAGIC, 4) == 0 ? 60 : 0;
}

/* True for a flight recording: its spans with all threads are known only after it has been read. */
static bool
tells_late(const uint8_t *p, size_t n)
{
	struct ttc_head h;

	if (n < sizeof h)
		return false;
	memcpy(&h, p, sizeof h);
	return (h.flags & TTC_H_LAST) != 0;
}

/* --- the clock ------------------------------------------------------------------------------------ */

static int
set_ratio(struct ttc *m, struct tt_err *err)
{
	const struct ttc_head *h = &m->head;

	if (!tt_clock_ratio(h->num, h->den, &m->mult, &m->shift))
		return tt_fail(err, TT_E_DAMAGED, 48, "the clock's ratio %llu/%llu makes no sense", (unsigned long long)h->num,
		    (unsigned long long)h->den);
	return TT_OK;
}

/* --- the file's head ---------------------------------------------------------------------------------- */

static int
read_head(struct ttc *m, struct tt_err *err)
{
	struct tt_capture *cap = m->cap;
	struct ttc_head *h = &m->head;
	const uint8_t *p;
	uint8_t *copy;
	char version[120];
	size_t n, at = sizeof *h, size;
	int rc = tt_window_show(&m->win, 0, TTC_HEAD_LIMIT, &p, &n, err);

	if (rc != TT_OK)
		return rc;
	if (n < sizeof *h)
		return tt_fail(err, TT_E_DAMAGED, n, "the file ends after %zu bytes, inside its header", n);
	if (memcmp(p, TTC_MAGIC, 8) != 0)
		return tt_fail(err, memcmp(p, TTC_MAGIC, 4) == 0 ? TT_E_DAMAGED : TT_E_UNKNOWN, 0,
		    "the capture's magic is damaged (a transfer in text mode changes line ends): copy it again in binary mode");
	memcpy(h, p, sizeof *h);
	if (h->major != TTC_MAJOR)
		return tt_fail(err, TT_E_UNKNOWN, 8,
		    "capture version %u.%u is %s: this tracetool reads version %d", h->major, h->minor,
		    h->major > TTC_MAJOR ? "too new" : "too old", TTC_MAJOR);
	size = h->size;
	if (size < sizeof *h || size > TTC_HEAD_LIMIT || size > n)
		return tt_fail(err, TT_E_DAMAGED, 12, "the header claims %zu bytes; %zu are there: %s", size, n,
		    size > n && size <= TTC_HEAD_LIMIT ? "the file is cut, copy it again" : "it is damaged, copy the file again");
	copy = tt_arena_alloc(&cap->arena, size + 1, err);
	if (!copy)
		return err->code;
	memcpy(copy, p, size);
	memset(copy + 16, 0, 4);
	if (tt_crc32c(0, copy, size) != h->crc)
		return tt_fail(err, TT_E_DAMAGED, 16, "the header's checksum is wrong");
	for (int i = 0; i < TTC_TEXTS; i++) {
		m->text[i] = at < size ? (const char *)copy + at : "";
		at += at < size ? strlen(m->text[i]) + 1 : 0;
	}
	memcpy(&m->run32, h->run, 4);
	m->first = size;
	m->rate = (struct ttc_rate){ .ns = h->mono_ns };
	if ((rc = set_ratio(m, err)) != TT_OK)
		return rc;
	snprintf(version, sizeof version, "version %u.%u%s", h->major, h->minor,
	    h->minor > TTC_MINOR ? " (newer than this tracetool: what it does not know is skipped)" : "");
	cap->version = tt_arena_text(&cap->arena, version, strlen(version), err);
	return cap->version ? TT_OK : err->code;
}

static void
close_(void *ctx)
{
	struct ttc *m = ctx;

	if (!m)
		return;
	ttc_free_who(m);
	ttc_free_made(m);
	tt_mem_free(&m->env->mem, m->made, m->capmade * sizeof *m->made);
	tt_mem_free(&m->env->mem, m->unit, m->capunit * sizeof *m->unit);
	tt_mem_free(&m->env->mem, m->dump, m->capdump * sizeof *m->dump);
	tt_window_free(&m->win);
	if (m->ring)
		tt_src_close(m->ring);
	tt_mem_free(&m->env->mem, m, sizeof *m);
}

/* True if surely no thread marked a frame: a complete capture lists each thread that does. */
static bool
marks_nothing(const struct ttc *m)
{
	bool marks = false;

	for (size_t i = 0; i < m->nwho; i++)
		marks = marks || m->who[i].marks_frames;
	return m->indexed && m->head.flags & TTC_H_FRAMES_TOLD && m->finish == 1 + TTC_F_CLEAN && !m->found.any && !marks;
}

static const char *const clock_name[] = {
	[TTC_CLOCK_SYSTEM] = "system", [TTC_CLOCK_TSC] = "tsc", [TTC_CLOCK_CNTVCT] = "cntvct", [TTC_CLOCK_QPC] = "qpc",
};

static int
open_(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, void **ctx, struct tt_err *err)
{
	struct ttc *m = tt_mem_alloc(&env->mem, sizeof *m, err);
	int rc;

	if (!m)
		return err->code;
	tt_crc32c_init();
	m->extracts_bits = tt_can_extract_bits();
	m->first_file = m->present_file = m;
	ttc_fill_forms(m);
	m->env = env;
	m->src = src;
	tt_window_init(&m->win, env, src);
	m->cap = cap;
	tt_loss_reset(&m->found);
	rc = read_head(m, err);
	if (rc == TT_OK) {
		m->at = m->first;
		rc = tt_src_info(src)->seekable ? ttc_index(m, err) : ttc_ring_open(m, err);
	}
	if (rc == TT_OK && m->indexed) {
		ttc_rate_set(&m->rate, &m->head);
		rc = set_ratio(m, err);
	}
	TT_THEN(rc, ttc_set_covered_spans(m, err));
	if (rc != TT_OK) {
		close_(m);
		return rc;
	}
	cap->pointer_size = m->head.pointer;
	cap->pid = (int64_t)m->head.pid;
	cap->wall_ns = m->head.wall_ns <= INT64_MAX ? (int64_t)m->head.wall_ns : 0;
	cap->zero_ns = cap->start_ns = (int64_t)m->head.mono_ns;
	cap->has_frames = !(m->head.flags & TTC_H_NO_FRAMES) && !marks_nothing(m);
	cap->distorts = (m->head.flags & TTC_H_DISTORTS) != 0;
	if (!cap->end_mark)
		cap->end_mark = -1;
	cap->producer = m->text[TTC_T_PRODUCER];
	cap->os = m->text[TTC_T_OS];
	cap->arch = m->text[TTC_T_ARCH];
	if (m->head.clock < sizeof clock_name / sizeof *clock_name)
		cap->clock = clock_name[m->head.clock];
	cap->args = m->text[TTC_T_ARGS];
	/* Options that were not on the command line are recorded as a fact. Unity always reports both kinds. */
	m->mono = mono_made(cap->producer);
	if (!m->mono)
		cap->records = TT_REC_ALLOCS | TT_REC_COLLECTIONS;
	else if (!tt_capture_meta_get(cap, MONO_RECORDS))
		cap->records = mono_module_option_records(cap->args);
	if (m->mono)
		cap->advice = mono_module_advice;
	cap->hides_throws = m->mono;
	memcpy(cap->recording, m->head.run, sizeof cap->recording);
	cap->part = m->head.part;
	cap->part_last = ttc_last_part(m);
	cap->category = ttc_category;
	cap->timing = ttc_timing;
	cap->arg_names = ttc_arg_names;
	if (!m->mono) {
		cap->marker_facts = ttc_marker_facts;
		cap->editor = ttc_of_editor;
		cap->category_rgba = unity_category_rgba;
	}
	cap->tally_name = ttc_tag_name;
	*ctx = m;
	return TT_OK;
}

/**
 * Say by how much times of a pipe differ from those that the same bytes have as a file: in order, the instants that tell the clock's rate better come after
 * times were made by the head's. A compressed capture has these times as a file, too.
 */
static void
tell_rate(struct ttc *m)
{
	const struct tt_src_info *in = tt_src_info(m->src);
	const struct ttc_head *h = &m->head;
	struct ttc_head whole = *h;

	ttc_rate_set(&m->rate, &whole);

	const double by = 1e6 * ((double)h->num / (double)h->den * ((double)whole.den / (double)whole.num) - 1);
	if (m->rate_told || in->raw_size != UINT64_MAX || in->coding != TT_CODING_NONE || (by > -0.0005 && by < 0.0005))
		return;
	m->rate_told = true;
	tt_log(m->env, TT_LOG_NORMAL, "%s: its times are %.3f in a million %s than those of its file: what tells its clock's rate better is at its end, "
	    "too late in a pipe", m->cap->path, by < 0 ? -by : by, by < 0 ? "shorter" : "longer");
}

/* --- chunks --------------------------------------------------------------------------------------------- */

/* Find the next unit in order, checked against its thread. Skipped units are reported and passed over. TT_END: no more units. */
static int
step(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	int rc;

	if (!m->indexed && !m->closed) {
		rc = ttc_next_unit(m, u, loss, err);
		if (rc != TT_END)
			return rc == TT_OK && u->thread != 0 ? ttc_enter_unit(m, u, loss, err) : rc;
		if (m->win.end_err.code == TT_E_DAMAGED)
			tt_loss_add(loss, TT_LOST_CODING, 1, 0, m->win.end_err.at);
		m->closed = true;
		tell_rate(m);
		if ((rc = ttc_end_file(m, loss, err)) != TT_OK || (rc = ttc_set_covered_spans(m, err)) != TT_OK)
			return rc;
	}
	if (m->next >= m->nunit)
		return TT_END;
	*u = m->unit[m->next++];
	return TT_OK;
}

/* Load ${u}, a unit of ${w}. TT_END: it is damaged, which is counted, or has nothing to decode. */
static int
load(struct ttc *m, const struct ttc_unit *u, struct ttc_who *w, struct tt_chunk *c, struct tt_err *err)
{
	bool defines = true, in_ring = u->source == TTC_IN_RING;
	int rc = ttc_load(m, u, &c->bytes, &c->cap, err);

	if (rc == TT_E_DAMAGED) {
		/* A program that still runs has reused the chunk's place in the ring, or filled it further. */
		tt_loss_add(&c->loss, !in_ring ? TT_LOST_DAMAGED : m->is_ring_live ? TT_LOST_OVERTAKEN : TT_LOST_CHANGED, 1, TTC_CHUNK_HEAD + (uint64_t)u->len,
		    in_ring ? TT_NOWHERE : u->at);
		w->has_gap = true;
		return TT_END;
	}
	w->has_gap = false;
	if (rc == TT_OK && u->thread == 0 && !m->indexed && u->source == TTC_IN_FILE)
		rc = ttc_read_own_chunk(m, c->bytes, u, &defines, &c->loss, err);
	return rc != TT_OK || defines ? rc : TT_END;
}

/* Find the next chunk of one file. */
static int
next_of(struct ttc *m, struct tt_chunk *c, struct tt_err *err)
{
	struct ttc_unit u;
	int rc;

	if (!m->found_given)
		tt_loss_join(&c->loss, &m->found);
	m->found_given = true;
	while ((rc = step(m, &u, &c->loss, err)) == TT_OK) {
		if (u.flags & (TTC_U_SKIP | TTC_U_QUIET) || (u.flags & TTC_U_MIDDLE && m->first_file->cap->skim))
			continue;
		struct ttc_who *w = ttc_who(m, u.thread, err);
		if (!w)
			return err->code;
		uint64_t tid = u.thread ? w->native_id : m->head.thread;
		bool gap = u.thread && w->has_gap;
		if ((rc = load(m, &u, w, c, err)) == TT_END)
			continue;
		if (rc != TT_OK)
			return rc;
		c->seq = m->first_file->seq++;
		c->at = u.source == TTC_IN_FILE ? u.at : m->at;
		c->len = TTC_CHUNK_HEAD + (uint64_t)u.len;
		c->tid = tid;
		c->loaded = true;
		c->state[0] = u.flags | (gap ? TTC_U_GAP : 0u);
		return TT_OK;
	}
	return rc;
}

static int
next(void *ctx, struct tt_chunk *c, struct tt_err *err)
{
	struct ttc *lead = ctx;
	int rc;

	tt_loss_reset(&c->loss);
	while ((rc = next_of(lead->present_file, c, err)) == TT_END && lead->present_file->next_file) {
		if ((rc = ttc_next_file(lead->present_file, &c->loss, err)) != TT_OK)
			return rc;
		lead->nbefore += lead->present_file->at;
		lead->present_file = lead->present_file->next_file;
	}
	c->before = lead->nbefore;
	if (rc == TT_END) {
		lead->cap->stopped_at = lead->nbefore + lead->present_file->at;
		lead->cap->end_mark = lead->present_file->cap->end_mark;
		lead->cap->ring = lead->present_file->cap->ring;
		lead->cap->all_recorded = lead->present_file->cap->all_recorded;
		lead->cap->is_running = lead->present_file->cap->is_running;
		lead->cap->more_follow = lead->present_file->cap->more_follow;
		lead->cap->part_last = ttc_last_part(lead->present_file);
	}
	if (rc < 0 && lead->present_file != lead)
		tt_err_in(err, "%s", lead->present_file->cap->path);
	return rc;
}

static void
rewind_one(struct ttc *m)
{
	m->next = 0;
	m->seq = 0;
	m->found_given = false;
	if (m->indexed) {
		for (size_t i = 0; i < m->nwho; i++)
			m->who[i].has_gap = false;
		return;
	}
	/* On input that cannot seek, everything is found again. */
	ttc_free_who(m);
	ttc_free_made(m);
	m->has_ring = m->is_ring_live = false;
	m->nunit = m->ndump = 0;
	m->at = m->first;
	m->zero_seen = m->closed = false;
	m->finish = 0;
	m->nlate = m->cut_b = 0;
	tt_window_rewind(&m->win);
}

static int
rewind_(void *ctx, struct tt_err *err)
{
	struct ttc *lead = ctx;

	(void)err;
	lead->present_file = lead;
	lead->nbefore = 0;
	for (struct ttc *m = lead; m; m = m->next_file)
		rewind_one(m);
	return TT_OK;
}

static int
decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	return ttc_decode(ctx, c, b, err);
}

static const struct tt_loss_words said[TT_LOST_KINDS] = {
	[TT_LOST_POPPED] = { .advice = "After exceptions (Mono) their times are upper bounds; in Unity no end of them was recorded on their thread, or only "
	    "after a pause or a loss (table spanning_zones)." },
};

const struct tt_format tt_format_ttc = {
	.name = "capture",
	.summary = "captures of tracetool's own recorders",
	.suffix = ".ttc",
	.loss_words = said,
	.may_have_frames = true,
	.probe = probe,
	.needs_whole_input = tells_late,
	.open = open_,
	.next = next,
	.rewind = rewind_,
	.append = ttc_append,
	.decode = decode,
	.close = close_,
};
