/**
 * Makes a model by hand for tests of emitters.
 */
#include "emit_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/sink.h"
#include "model/defs.h"

static void
need(int rc, const struct tt_err *err, const char *what)
{
	if (rc == TT_OK)
		return;
	fprintf(stderr, "emit_kit: %s: %s\n", what, err->msg);
	abort();
}

static void
keep_line(void *arg, enum tt_log_level level, const char *line)
{
	struct kit *k = arg;

	(void)level;
	tt_buf_printf(&k->log, "%s\n", line);
	need(tt_buf_error(&k->log, NULL), &(struct tt_err){ .msg = "" }, "log");
}

static int
open_file(void *arg, const char *path, struct tt_sink **sink, struct tt_err *err)
{
	struct kit *k = arg;
	int rc;

	if (k->nfile == KIT_FILES)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "too many files for the test");
	rc = tt_sink_open_mem(&k->env, sink, err);
	k->sink[k->nfile] = *sink;
	k->path[k->nfile++] = strdup(path);
	return rc;
}

void
kit_init(struct kit *k)
{
	static const char *const paths[] = { "dir/test.mlpd", "second.mlpd" };
	struct tt_err err = { 0 };

	memset(k, 0, sizeof *k);
	k->env = (struct tt_env){ .loss = &k->loss, .jobs = 1, .log_level = TT_LOG_NORMAL, .log = keep_line, .log_arg = k,
		.spool_max = UINT64_MAX };
	k->m = (struct tt_model){ .env = &k->env, .cap = k->caps, .ncap = 1, .loss = &k->loss };
	tt_filter_init(&k->m.filter);
	tt_arena_init(&k->m.arena, &k->env.mem);
	tt_threads_init(&k->m.threads, &k->env.mem);
	need(tt_tree_new(&k->env.mem, 100000, &k->m.tree, &err), &err, "tree");
	need(tt_counts_new(&k->env.mem, &k->m.counts, &err), &err, "counts");
	for (uint32_t i = 0; i < 2; i++) {
		k->caps[i] = &k->cap[i];
		k->cap[i] = (struct tt_capture){ .path = paths[i], .format = "mono", .version = "data version 17",
			.producer = "Mono log profiler", .arch = "", .os = "", .args = "", .process = i };
		tt_arena_init(&k->cap[i].arena, &k->env.mem);
		need(tt_defs_new(&k->env.mem, &k->cap[i].defs, &err), &err, "defs");
	}
	tt_batch_init(&k->batch, &k->env.mem, TT_NEEDS_ARGS);
	k->o = (struct tt_emit_opts){ .env = &k->env, .path = "out.json", .generator = "tracetool test",
		.open = open_file, .open_arg = k };
	k->names = TT_NAMES_FULL;
}

void
kit_free(struct kit *k)
{
	tt_emit_end(k->state);
	if (k->m.frames)
		tt_frames_empty(k->m.frames);
	for (size_t i = 0; i < k->nfile; i++)
		free(k->path[i]);
	tt_batch_free(&k->batch);
	tt_tree_free(k->m.tree);
	tt_counts_free(k->m.counts);
	tt_threads_free(&k->m.threads);
	for (size_t i = 0; i < 2; i++) {
		tt_defs_free(k->cap[i].defs);
		tt_arena_free(&k->cap[i].arena);
	}
	tt_arena_free(&k->m.arena);
	tt_buf_free(&k->log);
}

/* --- what the model holds -------------------------------------------------- */

void
kit_def(struct kit *k, uint32_t process, const struct tt_def *d)
{
	struct tt_err err = { 0 };

	need(tt_defs_add(k->cap[process].defs, d, &err), &err, "definition");
}

void
kit_marker(struct kit *k, uint64_t key, const char *name)
{
	kit_def(k, 0, &(struct tt_def){ .kind = TT_DEF_MARKER, .key = key, .text = name, .len = (uint32_t)strlen(name) });
}

void
kit_class(struct kit *k, uint64_t key, const char *name)
{
	kit_def(k, 0, &(struct tt_def){ .kind = TT_DEF_CLASS, .key = key, .text = name, .len = (uint32_t)strlen(name) });
}

struct tt_thread *
kit_thread(struct kit *k, uint32_t process, uint64_t tid, const char *name)
{
	struct tt_thread *t;
	struct tt_err err = { 0 };
	struct tt_def d = { .kind = TT_DEF_THREAD, .key = tid, .text = name, .len = (uint32_t)strlen(name) };

	kit_def(k, process, &d);
	need(tt_threads_get(&k->m.threads, process, tid, false, &t, &err), &err, "thread");
	return t;
}

uint32_t
kit_node(struct kit *k, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint64_t n, int64_t total, int64_t self)
{
	struct tt_err err = { 0 };
	struct tt_count *c;
	uint32_t node;

	need(tt_tree_add(k->m.tree, parent, kind, key, 0, &node, &err), &err, "node");
	c = tt_counts_at(k->m.counts, node, &err);
	need(c ? TT_OK : err.code, &err, "count");
	*c = (struct tt_count){ .n = n, .total = total, .self = self };
	return node;
}

/* --- the batch -------------------------------------------------------------- */

struct tt_event *
kit_event(struct kit *k, enum tt_kind kind, int64_t ts, uint64_t val)
{
	struct tt_err err = { 0 };
	struct tt_event *e;

	need(tt_batch_room(&k->batch, 4, &err), &err, "event");
	e = tt_batch_rare(&k->batch, kind, ts, val, &err);
	need(e ? TT_OK : err.code, &err, "event");
	tt_batch_time(&k->batch, ts);
	return e;
}

void
kit_text_arg(struct kit *k, const char *s, size_t n)
{
	struct tt_err err = { 0 };
	size_t at = k->batch.text.n;

	tt_buf_add(&k->batch.text, s, n);
	need(tt_buf_error(&k->batch.text, &err), &err, "text");
	need(tt_batch_room(&k->batch, 1, &err), &err, "argument");
	k->batch.ev[k->batch.n++] = (struct tt_event){ .kind = TT_ARG, .val = at, .dur = (uint32_t)n, .depth = TT_T_TEXT };
}

void
kit_alloc(struct kit *k, int64_t ts, uint64_t class, uint64_t bytes)
{
	struct tt_err err = { 0 };
	struct tt_batch *b = &k->batch;
	bool wide = bytes > UINT32_MAX;

	need(tt_batch_room(b, 2, &err), &err, "allocation");
	b->ev[b->n++] = (struct tt_event){ .kind = TT_ALLOC, .ts = ts, .val = class,
		.dur = wide ? UINT32_MAX : (uint32_t)bytes, .flags = wide ? TT_F_WIDE | TT_F_MORE : 0 };
	if (wide)
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	b->nalloc++;
	b->alloc_b += bytes;
	tt_batch_time(b, ts);
}

/* --- the run ----------------------------------------------------------------- */

void
kit_begin(struct kit *k, const char *emit)
{
	struct tt_err err = { 0 };

	k->emit = tt_emit_named(emit);
	k->o.own = strcmp(emit, "chrome") == 0 ? (void *)&k->chrome : strcmp(emit, "csv") == 0 ? &k->csv : NULL;
	need(tt_model_resolve(&k->m, k->names, &err), &err, "names");
	need(tt_emit_begin(k->emit, &k->o, &k->m, &k->state, &err), &err, "begin");
}

void
kit_chunk(struct kit *k, const struct tt_thread *t, const struct tt_slice *s, size_t n)
{
	struct tt_err err = { 0 };
	struct tt_view v = { .m = &k->m, .cap = &k->cap[t->process], .thread = t, .b = &k->batch, .slice = s, .nslice = n,
		.alloc_before = t->alloc_b };
	struct tt_thread *own = k->m.threads.t[t->index];
	struct tt_buf out = { 0 };

	for (size_t i = 0; i < n; i++) {
		tt_batch_time(&k->batch, s[i].ts);
		tt_batch_time(&k->batch, (int64_t)((uint64_t)s[i].ts + (uint64_t)s[i].dur));
	}
	need(k->emit->chunk(k->state, &v, &out, &err), &err, "chunk");
	if (k->emit->rare && k->batch.nrare)
		need(k->emit->rare(k->state, &v, &out, &err), &err, "rare");
	if (out.n)
		need(k->emit->write(k->state, &v, out.p, out.n, &err), &err, "write");
	own->alloc_b += k->batch.alloc_b;
	own->nalloc += k->batch.nalloc;
	tt_buf_free(&out);
	tt_batch_reset(&k->batch);
}

const char *
kit_file(struct kit *k, size_t i, size_t *n)
{
	struct tt_err err = { 0 };
	size_t have;

	tt_sink_mem_data(k->sink[i], &have);
	/* The sink is at its end: a NUL more makes a C string of it. */
	need(tt_sink_write(k->sink[i], "", 1, &err), &err, "end");
	if (n)
		*n = have;
	return tt_sink_mem_data(k->sink[i], &have);
}

const char *
kit_finish(struct kit *k, size_t *n)
{
	struct tt_err err = { 0 };

	need(tt_model_resolve(&k->m, k->names, &err), &err, "names");
	need(k->emit->finish(k->state, &err), &err, "finish");
	return kit_file(k, 0, n);
}

/* --- from bytes ---------------------------------------------------------------- */

struct bytes { const uint8_t *p, *end; };

static uint64_t
take(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n && b->p < b->end; i++)
		v |= (uint64_t)*b->p++ << 8 * i;
	return v;
}

/* A number that is mostly small and sometimes extreme. */
static uint64_t
take_number(struct bytes *b)
{
	static const unsigned width[] = { 1, 1, 1, 2, 2, 3, 4, 8 };

	return take(b, width[take(b, 1) & 7]);
}

static const char *
take_text(struct bytes *b, size_t *n)
{
	const char *s = (const char *)b->p;
	size_t left = (size_t)(b->end - b->p);

	*n = (size_t)take(b, 1) % 24;
	left = (size_t)(b->end - b->p);
	s = (const char *)b->p;
	if (*n > left)
		*n = left;
	b->p += *n;
	return *n ? s : "";
}

static void
fuzz_names(struct kit *k, struct bytes *b)
{
	static const enum tt_def_kind kinds[] = { TT_DEF_MARKER, TT_DEF_CLASS, TT_DEF_COUNTER, TT_DEF_DOMAIN };
	unsigned n = (unsigned)take(b, 1) % 16;

	for (unsigned i = 0; i < n; i++) {
		struct tt_def d = { .kind = (uint8_t)kinds[i % 4], .key = i / 2 };
		size_t len;

		/* One after the other: every compiler must make the same of a file. */
		d.text = take_text(b, &len);
		d.len = (uint32_t)len;
		d.text2 = take_text(b, &len);
		d.len2 = (uint32_t)len;
		d.a = take(b, 1);
		d.b = take(b, 1);
		kit_def(k, 0, &d);
	}
}

/* Is a node part of the stacks of samples? Nothing is allocated there. */
static bool
in_samples(const struct kit *k, uint32_t node)
{
	for (; node; node = tt_tree_node(k->m.tree, node)->parent)
		if (tt_tree_node(k->m.tree, node)->kind == TT_NODE_SAMPLES)
			return true;
	return false;
}

static void
fuzz_tree(struct kit *k, struct bytes *b)
{
	unsigned n = (unsigned)take(b, 1) % 64;

	for (unsigned i = 0; i < n; i++) {
		uint32_t parent = (uint32_t)(take(b, 1) % tt_tree_count(k->m.tree));
		uint32_t kind = (uint32_t)(take(b, 1) % 5);
		uint64_t key, count, total;

		/* Roots stand at the top, allocations at the bottom. */
		if (tt_tree_node(k->m.tree, parent)->kind == TT_NODE_ALLOC || kind >= TT_NODE_THREAD)
			parent = 0;
		if (parent == 0 && kind < TT_NODE_THREAD)
			kind = TT_NODE_THREAD + kind % 3;
		if (kind == TT_NODE_ALLOC && in_samples(k, parent))
			kind = TT_NODE_ZONE;
		key = take(b, 1) % (parent == 0 ? 3 : 8);
		count = take_number(b);
		total = take_number(b);
		kit_node(k, parent, (enum tt_node_kind)kind, key, count, (int64_t)total, (int64_t)take_number(b));
	}
}

enum { THREADS = 3 };         /* of a fuzzed model; the last one is of the second process, if there is one */

static void
fuzz_event(struct kit *k, struct bytes *b, int64_t ts)
{
	enum tt_kind kind = (enum tt_kind)(TT_SAMPLE + take(b, 1) % (TT_KINDS - TT_SAMPLE));
	uint64_t flags = take(b, 1), words;
	struct tt_event *e = kit_event(k, kind, ts, take_number(b));
	struct tt_err err = { 0 };
	size_t n;
	const char *s;

	e->dur = (uint32_t)take(b, 1);
	e->depth = (uint16_t)(take(b, 1) % 6);
	e->flags = (uint8_t)(flags & 0xc0);
	if (flags & 1) {
		need(tt_batch_words(&k->batch, 2, &words, &err), &err, "words");
		k->batch.word[words] = take(b, 1);
		k->batch.word[words + 1] = take(b, 1);
		need(tt_batch_room(&k->batch, 1, &err), &err, "ext");
		/* The run gives each sample the index of a thread that is there. */
		k->batch.ev[k->batch.n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)(take(b, 1) % THREADS), .val = words,
			.dur = 2 };
	}
	if (flags & 2) {
		s = take_text(b, &n);
		kit_text_arg(k, s, n);
	}
	if (flags & 4) {
		need(tt_batch_room(&k->batch, 1, &err), &err, "argument");
		words = take(b, 8);
		k->batch.ev[k->batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = (uint16_t)(take(b, 1) % 7),
			.val = words };
	}
}

/* Zones that nest, as the pipeline gives them, or with bit 0 of ${how} any zones at all. */
static size_t
fuzz_zones(struct bytes *b, struct tt_slice *s, size_t max, int64_t ts, uint64_t how)
{
	size_t n = (size_t)take(b, 1) % max;
	int64_t end = ts;

	for (size_t i = 0; i < n; i++) {
		uint64_t dur = take_number(b), depth = take(b, 1) % 8, gap = take(b, 1);

		if (how & 1) {
			s[i] = (struct tt_slice){ .dur = (int64_t)dur, .depth = (uint32_t)depth, .flags = (uint32_t)gap };
			s[i].ts = (int64_t)take_number(b);
			/* Databases take this number for none, and no reader has such a time. */
			s[i].ts += s[i].ts == INT64_MIN;
			s[i].dur += s[i].dur == INT64_MIN;
			s[i].key = take(b, 1) % 10;
			continue;
		}
		s[i] = (struct tt_slice){ .ts = end + (int64_t)gap, .dur = (int64_t)(dur & 0xffffffff), .key = depth };
		end = s[i].ts + s[i].dur;
	}
	return n;
}

/* Three frames from ${ts} on in each process, with time between the second and the third. */
static void
fuzz_frames(struct kit *k, int64_t ts)
{
	static const char *const any[] = { "*", NULL };
	static struct tt_frame_range of[2];
	static struct tt_frames f;
	struct tt_err err;

	f = (struct tt_frames){ .mem = &k->env.mem, .range = of, .nrange = 2 };
	for (size_t i = 0; i < 6; i++) {
		const int64_t start = ts / 4 + (int64_t[]){ 0, 100, 5000 }[i % 3];
		if (tt_frames_add(&f, &(struct tt_frame){ start, (int64_t[]){ 100, 900, 60000 }[i % 3], i % 3 + 1, 0 }, &err) != TT_OK)
			abort();
		of[i / 3] = (struct tt_frame_range){ .process = (uint32_t)(i / 3), .thread = i < 3 ? 0 : 2, .first = i / 3 * 3, .end = i / 3 * 3 + 3 };
	}
	k->m.frames = &f;
	k->m.filter.marker = any;
	k->env.spool_memory = k->env.spool_max = 1 << 30;
}

void
kit_fuzz(struct kit *k, const char *emit, const uint8_t *p, size_t n)
{
	struct bytes b = { p, p + n };
	uint64_t how = take(&b, 1);
	struct tt_slice slice[32];
	struct tt_thread *thread[THREADS];

	kit_init(k);
	if (how & 2)
		k->m.ncap = 2;
	k->chrome.begin_end = how & 4;
	k->chrome.split = how & 8 ? 2000 : 0;
	k->csv.sep = how & 16 ? ';' : 0;
	k->csv.safe = how & 32;
	k->names = how & 64 ? TT_NAMES_SHORT : TT_NAMES_FULL;
	k->m.filter.wrappers = how & 128;
	fuzz_names(k, &b);
	for (uint64_t i = 0; i < THREADS; i++) {
		char name[32] = "";
		size_t len;
		const char *s = take_text(&b, &len);

		memcpy(name, s, len);
		thread[i] = kit_thread(k, i == 2 && k->m.ncap == 2, i, name);
	}
	fuzz_tree(k, &b);
	k->m.min_ts = (int64_t)take_number(&b);
	k->m.max_ts = INT64_MAX;
	if (strcmp(emit, "pdata") == 0 || strcmp(emit, "perf-test") == 0 || strcmp(emit, "firefox") == 0)
		fuzz_frames(k, k->m.min_ts);
	kit_begin(k, emit);
	for (int64_t ts = k->m.min_ts; b.p < b.end && k->emit->chunk;) {
		uint64_t what = take(&b, 1);

		ts = (int64_t)((uint64_t)ts + take_number(&b));
		if (what & 1)
			fuzz_event(k, &b, ts);
		if (what & 2) {
			uint64_t class = take(&b, 1) % 10;

			kit_alloc(k, ts, class, take_number(&b));
		}
		if (what & 4)
			kit_chunk(k, thread[what >> 3 & 1], slice, fuzz_zones(&b, slice, 32, ts, how));
		else if (what & 8)
			kit_chunk(k, thread[2], NULL, 0);
	}
	kit_finish(k, NULL);
}
