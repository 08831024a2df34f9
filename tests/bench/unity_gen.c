/**
 * unity_gen raw|data FILE FRAMES ZONES: a capture of a game of 40 threads and 3,000 markers, as Unity's profiler (.raw) or its Editor (.data)
 * would write it. ZONES of a frame, in the mean; of them allocations, labels, objects, flows as games have them. The same numbers give the same
 * bytes; both forms have the same game. tests/unity/raw_gen.py and data_gen.py write all that the formats have, this one writes fast.
 *
 * Prints bytes, zones and frames.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 40, MARKERS = 3000, FIRST = 100, DEPTH = 24, BLOCK = 16348, MOST = 1 << 16, WORD = 0x20220328 };
/* Markers that mean something; the others are FIRST and up. */
enum { ALLOC = 1, LABEL, WAIT, PRESENT, IDLE, DRAWS, MEMORY, ROOTS = 20 };
enum kind { PLAIN, ALLOCATES, OBJECT, LABELS, FLOWS, COUNTS };

struct zone {
	uint64_t at, value;           /* ns */
	uint32_t marker, length, children, kind;
};

static struct thread {
	uint64_t id;
	char group[16], name[32];
	struct zone *zone;            /* of the frame, in the order of their begin */
	uint32_t n;
	uint32_t block;               /* .raw: number of the next one */
	uint8_t *to;                  /* its payload */
	size_t len;
} thread[THREADS];
static uint8_t defined[FIRST + MARKERS];
static uint64_t state = 88172645463325252u, zones;
static FILE *out;

static uint32_t
below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * n >> 32);
}

/* --- bytes ------------------------------------------------------------------------------ */

static struct bytes { uint8_t *p; size_t n, cap; } body, head;

static void
put(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			abort();
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put16(struct bytes *b, unsigned v) { put(b, &(uint16_t){ (uint16_t)v }, 2); }
static void put32(struct bytes *b, uint64_t v) { put(b, &(uint32_t){ (uint32_t)v }, 4); }
static void put64(struct bytes *b, uint64_t v) { put(b, &v, 8); }

static void
zeros(struct bytes *b, size_t n)
{
	while (n-- > 0)
		put(b, "", 1);
}

static void
flush(struct bytes *b)
{
	if (fwrite(b->p, 1, b->n, out) != b->n) {
		fprintf(stderr, "unity_gen: %s\n", strerror(errno));
		exit(1);
	}
	b->n = 0;
}

/* --- the game --------------------------------------------------------------------------- */

static const char *
marker_name(uint32_t id, char text[96], unsigned *category, unsigned *flags)
{
	static const struct { const char *name; unsigned category, flags; } known[] = { [ALLOC] = { "GC.Alloc", 23, 0 },
		[LABEL] = { "Profiler.Default", 24, 2 }, [WAIT] = { "WaitForTargetFPS", 18, 8 },
		[PRESENT] = { "Gfx.WaitForPresentOnGfxThread", 18, 8 }, [IDLE] = { "Idle", 16, 0 },
		[DRAWS] = { "Draw Calls Count", 0, 0x80 }, [MEMORY] = { "Total Used Memory", 23, 0x80 } };

	*category = id % 33;
	*flags = id % 3 ? 0 : 2;
	if (id < sizeof known / sizeof *known) {
		*category = known[id].category;
		*flags = known[id].flags;
		return known[id].name;
	}
	if (id < FIRST)
		snprintf(text, 96, "%s%s%s", thread[id - ROOTS].group, thread[id - ROOTS].group[0] ? "." : "", thread[id - ROOTS].name);
	else
		snprintf(text, 96, "Assembly-CSharp.dll!Game.Module%u::Component%u.Method%u()", id % 40, id / 9, id);
	return text;
}

/* The game's code: who calls whom. A node is a call path; main and render thread have trees of their own, the others share one. */
enum { NODES = 6000, TREES = 3 };
static struct node { uint32_t marker, child[6], n, depth; } node[NODES];
static const uint32_t tree[TREES + 1] = { 0, 4000, 5600, NODES };

static void
grow(void)
{
	for (unsigned t = 0; t < TREES; t++)
		for (uint32_t i = tree[t] + 1; i < tree[t + 1]; i++) {
			struct node *up;
			do
				up = &node[tree[t] + below(i - tree[t])];
			while (up->n == 6 || up->depth >= DEPTH - 2);
			up->child[up->n++] = i;
			node[i].depth = up->depth + 1;
			node[i].marker = t == 2 && i % 50 == 0 ? IDLE : FIRST + (i % 4 ? i : below(NODES)) % MARKERS;
		}
}

/* The frame's zones of thread ${t}, about ${n}, from ${at} on within ${length} ns. */
static void
play(unsigned t, uint32_t n, uint64_t at, uint64_t length)
{
	struct thread *th = &thread[t];
	const uint64_t end = at + length;
	struct zone *open[DEPTH];
	uint32_t path[DEPTH + 1] = { tree[t < 2 ? t : 2] };
	const uint32_t step = (uint32_t)(length * 9 / 10 / (2 * n + 2));
	unsigned depth = 0;

	th->n = 0;
	while (th->n < n || depth > 0) {
		at += step / 2 + below(step);
		if (at > end - 3000)          /* steps that neither begin nor end a zone came on top */
			at = end - 3000;
		const struct node *in = &node[path[depth]];
		if (th->n < n && in->n > 0 && (depth == 0 || below(100) < 60)) {
			struct zone *z = &th->zone[th->n++];
			const uint32_t dice = below(100), next = below(below(in->n) + 1);
			*z = (struct zone){ .at = at, .marker = node[in->child[next]].marker };
			if (depth)
				open[depth - 1]->children++;
			if (t == 0 && dice < 4) {
				*z = (struct zone){ .at = at, .marker = ALLOC, .kind = ALLOCATES, .value = 24 + 8 * below(100), .length = 100 };
				continue;
			}
			if (t == 0 && dice < 5) {
				z->marker = LABEL;
				z->kind = LABELS;
				z->value = in->child[next] % 50;
			} else if (t == 0 && dice < 15) {
				z->kind = OBJECT;
				z->value = 10000 + below(5000);
			} else if (t > 1 && dice < 20) {
				z->kind = FLOWS;
				z->value = 1 + below(1000);
			}
			open[depth++] = z;
			path[depth] = in->child[next];
		} else if (depth > 0) {
			struct zone *z = open[--depth];
			z->length = (uint32_t)(at - z->at);
		}
	}
	if (t < 2 && at + 2000 < end)
		th->zone[th->n++] = (struct zone){ .at = at + 1000, .marker = t ? PRESENT : WAIT, .length = (uint32_t)(end - at - 2000) };
	zones += th->n;
}

/* --- .raw -------------------------------------------------------------------------------- */

static void
raw_block(uint64_t stream, uint32_t number, const uint8_t *p, size_t n)
{
	put32(&body, 0xB10C7EAD);
	put32(&body, number);
	put64(&body, stream);
	put32(&body, n);
	put(&body, p, n);
	put32(&body, number + 1);
	put32(&body, 0xB10CF007);
}

static void
raw_flush(struct thread *th)
{
	if (th->len)
		raw_block(th->id, th->block++, th->to, th->len);
	th->len = 0;
}

/* The message in ${m}; whole in one block. */
static void
raw_put(struct thread *th, struct bytes *m)
{
	if (th->len + m->n > BLOCK)
		raw_flush(th);
	memcpy(th->to + th->len, m->p, m->n);
	th->len += m->n;
	m->n = 0;
}

static void
raw_sample(struct bytes *m, unsigned type, uint32_t marker, uint64_t at)
{
	put16(m, type);
	put(m, "", 1);
	put32(m, marker);
	put64(m, at);
}

static void
text(struct bytes *b, const char *s)
{
	put32(b, strlen(s));
	put(b, s, strlen(s));
}

static void
raw_begin(struct thread *th, const struct zone *z)
{
	struct bytes *m = &head;
	char label[32];

	if (z->kind == FLOWS) {
		put16(m, 57);
		put(m, &(uint8_t){ 1 }, 1);
		put32(m, z->value);
		raw_put(th, m);
	}
	raw_sample(m, z->kind == OBJECT ? 39 : z->kind == ALLOCATES || z->kind == LABELS ? 42 : 36, z->marker, z->at);
	if (z->kind == OBJECT)
		put32(m, z->value);
	if (z->kind == ALLOCATES) {
		put(m, (uint8_t[]){ 1, 5 }, 2);
		put64(m, z->value);
	}
	if (z->kind == LABELS) {
		put(m, (uint8_t[]){ 3, 2 }, 2);
		put32(m, 0);
		put(m, (uint8_t[]){ 8 }, 1);
		snprintf(label, sizeof label, "Spawn wave %u", (unsigned)z->value);
		text(m, label);
		put(m, (uint8_t[]){ 3 }, 1);
		put32(m, 1);
	}
	raw_put(th, m);
}

static void
raw_end(struct thread *th, const struct zone *z)
{
	raw_sample(&head, 37, z->marker, z->at + z->length);
	raw_put(th, &head);
}

static void
raw_zones(struct thread *th)
{
	const struct zone *open[DEPTH + 1];
	uint32_t left[DEPTH + 1];
	unsigned depth = 0;

	for (uint32_t i = 0; i < th->n; i++) {
		const struct zone *z = &th->zone[i];
		raw_begin(th, z);
		open[depth] = z;
		left[depth++] = z->children;
		while (depth > 0 && left[depth - 1] == 0) {
			raw_end(th, open[--depth]);
			if (depth > 0)
				left[depth - 1]--;
		}
	}
}

static void
raw_counter(struct thread *th, uint32_t marker, uint64_t at, uint64_t value)
{
	raw_sample(&head, 44, marker, at);
	put(&head, (uint8_t[]){ 1, 5 }, 2);
	put64(&head, value);
	raw_put(th, &head);
}

static void
raw_frame(uint32_t number, uint64_t at, uint64_t length)
{
	for (unsigned t = 0; t < THREADS; t++) {
		struct thread *th = &thread[t];
		const struct zone root = { .at = at, .marker = ROOTS + t, .length = (uint32_t)length - 2000 };
		raw_flush(th);
		put16(&head, 34);
		put32(&head, number);
		put64(&head, at);
		raw_put(th, &head);
		raw_flush(th);
		raw_begin(th, &root);
		raw_zones(th);
		if (t == 0) {
			raw_counter(th, DRAWS, at + length - 3000, 300 + number % 50);
			raw_counter(th, MEMORY, at + length - 3000, UINT64_C(2000000000) + number);
		}
		raw_end(th, &root);
	}
	flush(&body);
}

/* The session's stream: blocks of its own. */
static void
raw_define(struct bytes *m, bool all)
{
	static uint32_t number;

	if (m->n > BLOCK - 200 || all) {
		raw_block(UINT64_MAX, number++, m->p, m->n);
		m->n = 0;
	}
}

static void
raw_state(struct bytes *m, bool on, uint64_t at)
{
	put16(m, 0);
	put32(m, on);
	put64(m, at);
	put32(m, 0);
	raw_define(m, true);
}

static void
raw_head(uint64_t at)
{
	struct bytes m = { 0 };
	unsigned category, flags;
	char name[96];

	put32(&body, 0x55334450);
	put(&body, (uint8_t[]){ 1, 0, 19, 0 }, 4);
	put32(&body, WORD);
	put64(&body, 1);
	put64(&body, 1);
	put64(&body, thread[0].id);
	for (unsigned i = 0; i < 5; i++)
		put32(&body, (uint32_t[]){ 2022, 3, 10, 2, 1 }[i]);
	for (uint32_t id = 1; id < FIRST + MARKERS; id++) {
		if (id > MEMORY && (id < ROOTS || (id >= ROOTS + THREADS && id < FIRST)))
			continue;
		const char *s = marker_name(id, name, &category, &flags);
		put16(&m, 1);
		put32(&m, id);
		put16(&m, flags);
		put16(&m, category);
		text(&m, s);
		put(&m, "", 1);
		raw_define(&m, false);
	}
	for (unsigned t = 0; t < THREADS; t++) {
		put16(&m, 33);
		put64(&m, thread[t].id);
		put64(&m, at);
		put32(&m, 0);
		text(&m, thread[t].group);
		text(&m, thread[t].name);
		raw_define(&m, false);
	}
	raw_state(&m, true, at);
	free(m.p);
}

/* --- .data -------------------------------------------------------------------------------- */

static void
cstr(struct bytes *b, const char *s)
{
	const size_t n = strlen(s) + 1;

	put(b, s, n);
	zeros(b, -n & 3);
}

static void
data_marker(struct bytes *b, uint32_t id)
{
	unsigned category, flags;
	char name[96];
	const char *s = marker_name(id, name, &category, &flags);

	put32(b, id);
	cstr(b, s);
	put32(b, category << 16 | flags);
	put32(b, 0);
}

/* Lists of the thread's samples: their places, counted from the root. */
static void
data_lists(const struct thread *th, bool is_main, uint64_t frame)
{
	static struct bytes gc, id, value, flow;
	uint32_t ngc = 0, nid = 0, nvalue = 0, nflow = 0;
	char label[32];

	gc.n = id.n = value.n = flow.n = 0;
	for (uint32_t i = 0; i < th->n; i++) {
		const struct zone *z = &th->zone[i];
		if (z->kind == ALLOCATES) {
			put32(&gc, i + 1);
			put32(&gc, z->value);
			ngc++;
		} else if (z->kind == OBJECT) {
			put32(&id, i + 1);
			put32(&id, z->value);
			nid++;
		} else if (z->kind == FLOWS) {
			put32(&flow, i + 1);
			put32(&flow, z->value);
			put32(&flow, 1);
			nflow++;
		}
		if (z->kind == ALLOCATES || z->kind == LABELS) {
			put32(&value, i + 1);
			put32(&value, z->kind == LABELS ? 3 : 1);
			nvalue++;
		}
		if (z->kind == ALLOCATES) {
			put32(&value, 5);
			put32(&value, 8);
			put64(&value, z->value);
		}
		if (z->kind == LABELS) {
			put32(&value, 2);
			put32(&value, 4);
			put32(&value, 0);
			snprintf(label, sizeof label, "Spawn wave %u", (unsigned)z->value);
			put32(&value, 8);
			put32(&value, strlen(label));
			put(&value, label, strlen(label));
			zeros(&value, -strlen(label) & 3);
			put32(&value, 3);
			put32(&value, 4);
			put32(&value, 1);
		}
	}
	for (unsigned k = 0; is_main && k < 2; k++, nvalue++) {
		put32(&value, th->n + 1 + k);
		put32(&value, 1);
		put32(&value, 5);
		put32(&value, 8);
		put64(&value, k ? UINT64_C(2000000000) + frame : 300 + frame % 50);
	}
	put32(&body, 0);              /* GPU samples */
	put32(&body, nid);
	put(&body, id.p, id.n);
	put32(&body, ngc);
	put(&body, gc.p, gc.n);
	put32(&body, 0);              /* warnings */
	put32(&body, nvalue);
	put(&body, value.p, value.n);
	put32(&body, 0);              /* samples that are statistics */
	put32(&body, 4);              /* depth */
	put32(&body, 0);              /* call stacks */
	put32(&body, nflow);
	put(&body, flow.p, flow.n);
}

static void
data_sample(uint32_t marker, uint64_t at, uint64_t length, uint32_t children)
{
	const float f = (float)length;

	put32(&body, marker);
	put(&body, &f, 4);
	put64(&body, at);
	put32(&body, children);
}

static void
data_thread(const struct thread *th, bool is_main, uint64_t at, uint64_t length, uint64_t frame)
{
	uint32_t top = 0, under = 0, left[DEPTH + 1];
	unsigned depth = 0;

	for (uint32_t i = 0; i < th->n; i++) {
		top += depth == 0;
		left[depth++] = th->zone[i].children;
		while (depth > 0 && left[depth - 1] == 0) {
			depth--;
			if (depth > 0)
				left[depth - 1]--;
		}
	}
	under = is_main ? 2 : 0;
	put64(&body, th->id);
	cstr(&body, th->group);
	cstr(&body, th->name);
	put32(&body, th->n + 1 + under);
	data_sample(UINT32_MAX, at, length, top + under);
	for (uint32_t i = 0; i < th->n; i++)
		data_sample(th->zone[i].marker, th->zone[i].at, th->zone[i].length, th->zone[i].children);
	for (unsigned k = 0; k < under; k++)
		data_sample(k ? MEMORY : DRAWS, at + length - 3000, 0, 0);
	data_lists(th, is_main, frame);
}

static void
data_markers(void)
{
	static struct bytes m;
	uint32_t n = 0;

	m.n = 0;
	for (uint32_t id = DRAWS; id <= MEMORY; id++)
		if (!defined[id]) {
			data_marker(&m, id);
			defined[id] = 1;
			n++;
		}
	for (unsigned t = 0; t < THREADS; t++)
		for (uint32_t i = 0; i < thread[t].n; i++) {
			const uint32_t id = thread[t].zone[i].marker;
			if (defined[id])
				continue;
			data_marker(&m, id);
			defined[id] = 1;
			n++;
		}
	put32(&body, n);
	put(&body, m.p, m.n);
}

static void
data_frame(uint32_t number, uint64_t at, uint64_t length)
{
	put32(&body, number);
	put32(&body, number);
	put64(&body, at);
	put32(&body, length / 1000);
	put32(&body, 0);
	put32(&body, 15613);
	zeros(&body, 4 * (33 + 5));
	put32(&body, UINT32_MAX);     /* the end of the list of classes */
	zeros(&body, 64 + 4 * 265);
	put32(&body, 1);              /* audio */
	zeros(&body, 64);
	put32(&body, 1);
	zeros(&body, 44);
	put32(&body, 0);
	put32(&body, 1);              /* the UI */
	zeros(&body, 52 + 4);
	put32(&body, 1);
	zeros(&body, 12 + 4);
	put32(&body, 0);
	data_markers();
	put32(&body, THREADS);
	for (unsigned t = 0; t < THREADS; t++)
		data_thread(&thread[t], t == 0, at, length, number);
	for (unsigned i = 0; i < 5; i++)
		put32(&body, 0);      /* code, categories, types, objects, resources */
	put32(&body, 0xAFAFAFAF);
	put32(&head, WORD);
	put32(&head, body.n);
	for (unsigned i = 0; i < 5; i++)
		put32(&head, (uint32_t[]){ 2022, 3, 10, 2, 1 }[i]);
	flush(&head);
	flush(&body);
}

int
main(int argc, char **argv)
{
	const bool raw = argc == 5 && strcmp(argv[1], "raw") == 0;
	uint64_t at = 5000000000;

	if (argc != 5 || (!raw && strcmp(argv[1], "data") != 0) || !(out = fopen(argv[2], "wb"))) {
		fputs("usage: unity_gen raw|data FILE FRAMES ZONES\n", stderr);
		return 2;
	}
	const uint32_t frames = (uint32_t)atoi(argv[3]), mean = (uint32_t)atoi(argv[4]);
	for (unsigned t = 0; t < THREADS; t++) {
		struct thread *th = &thread[t];
		th->id = 11700 + 4 * t;
		snprintf(th->group, sizeof th->group, "%s", t < 2 ? "" : t < 34 ? "Job" : "Loading");
		snprintf(th->name, sizeof th->name, t == 0 ? "Main Thread" : t == 1 ? "Render Thread" : "Worker %u", t - 2);
		th->zone = calloc(MOST, sizeof *th->zone);
		th->to = malloc(BLOCK);
		th->block = 1000 * t;
		if (!th->zone || !th->to)
			abort();
	}
	grow();
	if (raw)
		raw_head(at);
	for (uint32_t k = 0; k < frames; k++) {
		const uint64_t length = below(20) ? 16600000 + below(100000) : 20000000 + below(30000000);
		for (unsigned t = 0; t < THREADS; t++) {
			const uint32_t n = t == 0 ? mean * 35 / 100 : t == 1 ? mean * 15 / 100 : mean / 2 / (THREADS - 2);
			play(t, n * 3 / 4 + below(n / 2 + 1) + 1, at, length - 100000);
		}
		(raw ? raw_frame : data_frame)(k, at, length);
		at += length;
	}
	if (raw) {
		for (unsigned t = 0; t < THREADS; t++)
			raw_flush(&thread[t]);
		raw_state(&head, false, at);
	} else {
		put32(&body, 0xDEADFEED);
	}
	flush(&body);
	printf("%lld bytes, %llu zones, %u frames\n", (long long)ftello(out), (unsigned long long)zones, frames);
	for (unsigned t = 0; t < THREADS; t++) {
		free(thread[t].zone);
		free(thread[t].to);
	}
	free(body.p);
	free(head.p);
	return fclose(out) != 0;
}
