/*
 * Fuzz target: any bytes as a sequence of callbacks through the Unity plug-in, in this process. What the reader then
 * finds in the capture must be what was sent, event by event.
 *
 * The input is a program: each operation is a byte and what it needs behind it; values are pieces of the input itself, of
 * any type with any size. Every run loads the plug-in, which captures at once, and unloads it, which ends the file; what it
 * keeps from one life to the next (the library is never unloaded) it keeps here, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/defs.h"
#include "ttc_kit.h"
#include "producers/unity.h"
#include "recorder/unity/abi.h"
#include "recorder/unity/tracetool_unity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
unity_load_fn UnityPluginLoad;
unity_unload_fn UnityPluginUnload;

enum { MARKERS = 64, ITEMS = 20000, VALUES = 70, DEEPEST = 200, CHUNK = 64 << 10, VALUE_MOST = 4000 };

static void
must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "recorder: not so: %s\n", what);
	abort();
}

/* --- the engine: what of it a plug-in sees --------------------------------------------------- */

static struct marker {
	struct unity_marker m;
	char name[80];
	unity_event_cb *cb;           /* NULL: nobody listens */
	void *user;
} marker[MARKERS];
static unsigned nmarker;
static unity_category_cb *on_category;
static unity_marker_cb *on_marker;
static unity_thread_cb *on_thread;
static unity_frame_cb *on_frame;
static unity_flow_cb *on_flow;

#define HOOK(name) \
	static int UNITY_CALL add_##name(unity_##name##_cb *cb, void *user) { (void)user; on_##name = cb; return 0; } \
	static int UNITY_CALL del_##name(unity_##name##_cb *cb, void *user) \
	{ (void)user; must(on_##name == cb, "what is removed was there"); on_##name = NULL; return 0; }
HOOK(category)
HOOK(thread)
HOOK(frame)
HOOK(flow)

static int UNITY_CALL
add_marker(unity_marker_cb *cb, void *user)
{
	on_marker = cb;
	for (unsigned i = 0; i < nmarker; i++)
		cb(&marker[i].m, user);
	return 0;
}

static int UNITY_CALL
del_marker(unity_marker_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	on_marker = NULL;
	return 0;
}

static int UNITY_CALL
add_event(const struct unity_marker *m, unity_event_cb *cb, void *user)
{
	struct marker *k = (struct marker *)(uintptr_t)m;

	must(k->cb == NULL, "a marker is asked for once");
	k->cb = cb;
	k->user = user;
	return 0;
}

static int UNITY_CALL
del_event(const struct unity_marker *m, unity_event_cb *cb, void *user)
{
	(void)user;
	must(m == NULL, "all markers at once");
	for (unsigned i = 0; i < nmarker; i++)
		if (marker[i].cb == cb)
			marker[i].cb = NULL;
	return 0;
}

static struct unity_callbacks callbacks = { add_category, del_category, add_marker, del_marker, add_event, del_event,
	add_frame, del_frame, add_thread, del_thread, add_flow, del_flow };

static void *UNITY_CALL
get(uint64_t high, uint64_t low)
{
	static const uint64_t v2[] = { UNITY_CALLBACKS_V2 };

	return high == v2[0] && low == v2[1] ? &callbacks : NULL;
}

/* --- what was sent ------------------------------------------------------------------------------ */

struct value { unsigned type; uint64_t bits; uint32_t n, hash; };

static struct item {
	uint8_t kind;                 /* enum tt_kind; TT_ZONE for a begin, ended or not */
	bool ended;
	uint64_t val;                 /* bytes, id, bits */
	uint32_t name, args;          /* hashes */
	char text[28];                /* the name's beginning */
} sent[ITEMS], seen[ITEMS];
static size_t nsent, nseen;
static struct { size_t item; const void *match; } open_zone[DEEPEST + 8];
static size_t nopen;
static uint64_t unmatched, popped;

static uint32_t
hash(uint32_t h, const void *p, size_t n)
{
	return tt_crc32c(h, p, n);
}

static uint32_t
hash_value(uint32_t h, const struct value *v)
{
	return hash(hash(h, &v->bits, sizeof v->bits), &(uint32_t[]){ v->type, v->n, v->hash }, 12);
}

/* UTF-16 to UTF-8, by the book; what is not valid is U+FFFD. */
static size_t
utf8(const uint8_t *p, size_t n, uint8_t *to)
{
	uint8_t *o = to;

	for (size_t i = 0; i + 1 < n; i += 2) {
		uint32_t c = p[i] | (uint32_t)p[i + 1] << 8, d = i + 3 < n ? p[i + 2] | (uint32_t)p[i + 3] << 8 : 0;
		if (c >= 0xd800 && c <= 0xdbff && d >= 0xdc00 && d <= 0xdfff) {
			c = 0x10000 + (c - 0xd800) * 0x400 + (d - 0xdc00);
			i += 2;
		} else if (c >= 0xd800 && c <= 0xdfff) {
			c = 0xfffd;
		}
		unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
		*o++ = (uint8_t)(more == 0 ? c : (0xff00u >> (more + 1) & 0xff) | c >> 6 * more);
		while (more-- > 0)
			*o++ = (uint8_t)(0x80 | (c >> 6 * more & 0x3f));
	}
	return (size_t)(o - to);
}

/* What the reader should say of a value: its own type where the size is the type's, else bytes. */
static struct value
expected(const struct unity_value *v)
{
	static const uint8_t size[] = { [UNITY_T_INSTANCE] = 4, [UNITY_T_I32] = 4, [UNITY_T_U32] = 4, [UNITY_T_I64] = 8,
		[UNITY_T_U64] = 8, [UNITY_T_F32] = 4, [UNITY_T_F64] = 8, [UNITY_T_RESOURCE] = 8, [UNITY_T_ENTITY] = 8,
		[TTC_PTR] = 8, [TTC_CLASS] = 8, [TTC_WORD] = 1 };
	static uint8_t text[2 * VALUE_MOST];
	size_t n = !v->data ? 0 : v->size < VALUE_MOST ? v->size : VALUE_MOST;
	const uint8_t *p = v->data;
	struct value e = { .type = TT_T_BLOB };

	if (v->type < sizeof size && size[v->type] && v->data && v->size == size[v->type]) {
		float f;
		double d;
		memcpy(&e.bits, v->data, n);
		switch (v->type) {
		case UNITY_T_INSTANCE: case UNITY_T_I32:
			e.bits = (uint64_t)(int64_t)(int32_t)(uint32_t)e.bits;
			e.type = TT_T_I64;
			break;
		case UNITY_T_I64:
			e.type = TT_T_I64;
			break;
		case UNITY_T_F32:
			memcpy(&f, v->data, 4);
			d = (double)f;
			memcpy(&e.bits, &d, 8);
			e.type = TT_T_F64;
			break;
		case UNITY_T_F64:
			e.type = TT_T_F64;
			break;
		case TTC_WORD:
			e.type = e.bits <= TTC_W_TRUE ? TT_T_WORD : TT_T_U64;
			break;
		default:
			e.type = v->type >= 32 ? TT_T_PTR : TT_T_U64;
			break;
		}
		return e;
	}
	if (v->type == UNITY_T_TEXT16) {
		n = utf8(p, n, text);
		p = text;
	}
	if (v->type == UNITY_T_TEXT || v->type == UNITY_T_TEXT16) {
		e.type = TT_T_TEXT;
		while (n > 0 && p[n - 1] == 0)
			n--;
	}
	e.n = (uint32_t)n;
	e.hash = hash(0, p, n);
	return e;
}

/* Of ${n} values as many as go into one record. */
static uint32_t
expected_args(const struct unity_value *v, unsigned n)
{
	uint32_t h = 0;
	size_t room = 1;

	for (unsigned i = 0; v && i < n && i < 64; i++) {
		size_t one = 12 + (!v[i].data ? 0 : v[i].size < VALUE_MOST ? v[i].size : VALUE_MOST);
		if (room + one > CHUNK / 4)
			break;
		room += one;
		struct value e = expected(&v[i]);
		h = hash_value(h, &e);
	}
	return h;
}

static void
set_name(struct item *x, const char *name)
{
	x->name = hash(1, name, strlen(name));
	strncpy(x->text, name, sizeof x->text - 1);
}

static struct item *
send(enum tt_kind kind, const char *name, uint64_t val, uint32_t args)
{
	sent[nsent] = (struct item){ .kind = (uint8_t)kind, .val = val, .args = args };
	if (name)
		set_name(&sent[nsent], name);
	return &sent[nsent++];
}

static void
sent_begin(const struct marker *k)
{
	open_zone[nopen].item = nsent - 1;
	open_zone[nopen++].match = k;
}

static void
sent_end(const struct marker *k)
{
	size_t i = nopen;

	while (i > 0 && open_zone[i - 1].match != k)
		i--;
	unmatched += i == 0;
	popped += i > 0 ? nopen - i : 0;
	while (i > 0 && nopen >= i)
		sent[open_zone[--nopen].item].ended = true;
}

/* --- what is read -------------------------------------------------------------------------------- */

static const char *
name_of(const struct tt_capture *cap, uint64_t key)
{
	const struct tt_def *d = tt_defs_find(cap->defs, TT_DEF_MARKER, key, INT64_MAX);

	must(d != NULL, "an event's marker is defined");
	return d->text;
}

static size_t
take_args(const struct tt_batch *b, size_t i, struct item *x)
{
	for (; i + 1 < b->n && b->ev[i + 1].kind == TT_ARG; i++) {
		const struct tt_event *a = &b->ev[i + 1];
		struct value v = { .type = a->depth };
		if (v.type == TT_T_TEXT || v.type == TT_T_BLOB) {
			v.n = a->dur;
			v.hash = hash(0, b->text.p + a->val, a->dur);
		} else {
			v.bits = a->val;
		}
		x->args = hash_value(x->args, &v);
	}
	return i;
}

static struct { size_t item; uint64_t key; } stack[DEEPEST + 8];
static size_t nstack;

/* A zone begun in an earlier chunk ends, and those above it. */
static void
pop(uint64_t key)
{
	size_t i = nstack;

	while (i > 0 && stack[i - 1].key != key)
		i--;
	must(i > 0, "an end is of a zone that is open");
	while (nstack >= i)
		seen[stack[--nstack].item].ended = true;
}

static void
take(const struct tt_capture *cap, const struct tt_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct tt_event *e = &b->ev[i];
		struct item *x = &seen[nseen];
		must(nseen < ITEMS && nstack < DEEPEST + 8, "no more is read than was sent");
		memset(x, 0, sizeof *x);
		x->kind = e->kind;
		switch (e->kind) {
		case TT_ZONE: case TT_ZONE_BEGIN:
			x->kind = TT_ZONE;
			x->ended = e->kind == TT_ZONE;
			set_name(x, name_of(cap, e->val));
			if (!x->ended) {
				stack[nstack].item = nseen;
				stack[nstack++].key = e->val;
			}
			i = take_args(b, i, x);
			break;
		case TT_ZONE_END:
			pop(e->val);
			continue;
		case TT_INSTANT:
			set_name(x, name_of(cap, e->val));
			i = take_args(b, i, x);
			break;
		case TT_ALLOC:
			set_name(x, name_of(cap, e->val));
			x->val = e->flags & TT_F_WIDE ? (uint64_t)b->ev[++i].ts : e->dur;
			break;
		case TT_COUNTER:
			set_name(x, name_of(cap, e->dur));
			x->val = e->val;
			break;
		case TT_FLOW:
			x->val = e->val << 2 | e->depth;
			break;
		case TT_FRAME:
			break;
		default:                      /* threads, timings: told elsewhere */
			continue;
		}
		nseen++;
	}
}

static void
read_back(const char *path)
{
	struct tt_env env = { .jobs = 1, .log_level = TT_LOG_QUIET };
	struct tt_loss loss, found;
	struct tt_capture cap = { .path = "capture", .min_ts = INT64_MAX, .max_ts = INT64_MIN };
	struct tt_src *src = NULL;
	struct tt_chunk c = { 0 };
	struct tt_batch b;
	struct tt_err err;
	void *ctx = NULL;
	uint64_t nstrays[TT_STRAY_LOSS + 1] = { 0 };

	nseen = nstack = 0;
	tt_loss_reset(&loss);
	tt_loss_reset(&found);
	env.loss = &loss;
	tt_arena_init(&cap.arena, &env.mem);
	tt_batch_init(&b, &env.mem, TT_NEEDS_ARGS);
	must(tt_defs_new(&env.mem, &cap.defs, &err) == TT_OK && tt_src_open(&env, path, &src, &err) == TT_OK &&
	    tt_format_ttc.open(&env, src, &cap, &ctx, &err) == TT_OK, "the capture can be read");
	while (tt_format_ttc.next(ctx, &c, &err) == TT_OK) {
		tt_loss_join(&found, &c.loss);
		tt_batch_reset(&b);
		must(tt_format_ttc.decode(ctx, &c, &b, &err) == TT_OK, "a chunk can be decoded");
		must(b.unsure == 0, "the recorder knows what ends");
		tt_loss_join(&found, &b.loss);
		for (size_t i = 0; i < b.nstray; i++)
			nstrays[b.stray[i].kind]++;
		for (size_t i = 0; i < b.ndef; i++)
			must(tt_defs_add(cap.defs, &b.def[i], &err) == TT_OK, "a definition can be kept");
		take(&cap, &b);
	}
	tt_loss_join(&found, &c.loss);
	must(cap.end_mark == 1, "the capture has its end");
	/* A stray end may belong to a zone that was closed with one around it. */
	must(found.e[TT_LOST_UNMATCHED].n + nstrays[TT_STRAY_END] == unmatched, "ends without a begin are kept");
	/* Those whose outer zone began in another chunk are counted where chunks are put in order. */
	must(found.e[TT_LOST_POPPED].n + nstrays[TT_STRAY_BEGIN] <= popped, "zones closed with one around them are counted");
	/* Long texts are cut, and the recorder says so. */
	found.e[TT_LOST_UNMATCHED].n = found.e[TT_LOST_POPPED].n = found.e[TT_LOST_NOTED].n = 0;
	for (int i = 0; i < TT_LOST_KINDS; i++) {
		if (found.e[i].n)
			fprintf(stderr, "recorder: %llu lost: kind %d\n", (unsigned long long)found.e[i].n, i);
		must(found.e[i].n == 0, "nothing is lost");
	}
	tt_format_ttc.close(ctx);
	tt_src_close(src);
	tt_batch_free(&b);
	tt_mem_free(&env.mem, c.bytes, c.cap);
	tt_defs_free(cap.defs);
	tt_arena_free(&cap.arena);
}

/* --- the program ------------------------------------------------------------------------------------ */

struct input { const uint8_t *p, *end; };

static unsigned
byte(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* The next ${n} bytes, or fewer, in memory of just their size: a sanitizer sees what is read behind it. */
static uint8_t *keep[VALUES + 8];
static unsigned nkeep;

static uint8_t *
bytes(struct input *in, size_t *n)
{
	uint8_t *p;

	if (*n > (size_t)(in->end - in->p))
		*n = (size_t)(in->end - in->p);
	p = keep[nkeep++] = malloc(*n ? *n : 1);
	must(p != NULL, "there is memory");
	if (*n)
		memcpy(p, in->p, *n);
	in->p += *n;
	return p;
}

static char *
text(struct input *in, char *to, size_t most)
{
	size_t n = byte(in) % most;

	if (n > (size_t)(in->end - in->p))
		n = (size_t)(in->end - in->p);
	if (n)
		memcpy(to, in->p, n);
	in->p += n;
	to[n] = '\0';
	return to;
}

static unsigned
values(struct input *in, struct unity_value *v)
{
	unsigned n = byte(in);

	n = n < 200 ? n % 4 : n - 200 + 1;
	for (unsigned i = 0; i < n; i++) {
		unsigned type = byte(in), size = byte(in);
		size_t got = size < 128 ? size % 12 : (size - 128) * 40;
		v[i] = (struct unity_value){ .type = (uint8_t)(type < 200 ? type % 16 : type) };
		if (size != 127)              /* else a size, but nothing there */
			v[i].data = bytes(in, &got);
		v[i].size = size != 127 ? (uint32_t)got : 77;
	}
	return n;
}

/* One marker's event with values, and what should come of it. */
static void
event(struct input *in, const struct marker *k, unsigned kind)
{
	struct unity_value v[VALUES];
	unsigned n = values(in, v);
	bool none = n > 0 && byte(in) == 255;         /* a number of values, but none of them */
	const struct unity_value *given = none ? NULL : v;
	enum unity_role role = unity_role(k->name);
	bool number = !none && n > 0 && v[0].data;
	uint64_t w = 0;

	if (!k->cb)
		return;
	if (role == UNITY_LABEL && kind == UNITY_BEGIN && n >= 2 && v[1].type != UNITY_T_BLOB)
		v[1].type = UNITY_T_BLOB;     /* else it is what label() sends */
	if (number)
		memcpy(&w, v[0].data, v[0].size < 8 ? v[0].size : 8);
	bool small = number && v[0].size == 4 &&
	    (v[0].type == UNITY_T_U32 || (v[0].type == UNITY_T_I32 && (uint32_t)w <= INT32_MAX));
	bool large = number && v[0].size == 8 &&
	    (v[0].type == UNITY_T_U64 || (v[0].type == UNITY_T_I64 && w <= INT64_MAX));
	k->cb(&k->m, (uint16_t)kind, (uint16_t)n, given, k->user);
	if (role == UNITY_ALLOC) {
		if (kind == UNITY_END || n == 0)
			return;
		if (small || large)
			send(TT_ALLOC, k->name, w, 0);
		else
			send(TT_INSTANT, k->name, 0, expected_args(given, n));
		return;
	}
	if (kind == UNITY_END) {
		if (n > 0 && given)
			send(TT_INSTANT, k->name, 0, expected_args(given, n));
		sent_end(k);
		return;
	}
	if (kind == UNITY_SINGLE && n == 1 && role != UNITY_LABEL &&
	    ((k->m.flags & UNITY_M_COUNTER) || unity_counter(k->name).builtin) && number &&
	    ((v[0].size == 4 && (v[0].type == UNITY_T_I32 || v[0].type == UNITY_T_U32 || v[0].type == UNITY_T_F32)) ||
	    (v[0].size == 8 && (v[0].type == UNITY_T_I64 || v[0].type == UNITY_T_U64 || v[0].type == UNITY_T_F64)))) {
		send(TT_COUNTER, k->name, expected(&v[0]).bits, 0);
		return;
	}
	send(kind == UNITY_BEGIN ? TT_ZONE : TT_INSTANT, k->name, 0, expected_args(given, n));
	if (kind == UNITY_BEGIN)
		sent_begin(k);
}

/* Profiler.BeginSample of some text. */
static void
label(struct input *in, const struct marker *k)
{
	static uint8_t name[2 * VALUE_MOST + 1];
	int32_t instance = (int32_t)byte(in) % 3;
	uint32_t category = byte(in);
	size_t n = byte(in), got;
	bool wide = n & 1;

	n = n < 200 ? n / 2 : (n - 200) * 90;
	uint8_t *p = bytes(in, &n);
	struct unity_value v[] = { { .type = UNITY_T_INSTANCE, .size = 4, .data = &instance },
		{ .type = wide ? UNITY_T_TEXT16 : UNITY_T_TEXT, .size = (uint32_t)n, .data = p },
		{ .type = UNITY_T_U32, .size = 4, .data = &category } };

	if (!k->cb)
		return;
	k->cb(&k->m, UNITY_BEGIN, category & 1 ? 3 : 2, v, k->user);
	/* Text of 8-bit characters that looks like UTF-16 is. */
	if (!wide)
		wide = n >= 2 && n % 2 == 0 && p[0] != 0 && p[1] == 0;
	if (n > VALUE_MOST)
		n = VALUE_MOST;
	if (wide) {
		n &= ~(size_t)1;
		while (n >= 2 && p[n - 1] == 0 && p[n - 2] == 0)
			n -= 2;
		got = utf8(p, n, name);
	} else {
		while (n > 0 && p[n - 1] == 0)
			n--;
		memcpy(name, p, n);
		got = n;
	}
	name[got] = '\0';
	send(TT_ZONE, (char *)name, 0, instance ? expected_args(v, 1) : 0);
	sent_begin(k);
}

static void
frame_timing(struct input *in)
{
	struct tracetool_frame_timing f = { .age = byte(in), .flags = byte(in) };
	uint64_t w = (uint64_t)byte(in) << 56 | byte(in), frequency = byte(in);

	memcpy(&f.gpu_ms, &w, 8);
	f.cpu_total_ms = byte(in);
	f.frame_start = w;
	const struct unity_value v[] = { { .type = UNITY_T_F64, .size = 8, .data = &f.cpu_total_ms },
		{ .type = UNITY_T_F64, .size = 8, .data = &f.cpu_main_ms },
		{ .type = UNITY_T_F64, .size = 8, .data = &f.cpu_present_wait_ms },
		{ .type = UNITY_T_F64, .size = 8, .data = &f.cpu_render_ms },
		{ .type = UNITY_T_F64, .size = 8, .data = &f.gpu_ms },
		{ .type = UNITY_T_U64, .size = 8, .data = &f.frame_start },
		{ .type = UNITY_T_U64, .size = 8, .data = &f.first_submit },
		{ .type = UNITY_T_U64, .size = 8, .data = &f.present_called },
		{ .type = UNITY_T_U64, .size = 8, .data = &f.frame_complete },
		{ .type = UNITY_T_U64, .size = 8, .data = &frequency },
		{ .type = UNITY_T_U32, .size = 4, .data = &f.flags },
		{ .type = UNITY_T_U32, .size = 4, .data = &f.age } };
	tracetool_frame_timings(&f, 1, frequency);
	send(TT_INSTANT, UNITY_FRAME_TIMING_NAME, 0, expected_args(v, 12));
}

static void
describe(struct input *in)
{
	static struct unity_category category[16];
	static char name[16][40];
	char group[40], thread[80];
	unsigned what = byte(in), i = what % 16;

	if (what & 0x80) {
		struct unity_thread t = { .id = (uint64_t)byte(in) << 60 | byte(in), .group = what & 1 ? text(in, group, 40) : NULL,
			.name = what & 2 ? text(in, thread, 80) : NULL };
		on_thread(&t, NULL);
		return;
	}
	category[i] = (struct unity_category){ .id = (uint16_t)(byte(in) * (what & 0x40 ? 257 : 1)), .rgba = what,
		.name = what & 0x20 ? text(in, name[i], 40) : NULL };
	on_category(&category[i], NULL);
}

static void
make_marker(struct input *in)
{
	static const char *const special[] = { "GC.Alloc", "Profiler.Default", "GC.Collect", "Total Used Memory", "Idle" };
	struct marker *k = &marker[nmarker];
	unsigned what = byte(in);

	if (nmarker == MARKERS)
		return;
	memset(k, 0, sizeof *k);
	k->m.id = what & 0x40 ? byte(in) : nmarker;
	k->m.flags = (uint16_t)(what & 0x20 ? UNITY_M_COUNTER : 0);
	k->m.category = (uint16_t)byte(in);
	if (what & 0x10)
		text(in, k->name, sizeof k->name);
	else
		snprintf(k->name, sizeof k->name, "%s", special[what % 5]);
	k->m.name = k->name;
	nmarker++;
	if (on_marker)
		on_marker(&k->m, NULL);
}

static void
step(struct input *in)
{
	char key[80], value[200];
	unsigned op = byte(in), i = byte(in) % MARKERS;
	const struct marker *k = &marker[i % nmarker];
	uint8_t type;

	nkeep = 0;
	switch (op % 16) {
	case 0: case 1:
		if (nopen < DEEPEST)
			event(in, k, UNITY_BEGIN);
		break;
	case 2: case 3:
		event(in, k, UNITY_END);
		break;
	case 4: case 5:
		event(in, k, UNITY_SINGLE);
		break;
	case 6:
		event(in, k, 3 + byte(in) * 200);
		break;
	case 7: case 8:
		for (i = 0; i < nmarker && unity_role(marker[i].name) != UNITY_LABEL; i++)
			;
		if (i < nmarker && nopen < DEEPEST)
			label(in, &marker[i]);
		break;
	case 9:
		type = (uint8_t)(op / 16);
		on_flow(type, i, NULL);
		if (type <= TT_FLOW_SEQUENTIAL)
			send(TT_FLOW, NULL, (uint64_t)i << 2 | type, 0);
		break;
	case 10:
		on_frame(NULL);
		send(TT_FRAME, NULL, 0, 0);
		break;
	case 11:
		make_marker(in);
		break;
	case 12:
		describe(in);
		break;
	case 13:
		tracetool_mark(text(in, key, sizeof key));
		send(TT_INSTANT, "Tracetool.Mark", 0, expected_args(&(struct unity_value){ .type = UNITY_T_TEXT,
			.size = (uint32_t)strlen(key), .data = key }, 1));
		break;
	case 14:
		frame_timing(in);
		break;
	default:
		tracetool_meta(text(in, key, sizeof key), text(in, value, sizeof value));
		tracetool_label(value);
		break;
	}
	while (nkeep > 0)
		free(keep[--nkeep]);
}

static void
compare(void)
{
	for (size_t i = 0; i < nsent && i < nseen; i++) {
		const struct item *a = &sent[i], *b = &seen[i];
		if (a->kind == b->kind && a->name == b->name && a->val == b->val && a->args == b->args &&
		    a->ended == b->ended)
			continue;
		fprintf(stderr, "recorder: event %zu: sent, then read: kinds %d %d, names %s %s, numbers %llx %llx, "
		    "values %x %x, ended %d %d\n", i, a->kind, b->kind, a->text, b->text, (unsigned long long)a->val,
		    (unsigned long long)b->val, a->args, b->args, a->ended, b->ended);
		abort();
	}
	must(nseen == nsent, "as many events are read as were sent");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct unity_interfaces interfaces = { .get = get };
	static char path[200];
	struct input in = { data, data + n };

	if (n > 64 << 10)
		return 0;
	if (!path[0]) {
		/* Captures and rings in memory where that can be. */
		const char *dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
		snprintf(path, sizeof path, "%s/tracetool-fuzz-%ld.ttc", dir, (long)getpid());
		setenv("TRACETOOL_CAPTURE", path, 1);
		setenv("TRACETOOL_OPTIONS", "ring=4M", 1);
		tt_crc32c_init();
	}
	nmarker = 0;
	nsent = nopen = 0;
	unmatched = popped = 0;
	for (uint8_t i = 0; i < 5; i++)
		make_marker(&(struct input){ &i, &i + 1 });
	UnityPluginLoad(&interfaces);
	must(on_frame && on_marker && on_flow, "the plug-in captures");
	while (in.p < in.end && nsent < ITEMS - 8)
		step(&in);
	UnityPluginUnload();
	must(!on_frame && !on_marker && !on_category && !on_thread && !on_flow, "nobody is called any more");
	read_back(path);
	compare();
	remove(path);
	return 0;
}
