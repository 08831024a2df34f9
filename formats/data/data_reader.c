/**
 * The reader that the registry lists: recognises files, refuses those that it cannot read, opens and closes them.
 */
#include "data/data.h"

#include <stdio.h>

/* Bytes in which the version is searched: those of a probe; or those of a longer first record, if the option says that the file is a .data. */
enum { HEAD_BYTES = 4096, MAX_FIRST_BYTES = 16 << 20 };

/* The meaning of a file's first bytes. */
struct found {
	bool big;                     /* written by a big-endian machine */
	bool empty;                   /* true: the file has only the end mark */
	bool old;                     /* before 2017.3 */
	uint32_t word;                /* the version */
};

static uint32_t
u32(const uint8_t *p, bool big)
{
	return big ? __builtin_bswap32(unity_u32(p)) : unity_u32(p);
}

/* Since 2017.3, a record begins with the version and its size. */
static bool
find_new(struct found *f, const uint8_t *p, size_t n, bool big)
{
	const uint32_t word = u32(p, big), size = n >= 8 ? u32(p + 4, big) : 0;
	const struct unity_version *v = unity_version(word);

	/* An unknown version, or one of the old family, needs more evidence than four bytes. */
	if (v && v->rank > 0 ? false : big || !unity_is_word(word) || size < DATA_SIZE_MIN || size > DATA_SIZE_MAX)
		return false;
	*f = (struct found){ .big = big, .word = word };
	return true;
}

/*
 * True if a record of either family begins at ${p}, with any version. Its end proves it: the end mark, followed by the next record of this version or by the
 * file's end. A record before 2017.3 also repeats the byte order and its version at its begin. Only little-endian records are found this way.
 */
static bool
find_by_marks(struct found *f, const uint8_t *p, size_t n)
{
	static const struct { uint8_t version, head; bool old; } form[] = { { 0, 12, false }, { 0, 28, false }, { 4, 16, true } };

	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		const size_t at = form[i].version;
		if (n < at + 8 || (form[i].old && unity_u32(p) != 1))
			continue;
		const uint32_t word = unity_u32(p + at);
		const size_t size = unity_u32(p + at + 4), end = form[i].head + size;
		if (size < DATA_SIZE_MIN || size > DATA_SIZE_MAX)
			continue;
		const bool again = form[i].old && n >= 24 && unity_u32(p + 16) == 1 && unity_u32(p + 20) == word;
		const bool ends = n >= end + 4 && unity_u32(p + end - 4) == DATA_MARK &&
		    (unity_u32(p + end) == DATA_END || (n >= end + at + 4 && unity_u32(p + end + at) == word));
		if (!again && !ends)
			continue;
		*f = (struct found){ .old = form[i].old, .word = word };
		return true;
	}
	return false;
}

/* Before 2017.3, a file begins with the byte order, 1 or 0. */
static bool
find_old(struct found *f, const uint8_t *p, size_t n)
{
	const bool big = unity_u32(p) == 0;

	if (n < 8 || (!big && unity_u32(p) != 1) || !unity_is_word(u32(p + 4, big)))
		return false;
	*f = (struct found){ .big = big, .old = true, .word = u32(p + 4, big) };
	return true;
}

static bool
find(struct found *f, const uint8_t *p, size_t n)
{
	*f = (struct found){ 0 };
	if (n < 4)
		return false;
	if (unity_u32(p) == DATA_END || u32(p, true) == DATA_END) {
		*f = (struct found){ .big = u32(p, true) == DATA_END, .empty = true };
		return true;
	}
	return find_by_marks(f, p, n) || find_old(f, p, n) || find_new(f, p, n, false) || find_new(f, p, n, true);
}

static int
probe(const uint8_t *head, size_t n)
{
	struct found f;

	if (!find(&f, head, n))
		return 0;
	return f.word && unity_version(f.word) && n >= 8 ? 90 : 60;
}

/* Name the release in a head, or else its version: "Unity 6000.3.9f1". */
static void
release_of(const struct found *f, const uint8_t *p, size_t n, char *text, size_t size)
{
	const struct unity_version *v = unity_version(f->word);
	char exact[64];

	text[0] = '\0';
	if (!f->old && f->word >= DATA_SAYS_RELEASE && n >= 28 && unity_release(p + 8, exact, sizeof exact))
		snprintf(text, size, "Unity %s", exact);
	else if (v)
		snprintf(text, size, "Unity %s", v->data);
}

/* Set the capture's version and the releases that write it. */
static int
describe(struct data *m, const struct found *f, const char *release, const uint8_t *p, size_t n, struct tt_err *err)
{
	struct tt_capture *cap = m->cap;
	char text[160];

	if (f->empty)
		snprintf(text, sizeof text, "without frames");
	else
		snprintf(text, sizeof text, "version 0x%08x, %s%s", f->word, release[0] ? release : "read like Unity ", release[0] ? "" : m->version->data);
	if (!(cap->version = tt_arena_text(&cap->arena, text, strlen(text), err)))
		return err->code;
	cap->fit.layout = f->empty ? NULL : m->version->data;
	cap->fit.part = "frame";
	cap->fit.message = "event";
	if (f->old || n < 28 || f->word < DATA_SAYS_RELEASE || !unity_release(p + 8, text, sizeof text))
		return TT_OK;
	return tt_capture_meta(cap, "unity_version", text, err);
}

/* Choose the layout, and refuse a file that no layout fits. */
static int
choose(struct data *m, const struct found *f, struct tt_err *err)
{
	struct unity_trial t;
	char release[80];
	const uint8_t *p;
	size_t n;
	int rc = data_choose(m, &t, err);

	TT_THEN(rc, data_choose_categories(m, err));
	m->cap->fit.unknown = !unity_version(f->word);
	m->poor = !unity_version(f->word) && unity_trial_is_poor(&t);
	TT_THEN(rc, tt_window_show(&m->win, 0, 28, &p, &n, err));
	if (rc != TT_OK)
		return rc;
	release_of(f, p, n, release, sizeof release);
	/* For an unknown version, four bytes and a size are not sufficient evidence. */
	if (t.parts == 0 && !unity_version(f->word))
		t = (struct unity_trial){ .parts = 1, .misfits = 1 };
	if ((rc = describe(m, f, release, p, n, err)) != TT_OK)
		return rc;
	return unity_settle_layout(m->env, tt_src_info(m->src)->name, f->word, f->old ? 4 : 0, ".data", unity_version(f->word) ? "" : release, m->version, "",
	    &t, &m->cap->fit.forced, err);
}

static int
open_head(struct data *m, struct tt_err *err)
{
	char release[80];
	struct found f;
	const uint8_t *p;
	size_t n;
	int rc = tt_window_show(&m->win, 0, HEAD_BYTES, &p, &n, err);

	if (rc == TT_OK && !find(&f, p, n))
		rc = tt_window_show(&m->win, 0, MAX_FIRST_BYTES, &p, &n, err);
	if (rc != TT_OK)
		return rc;
	if (!find(&f, p, n))
		return tt_fail(err, TT_E_UNKNOWN, 0, "no version of Unity's .data at the beginning");
	release_of(&f, p, n, release, sizeof release);
	if (f.big)
		return tt_fail(err, TT_E_UNKNOWN, 0, "big-endian files (.data%s%s) are not read", release[0] ? ", " : "",
		    release);
	m->version = f.empty || (f.old && !unity_version(f.word)) ? unity_version(DATA_55) : unity_candidate(f.word, false, 0);
	/* The form of a record's head decides its family, whatever its version. */
	if (!f.empty && f.old != (m->version->rank == 0))
		m->version = unity_version(f.old ? DATA_55 : DATA_FIRST);
	m->layout = (struct data_layout){ .word = f.word, .like = m->version->word, .rank = f.old ? 0 : m->version->rank,
		.head = f.old ? 16 : f.word >= DATA_SAYS_RELEASE ? 28 : 12 };
	m->built_in = m->version->categories;
	return f.empty ? describe(m, &f, release, p, n, err) : choose(m, &f, err);
}

static int
category(const struct tt_capture *cap, const struct tt_def *d, const char **name, struct tt_err *err)
{
	const struct data *m = cap->category_arg;

	(void)err;                    /* unused, but part of the interface */
	*name = unity_category_of(cap, d, m->built_in);
	return TT_OK;
}

static void
close_(void *ctx)
{
	struct data *m = ctx;
	struct tt_mem *mem;

	if (!m)
		return;
	mem = &m->env->mem;
	tt_mem_free(mem, m->stream, m->capstream * sizeof *m->stream);
	tt_mem_free(mem, m->part, m->cappart * sizeof *m->part);
	tt_mem_free(mem, m->defined, m->capdefined * sizeof *m->defined);
	tt_mem_free(mem, m->order, m->caporder * sizeof *m->order);
	data_roles_forget(m);
	tt_map_free(&m->at_stream, mem);
	tt_map_free(&m->holder, mem);
	tt_mem_free(mem, m->frame, m->capframe * sizeof *m->frame);
	tt_map_free(&m->at_frame, mem);
	unity_known_free(&m->known);
	tt_window_free(&m->win);
	tt_mem_free(mem, m, sizeof *m);
}

static int
open_(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, void **ctx, struct tt_err *err)
{
	struct data *m = tt_mem_alloc(&env->mem, sizeof *m, err);
	int rc;

	if (!m)
		return err->code;
	*m = (struct data){ .env = env, .src = src, .cap = cap, .marker = UNITY_MARKERS_NONE };
	tt_window_init(&m->win, env, src);
	tt_loss_reset(&m->loss);
	unity_known_init(&m->known, &env->mem);
	rc = open_head(m, err);
	TT_THEN(rc, data_find_zero(m, err));
	if (rc != TT_OK) {
		close_(m);
		return rc;
	}
	unity_capture(cap);
	cap->zero_ns = cap->start_ns = m->zero;
	cap->category = category;
	cap->category_arg = m;
	cap->tally_name = data_tag_name;
	*ctx = m;
	return TT_OK;
}

static int
rewind_(void *ctx, struct tt_err *err)
{
	struct data *m = ctx;

	(void)err;
	m->known.complete = m->read;
	m->nstream = 0;
	m->main = 0;
	memset(m->place, 0, sizeof m->place);
	tt_map_clear(&m->at_stream);
	tt_map_clear(&m->holder);
	tt_map_clear(&m->at_frame);
	m->nframe = 0;
	m->begin_checked = m->begins_late = m->whole = m->has_mask = false;
	data_roles_forget(m);
	m->nmaskless = 0;
	m->ndefined = 0;
	m->at = m->seq = 0;
	m->npart = m->norder = m->next = m->defines = 0;
	m->ended = m->end_seen = m->gap = false;
	m->record = m->id = m->cpu_us = m->njoined = m->nlater = m->nrooted = m->nunrooted = 0;
	m->start = m->busy = m->code = m->categories = 0;
	m->cap->fit.parts = m->cap->fit.samples = m->cap->fit.bytes = m->cap->fit.misfits = 0;
	tt_loss_reset(&m->loss);
	tt_window_rewind(&m->win);
	return TT_OK;
}

static const struct tt_loss_words said[TT_LOST_KINDS] = {
	[TT_LOST_CUT] = { .text = "ends inside a frame" },
	[TT_LOST_SYNC] = { .text = "bytes skipped to find the next frame" },
	[TT_LOST_DAMAGED] = { .text = "frames or threads of frames not fully decoded",
	    .advice = "What is damaged is left out; with a whole frame, so is the one before it." },
	[TT_LOST_NAMES] = { .advice = "The frames that define them are missing, or their number is damaged: shown as (unknown)." },
	[TT_LOST_PAUSED] = { .advice = "Frames before 2017.3 have no numbers that tell which. The frame before the place is left out." },
	[TT_LOST_DEFINITIONS] = { .text = "frames missing before the first one",
	    .advice = "Copy or save it again: they define markers, which are shown as (unknown)." },
	[TT_LOST_MISSING] = { .text = "frames missing, repeated or out of place",
	    .advice = "The frame before a missing one is left out; a repeated one was read once, one out of place not at all." },
};

const struct tt_format tt_format_data = {
	.name = "data",
	.summary = "captures saved by Unity's Editor, Unity 5.5 to 6000.5",
	.suffix = ".data",
	.loss_words = said,
	.may_have_frames = true,
	.numbers_frames = true,
	.probe = probe,
	.open = open_,
	.next = data_next,
	.prefetch = data_prefetch,
	.rewind = rewind_,
	.decode = data_decode,
	.close = close_,
	.scrub = data_scrub,
};
