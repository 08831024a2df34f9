/**
 * Records captures from seeded scripts, reads them back and sums them up.
 */
#include "ttc_kit.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/defs.h"

uint64_t
ttc_mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 31 ^ b) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 30 ^ c) * 0x94d049bb133111ebu;
	h = (h ^ h >> 29 ^ d) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* --- recording ------------------------------------------------------------------------ */

void
ttc_keys(uint64_t *key, unsigned n)
{
	char name[40];
	uint64_t category = rec_def_category(1, 0x11223344, "Scripts");

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof name, "Marker %u \xc3\xa9", i);
		key[i] = rec_def_marker(category, i, 0,
		    i == 0   ? "GC.Alloc"
		    : i == 1 ? "Profiler.Default"
			     : name);
	}
}

static void
closed(struct ttc_script *s, size_t i)
{
	s->sum.zones++;
	s->sum.hash += ttc_mix(1, s->zone[i].key, s->zone[i].ticks, s->ticks);
}

static void
end(struct ttc_script *s, uint64_t match)
{
	uint64_t i = s->depth;

	rec_end(s->t, s->ticks, match);
	s->sum.events++;
	while (i > 0 && s->zone[i - 1].match != match)
		i--;
	if (i == 0)
		return;
	while (s->depth >= i)
		closed(s, --s->depth);
}

static void
push(struct ttc_script *s, uint64_t key, uint64_t match)
{
	s->zone[s->depth].key = key;
	s->zone[s->depth].match = match;
	s->zone[s->depth++].ticks = s->ticks;
	s->sum.events++;
}

/* Every kind of event, in the proportions of a game, now and then something odd. */
static void
one(struct ttc_script *s)
{
	uint64_t r = ttc_random(&s->seed), key = s->key[2 + ttc_random(&s->seed) % (s->nkey - 2)];
	int32_t i32 = (int32_t)ttc_random(&s->seed);
	double f64 = (double)i32 / 3;
	uint64_t u64 = ttc_random(&s->seed) << (r % 20);
	struct rec_value v[3] = { { .type = TTC_I32, .size = 4, .p = &i32 },
		{ .type = TTC_F64, .size = 8, .p = &f64 }, { .type = TTC_TEXT8, .size = 5, .p = "hello" } };
	unsigned what = (unsigned)(r % 100);

	s->ticks += what == 99 ? u64 >> 20 : ttc_random(&s->seed) % 3000;
	if (what < 38 && s->depth < 290) {
		rec_begin(s->t, s->ticks, key);
		push(s, key, key);
	} else if (what < 42 && s->depth < 290) {
		rec_begin_args(s->t, s->ticks, key, v, 1 + what % 3);
		push(s, key, key);
	} else if (what < 82 && s->depth > 0) {
		end(s, s->zone[s->depth - 1].match);
	} else if (what < 88) {
		rec_alloc(s->t, s->ticks, s->key[0], u64 & 0xfffffffffff);
		s->sum.events++;
		s->sum.allocs++;
		s->sum.bytes += u64 & 0xfffffffffff;
		s->sum.hash += ttc_mix(2, s->key[0], s->ticks, u64 & 0xfffffffffff);
	} else if (what < 91) {
		rec_single(s->t, s->ticks, key, v, what % 4);
		s->sum.events++;
		s->sum.singles++;
		s->sum.hash += ttc_mix(3, key, s->ticks, 0);
	} else if (what < 94) {
		struct rec_value c = { .type = TTC_U64, .size = 8, .p = &u64 };
		rec_counter(s->t, s->ticks, key, &c);
		s->sum.events++;
		s->sum.counters++;
		s->sum.hash += ttc_mix(4, key, s->ticks, u64);
	} else if (what < 96) {
		rec_flow(s->t, s->ticks, (unsigned)u64 % 4, u64 >> 3);
		s->sum.events++;
		s->sum.flows++;
		s->sum.hash += ttc_mix(5, u64 % 4, s->ticks, u64 >> 3);
	} else if (what < 97) {
		rec_frame(s->t, s->ticks, 0);
		s->sum.events++;
		s->sum.frames++;
		s->sum.hash += ttc_mix(6, 0, s->ticks, 0);
	} else if (what < 98 && s->depth < 200) {
		end(s, key);          /* of whatever zone of that key is open, or none */
	}
}

void
ttc_run(struct ttc_script *s, unsigned events)
{
	uint64_t to = s->sum.events + events;

	while (s->sum.events < to)
		one(s);
	s->sum.open = s->depth;
}

/* --- reading ------------------------------------------------------------------------------ */

struct ttc_how ttc_how = { .needs = TT_NEEDS_ARGS };

struct reading {
	struct ttc_result *r;
	struct tt_stack stack[TTC_KIT_THREADS];
	const struct ttc *m;
};

static size_t
thread_of(struct reading *x, uint64_t tid)
{
	struct ttc_result *r = x->r;

	for (size_t i = 0; i < r->threads; i++)
		if (r->tid[i] == tid)
			return i;
	if (r->threads == TTC_KIT_THREADS)
		return TTC_KIT_THREADS - 1;
	r->tid[r->threads] = tid;
	return r->threads++;
}

static void
events(struct reading *x, const struct tt_batch *b, struct tt_mem *mem)
{
	size_t k = thread_of(x, b->tid);
	struct ttc_sum *s = &x->r->sum[k];
	struct tt_stack *st = &x->stack[k];
	struct tt_err err;

	s->events += b->nevent;
	for (size_t i = 0; i < b->n; i++) {
		const struct tt_event *e = &b->ev[i];
		switch (e->kind) {
		case TT_ZONE:
			if (e->flags & TT_F_CONT) {
				s->cont++;
				break;
			}
			s->zones++;
			s->hash += ttc_mix(1, e->val, (uint64_t)e->ts, (uint64_t)(e->ts + e->dur));
			break;
		case TT_ZONE_BEGIN:
			tt_stack_push(st, mem, e->val, e->ts, e->flags & TT_F_CONT, &err);
			break;
		case TT_ZONE_END: {
			size_t j = st->n;
			while (j > 0 && st->z[j - 1].key != e->val)
				j--;
			x->r->strays += j == 0;
			while (j > 0 && st->n >= j) {
				const struct tt_open *z = &st->z[--st->n];
				if (z->flags & TT_F_CONT) {
					s->cont++;
					continue;
				}
				s->zones++;
				s->hash += ttc_mix(1, z->key, (uint64_t)z->ts, (uint64_t)e->ts);
			}
			break;
		}
		case TT_ALLOC: {
			uint64_t bytes = e->flags & TT_F_WIDE ? (uint64_t)e[1].ts : e->dur;
			s->allocs++;
			s->bytes += bytes;
			s->hash += ttc_mix(2, e->val, (uint64_t)e->ts, bytes);
			break;
		}
		case TT_INSTANT: s->singles++; s->hash += ttc_mix(3, e->val, (uint64_t)e->ts, 0); break;
		case TT_COUNTER: s->counters++; s->hash += ttc_mix(4, e->dur, (uint64_t)e->ts, e->val); break;
		case TT_FLOW: s->flows++; s->hash += ttc_mix(5, e->depth, (uint64_t)e->ts, e->val); break;
		case TT_GC:
			x->r->gc_starts += e->val == TT_GC_START;
			x->r->gc_ends += e->val == TT_GC_END;
			x->r->gc_ticks += e->val == TT_GC_START ? -e->ts : e->ts;
			break;
		case TT_FRAME: s->frames++; s->hash += ttc_mix(6, 0, (uint64_t)e->ts, 0); break;
		case TT_GAP: x->r->gaps++; st->n = 0; break;
		default: break;
		}
	}
	s->open = st->n;
}

static int
decode(struct reading *x, struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	struct tt_stack *st = &x->stack[thread_of(x, c->tid)], base = { 0 };
	bool again = false;
	int rc;

	tt_batch_reset(b);
	rc = tt_format_ttc.decode(x->m, c, b, err);
	for (uint64_t i = 0; rc == TT_OK && i < b->unsure; i++)
		for (size_t j = 0; j < st->n; j++)
			again = again || st->z[j].key == b->unsure_end[i].key;
	if (!again)
		return rc;
	for (size_t i = 0; i < st->n; i++)
		tt_stack_push(&base, b->mem, st->z[i].key, st->z[i].ts, st->z[i].flags, err);
	tt_batch_reset(b);
	b->base = &base;
	rc = tt_format_ttc.decode(x->m, c, b, err);
	b->base = NULL;
	tt_stack_free(&base, b->mem);
	return rc;
}

/* A pipe that holds ${n} bytes and is closed behind them. */
static int
filled_pipe(const void *p, size_t n)
{
	int fd[2];

	if (pipe(fd) != 0)
		return -1;
	fcntl(fd[1], F_SETPIPE_SZ, 1 << 20);
	if (write(fd[1], p, n) != (ssize_t)n) {
		close(fd[0]);
		fd[0] = -1;
	}
	close(fd[1]);
	return fd[0];
}

/* Another file, behind those before. */
struct later { struct tt_capture cap; struct tt_src *src; void *ctx; };

static int
read_on(struct tt_env *env, void *lead, struct later *l, const char *path, struct tt_err *err)
{
	static char bytes[1 << 20];
	FILE *f = ttc_how.piped ? fopen(path, "rb") : NULL;
	int rc;

	l->cap = (struct tt_capture){ .path = path };
	tt_arena_init(&l->cap.arena, &env->mem);
	if (f) {
		size_t n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		rc = tt_src_open_fd(env, filled_pipe(bytes, n), path, &l->src, err);
	} else {
		rc = tt_src_open(env, path, &l->src, err);
	}
	if (rc == TT_OK)
		rc = tt_format_ttc.open(env, l->src, &l->cap, &l->ctx, err);
	return rc == TT_OK ? tt_format_ttc.append(lead, l->ctx, err) : rc;
}

/* Times in ticks, so that they compare exactly, read by the fast loop. */
static void
in_ticks(struct ttc *m, struct ttc_result *r)
{
	r->num = m->head.num;
	r->den = m->head.den;
	m->mult = (uint64_t)1 << 61;          /* 1, and such that the fast loop is taken */
	m->shift = 61;
	m->head.ticks = 0;
	m->extracts_bits = m->extracts_bits && !ttc_how.plain;
}

/* One chunk: what is in it, and what it lost. */
static int
read_chunk(struct reading *x, struct tt_env *env, struct tt_chunk *c, struct tt_batch *b, struct tt_capture *cap)
{
	struct ttc_result *r = x->r;
	int rc = decode(x, c, b, &r->err);

	if (rc != TT_OK)
		return rc;
	r->chunks++;
	r->nzone += b->nzone;
	r->nalloc += b->nalloc;
	r->min_ts = b->min_ts < r->min_ts ? b->min_ts : r->min_ts;
	r->max_ts = b->max_ts > r->max_ts ? b->max_ts : r->max_ts;
	tt_loss_join(&r->loss, &b->loss);
	for (size_t i = 0; i < b->ndef && rc == TT_OK; i++) {
		r->nameless_counters += b->def[i].kind == TT_DEF_COUNTER && b->def[i].len == 0;
		rc = tt_defs_add(cap->defs, &b->def[i], &r->err);
	}
	if (b->n > 0)
		events(x, b, &env->mem);
	return rc;
}

/* What stands in the result once everything has been read. */
static void
sum_up(struct ttc_result *r, const struct ttc *m, const struct tt_capture *cap, uint64_t key)
{
	const struct tt_def *d = cap->defs && key ? tt_defs_find(cap->defs, TT_DEF_MARKER, key, INT64_MAX) : NULL;

	r->end_mark = cap->end_mark;
	for (; m; m = m->next_file)
		r->from_ring += m->nfrom_ring;
	for (int k = 0; cap->defs && k < TT_DEF_KINDS; k++)
		r->ndef[k] = tt_defs_count(cap->defs, (enum tt_def_kind)k);
	if (d)
		snprintf(r->text, sizeof r->text, "%s", d->text);
	for (size_t i = 0; i < r->threads; i++) {
		struct ttc_sum *a = &r->all, *s = &r->sum[i];
		a->events += s->events;
		a->zones += s->zones;
		a->allocs += s->allocs;
		a->bytes += s->bytes;
		a->singles += s->singles;
		a->counters += s->counters;
		a->flows += s->flows;
		a->frames += s->frames;
		a->open += s->open;
		a->cont += s->cont;
		a->hash += s->hash;
	}
}

static void
read_any(const char *path, const void *p, size_t n, int fd, uint64_t key, struct ttc_result *r)
{
	struct tt_env env = { .jobs = 1, .log_level = TT_LOG_QUIET };
	struct tt_loss loss;
	struct tt_capture cap = { .path = "test", .min_ts = INT64_MAX, .max_ts = INT64_MIN };
	struct tt_src *src = NULL;
	struct tt_chunk c = { 0 };
	struct tt_batch b;
	struct reading x = { .r = r };
	struct later *later = calloc(ttc_how.nthen + 1, sizeof *later);
	void *ctx = NULL;

	memset(r, 0, sizeof *r);
	tt_loss_reset(&r->loss);
	tt_loss_reset(&loss);
	env.loss = &loss;
	tt_arena_init(&cap.arena, &env.mem);
	tt_batch_init(&b, &env.mem, ttc_how.needs);
	r->min_ts = INT64_MAX;
	r->max_ts = INT64_MIN;
	r->rc = tt_defs_new(&env.mem, &cap.defs, &r->err);
	if (r->rc == TT_OK)
		r->rc = fd >= 0 ? tt_src_open_fd(&env, fd, "test", &src, &r->err) : p ? tt_src_open_mem(&env, p, n, "test", &src, &r->err)
			  : tt_src_open(&env, path, &src, &r->err);
	if (r->rc == TT_OK)
		r->rc = tt_format_ttc.open(&env, src, &cap, &ctx, &r->err);
	if (ttc_how.opened)
		ttc_how.opened();
	for (size_t i = 0; i < ttc_how.nthen && r->rc == TT_OK; i++)
		r->rc = read_on(&env, ctx, &later[i], ttc_how.then[i], &r->err);
	x.m = ctx;
	if (ctx)
		in_ticks(ctx, r);
	while (r->rc == TT_OK && (r->rc = tt_format_ttc.next(ctx, &c, &r->err)) == TT_OK) {
		tt_loss_join(&r->loss, &c.loss);
		r->rc = read_chunk(&x, &env, &c, &b, &cap);
	}
	if (r->rc == TT_END) {
		tt_loss_join(&r->loss, &c.loss);
		r->rc = TT_OK;
	}
	sum_up(r, ctx, &cap, key);
	for (size_t i = 0; i < TTC_KIT_THREADS; i++)
		tt_stack_free(&x.stack[i], &env.mem);
	if (ctx)
		tt_format_ttc.close(ctx);
	if (src)
		tt_src_close(src);
	for (size_t i = 0; i < ttc_how.nthen; i++) {
		tt_format_ttc.close(later[i].ctx);
		tt_src_close(later[i].src);
		tt_arena_free(&later[i].cap.arena);
	}
	free(later);
	tt_batch_free(&b);
	tt_mem_free(&env.mem, c.bytes, c.cap);
	tt_defs_free(cap.defs);
	tt_arena_free(&cap.arena);
}

void
ttc_read(const char *path, const void *p, size_t n, uint64_t key, struct ttc_result *r)
{
	read_any(path, p, n, -1, key, r);
}

void
ttc_read_pipe(const void *p, size_t n, struct ttc_result *r)
{
	read_any(NULL, NULL, 0, filled_pipe(p, n), 0, r);
}

static int
append(void *arg, const void *p, size_t n, struct tt_err *err)
{
	tt_buf_add(arg, p, n);
	return tt_buf_error(arg, err);
}

char *
ttc_recover_all(const char *const *path, size_t npath, size_t *n)
{
	enum { MOST = 800 };
	struct tt_env env = { .jobs = 1, .log_level = TT_LOG_QUIET };
	struct tt_loss loss;
	static struct tt_capture cap[MOST];
	struct tt_src *src[MOST] = { NULL };
	struct ttc *part[MOST] = { NULL };
	struct ttc_copied done;
	struct tt_buf b = { 0 };
	struct tt_err err;
	int rc = npath > 0 && npath <= MOST ? TT_OK : TT_E_USAGE;

	tt_loss_reset(&loss);
	env.loss = &loss;
	for (size_t i = 0; i < npath && rc == TT_OK; i++) {
		void *ctx = NULL;
		cap[i] = (struct tt_capture){ .path = "test" };
		tt_arena_init(&cap[i].arena, &env.mem);
		rc = tt_src_open(&env, path[i], &src[i], &err);
		if (rc == TT_OK)
			rc = tt_format_ttc.open(&env, src[i], &cap[i], &ctx, &err);
		part[i] = ctx;
	}
	for (size_t i = 1; i < npath && rc == TT_OK; i++)
		rc = tt_format_ttc.append(part[0], part[i], &err);
	if (rc == TT_OK)
		rc = ttc_copy(part, npath, append, &b, &done, &err);
	for (size_t i = 0; i < npath && i < MOST; i++) {
		tt_format_ttc.close(part[i]);
		if (src[i]) {
			tt_src_close(src[i]);
			tt_arena_free(&cap[i].arena);
		}
	}
	*n = b.n;
	if (rc == TT_OK)
		return b.p;
	tt_buf_free(&b);
	return NULL;
}

/* --- damage that checksums do not show ------------------------------------------------------ */

static void
put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

void
ttc_fix_checksums(uint8_t *p, size_t n)
{
	uint32_t size;

	if (n < sizeof(struct ttc_head))
		return;
	memcpy(p, TTC_MAGIC, 8);
	p[8] = TTC_MAJOR;
	p[9] = 0;
	size = ttc_u32(p + 12);
	if (size > n || size < sizeof(struct ttc_head))
		put32(p + 12, size = sizeof(struct ttc_head));
	put32(p + 16, 0);
	put32(p + 16, tt_crc32c(0, p, size));
	for (size_t at = size; at + TTC_CHUNK_HEAD <= n;) {
		uint32_t len = ttc_u32(p + at + 8);
		if (len > n - at - TTC_CHUNK_HEAD)
			put32(p + at + 8, len = (uint32_t)(n - at - TTC_CHUNK_HEAD));
		put32(p + at, TTC_CHUNK_MAGIC);
		memcpy(p + at + 60, p + 24, 4);
		put32(p + at + 12,
		    tt_crc32c(0, p + at + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + (size_t)len));
		at += TTC_CHUNK_HEAD + (size_t)len;
	}
}
