/**
 * Chooses the frames that a page shows in detail, and packs their zones.
 *
 * A block is a list of numbers of seven bits a byte, the lowest first; the eighth bit says that more bytes follow. First the number of threads that do
 * something in the frame; then columns: for each thread, the frame's own first, its name, number of zones and number of allocations; for each zone its start,
 * depth, name and duration; for each allocation its zone, class, count and bytes. Grouping similar numbers halves the packed size compared with rows of text,
 * and packs in a seventh of the time.
 *
 * Names are indices in the list of names. The start of a zone is relative to that of the previous zone, or for the first one of a thread to the frame's. The
 * depth is multiplied by 4; 2 is added if the zone has no recorded end, and 1 if it began before the frame. Times are clipped to the frame, in ns. Depths may
 * skip numbers if zones around are hidden: a zone lies in those earlier zones that are less deep and do not end before it. Consecutive allocations of one class
 * in the same zone are merged; their zone is its number in the thread's list from 1, 0: none.
 */
#include "page/details.h"

#include <zlib.h>

#include "base/hash_seed.h"
#include "base/json.h"
#include "base/order.h"
#include "base/proto.h"
#include "emit/emit.h"
#include "out/html.h"
#include "stat/num.h"
#include "view/view.h"

/*
 * PER_ZONE, PER_BLOCK: estimated bytes of a zone or an allocation in a block, and of a block. PART: more than TT_DETAILS_MIN frames may take 1/PART of the
 * page, so that tables keep their rows. MIN_BYTES: size assumed if that of the page is unlimited. MAX_BYTES: maximum of a block before packing.
 */
enum { WORST_FIRST = 10, MAX_BYTES = 64 << 20, PER_ZONE = 3, PART = 3, PER_BLOCK = 160, MIN_BYTES = 4 << 20 };

/*
 * Zones that are in SEVERAL chosen frames or more, each counted in each of these: there is room for so many, and for the first frames' alone if there are
 * more. 512 of them may be open all the time. Each costs half a microsecond.
 */
enum { SEVERAL = 3, MAX_SPANNING = 512 * TT_DETAILS };

/* A zone, or an allocation, in a chosen frame. */
struct rec {
	int64_t ts, dur;              /* for an allocation dur is its number of bytes */
	uint64_t key;
	uint32_t rank;                /* of the frame */
	uint32_t thread;              /* 0: the frame's own; index + 1 */
	uint32_t depth : 30, spans : 1, cut : 1;      /* spans: it is in several frames; cut: it has no end of its own */
	uint32_t n;                   /* allocations; 0: it is a zone */
};

struct details {
	struct tt_emitting e;
	struct tt_details *d;
	struct tt_span time[TT_DETAILS];      /* of the chosen frames, in order */
	uint32_t rank[TT_DETAILS];    /* of each of these times: its frame's */
	uint64_t spanning[TT_DETAILS];        /* by rank: zones put aside that are in several frames */
	uint64_t nspanning;           /* of the frames that have room */
};

/* The thread of a record that stands for no zone: frames from its rank on have no room. */
#define MARKS_FULL UINT32_MAX

/* --- which frames --------------------------------------------------------------------------- */

static bool
is_chosen(const struct tt_details *d, size_t frame)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->detail[i].frame == frame)
			return true;
	return false;
}

static void
choose(struct tt_details *d, size_t frame)
{
	if (d->n < d->nchosen && !is_chosen(d, frame))
		d->detail[d->n++] = (struct tt_detail){ .frame = frame };
}

struct timed { int64_t ns; size_t frame; };

static int
longest_first(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	return x->ns != y->ns ? TT_CMP(y->ns, x->ns) : TT_CMP(x->frame, y->frame);
}

struct when { struct tt_span time; uint32_t rank; };

static int
by_time(const void *a, const void *b)
{
	return TT_CMP(((const struct when *)a)->time.from, ((const struct when *)b)->time.from);
}

static int64_t
time_of(const struct tt_frames *f, bool capped, size_t i)
{
	return capped ? tt_frames_uncapped(f, i) : tt_frames_wall(f, i);
}

/* Store the ${k} longest frames in ${t}, the longest first; ${v}: times of all frames, in any order. */
static void
find_longest(const struct tt_frames *f, bool capped, int64_t *v, size_t k, struct timed *t)
{
	int64_t least = tt_select_i64(v, f->n, f->n - k);
	size_t longer = 0, n = 0;

	for (size_t i = 0; i < f->n; i++)
		longer += v[i] > least;
	/* Among frames as long as the shortest chosen one, take the first. */
	for (size_t i = 0, alike = k - longer; i < f->n && n < k; i++) {
		int64_t ns = time_of(f, capped, i);

		if (ns < least || (ns == least && alike == 0))
			continue;
		alike -= ns == least;
		t[n++] = (struct timed){ ns, i };
	}
	tt_sort(t, n, longest_first);
}

/* The frame at position ${at} when frames are sorted from long to short, equal ones in their own order. */
static size_t
frame_at(const struct tt_frames *f, bool capped, int64_t *v, size_t at)
{
	int64_t ns = tt_select_i64(v, f->n, f->n - 1 - at);
	size_t i = 0;

	for (size_t k = 0; k < f->n; k++)
		at -= v[k] > ns;
	while (time_of(f, capped, i) != ns || at-- > 0)
		i++;
	return i;
}

/* Choose the frames: first ${worst}, those that the report lists, or if NULL the longest; then the others. ${capped}: by uncapped time. */
static int
choose_all(struct details *s, const struct tt_hitches *worst, bool capped, struct tt_err *err)
{
	const struct tt_frames *f = s->e.m->frames;
	struct tt_details *d = s->d;
	struct tt_mem *mem = &s->e.env->mem;
	struct when when[TT_DETAILS];
	struct timed longest[TT_DETAILS];
	const size_t n = f->n, some = d->nchosen / 8 * 5, nlongest = n < some ? n : some;
	int64_t *v = tt_mem_alloc(mem, n * sizeof *v, err);

	if (!v)
		return err->code;
	for (size_t i = 0; i < n; i++)
		v[i] = time_of(f, capped, i);
	find_longest(f, capped, v, nlongest, longest);
	d->n = 0;
	for (size_t i = 0; i < (worst ? worst->n : WORST_FIRST) && i < n && i < d->nchosen / 2; i++)
		choose(d, worst ? worst->h[i].frame : longest[i].frame);
	/* Nearest rank: place ceil(n * p) from the shortest. */
	d->median = frame_at(f, capped, v, n - (n + 1) / 2);
	choose(d, d->median);
	choose(d, frame_at(f, capped, v, n - (n * 99 + 99) / 100));
	choose(d, frame_at(f, capped, v, n - (n * 95 + 99) / 100));
	for (size_t i = 0; i < nlongest && d->n < some; i++)
		choose(d, longest[i].frame);
	tt_mem_free(mem, v, n * sizeof *v);
	for (size_t i = 0, few = d->nchosen - d->n; i < few && d->n < n; i++) {
		size_t frame = (size_t)((tt_u128)n * i / few);

		while (is_chosen(d, frame))
			frame = frame + 1 < n ? frame + 1 : 0;
		choose(d, frame);
	}
	for (size_t i = 0; i < d->n; i++) {
		size_t frame = d->detail[i].frame;

		when[i] = (struct when){ { tt_frames_start(f, frame), tt_frames_end(f, frame) }, (uint32_t)i };
	}
	tt_sort(when, d->n, by_time);
	for (size_t i = 0; i < d->n; i++) {
		s->time[i] = when[i].time;
		s->rank[i] = when[i].rank;
		s->spanning[i] = 0;
	}
	s->nspanning = 0;
	d->nmax_blocks = d->n;
	return TT_OK;
}

/* --- on the way ------------------------------------------------------------------------------ */

static const struct tt_span *
times(const void *state, uint32_t process, size_t *n)
{
	const struct details *s = state;

	*n = process == s->d->process ? s->d->n : 0;
	return s->time;
}

/* The chosen frames that what lasts from ${ts} to ${end} is in: the places *${at} to *${last} of their times, less than which there are none. */
static inline void
find_frames(const struct details *s, int64_t ts, int64_t end, size_t *at, size_t *last)
{
	*at = tt_lower_bound(i, 0, s->d->n, s->time[i].to <= ts);
	for (*last = *at; *last < s->d->n && (s->time[*last].from < end || s->time[*last].from == ts);)
		++*last;
}

/* Put ${r}, which lasts until ${end}, into each chosen frame that it is in, if the frame's rank is below ${ranks}. */
static void
put_rec(const struct details *s, struct rec *r, int64_t end, size_t ranks, struct tt_buf *out)
{
	size_t at, last;

	find_frames(s, r->ts, end, &at, &last);
	r->spans = last - at >= SEVERAL;
	for (; at < last; at++) {
		r->rank = s->rank[at];
		if (r->rank < ranks)
			tt_buf_add(out, r, sizeof *r);
	}
}

/* When ${z} ends. */
static int64_t
end_of(const struct tt_slice *z)
{
	return z->dur > 0 && z->ts <= INT64_MAX - z->dur ? z->ts + z->dur : z->ts;
}

/* How many of the first frames have room for the chunk's zones that are in several. */
static size_t
frames_with_room(const struct details *s, const struct tt_view *v)
{
	int64_t more[TT_DETAILS + 1] = { 0 }, of[TT_DETAILS], now = 0;
	uint64_t sum = 0;
	size_t n = 0;

	if (v->nslice * s->d->n <= MAX_SPANNING)
		return s->d->n;
	for (size_t i = 0, at, last; i < v->nslice; i++) {
		find_frames(s, v->slice[i].ts, end_of(&v->slice[i]), &at, &last);
		if (last - at >= SEVERAL) {
			more[at]++;
			more[last]--;
		}
	}
	for (size_t i = 0; i < s->d->n; i++)
		of[s->rank[i]] = now += more[i];
	while (n < s->d->n && (sum += (uint64_t)of[n]) <= MAX_SPANNING)
		n++;
	return n > 0 ? n : 1;
}

/* True if any of the events may be in a chosen frame: those of most chunks are not. */
static bool
meets(const struct details *s, const struct tt_batch *b)
{
	size_t at = tt_lower_bound(i, 0, s->d->n, s->time[i].to <= b->min_ts);

	return at < s->d->n && s->time[at].from <= b->max_ts;
}

static int
chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	const struct details *s = state;
	const bool wrappers = v->m->filter.wrappers;
	struct rec r = { .thread = v->thread->index == s->d->thread ? 0 : v->thread->index + 1 };
	/* Frames that an earlier chunk leaves no room for are left out when zones are put aside, too. */
	size_t ranks = atomic_load_explicit(&s->d->nmax_blocks, memory_order_relaxed), room;

	if (s->d->n == 0 || v->cap->process != s->d->process)
		return TT_OK;
	if ((room = frames_with_room(s, v)) < ranks) {
		ranks = room;
		tt_buf_add(out, &(struct rec){ .thread = MARKS_FULL, .rank = (uint32_t)room }, sizeof r);
	}
	for (size_t i = 0; i < v->nslice; i++) {
		const struct tt_slice *z = &v->slice[i];
		int64_t end = end_of(z);
		size_t before = out->n;
		const struct tt_name *name;

		r.ts = z->ts;
		r.dur = end - z->ts;
		r.key = z->key;
		r.depth = z->depth & (INT32_MAX >> 1);
		r.cut = (z->flags & TT_F_POPPED) != 0;
		put_rec(s, &r, end, ranks, out);
		if (out->n == before)
			continue;
		name = tt_model_key(v->m, s->d->process, z->key);
		if (name->is_left_out || (name->is_alloc_wrapper && !wrappers))
			out->n = before;
	}
	for (size_t i = 0; v->b->nalloc && meets(s, v->b) && i < v->b->n; i++) {
		const struct tt_event *e = &v->b->ev[i];

		if (e->kind != TT_ALLOC || !tt_filter_has(&v->m->filter, e->ts))
			continue;
		r.ts = e->ts;
		r.dur = (int64_t)tt_alloc_bytes(e);
		r.key = e->val;
		r.depth = r.cut = 0;
		r.n = tt_alloc_count(e);
		put_rec(s, &r, e->ts, ranks, out);
	}
	return tt_buf_error(out, err);
}

/* There is room for the first ${n} frames alone. */
static void
leave_out(struct details *s, size_t n)
{
	size_t ranks = s->d->nmax_blocks;

	while (ranks > n)
		s->nspanning -= s->spanning[--ranks];
	atomic_store_explicit(&s->d->nmax_blocks, ranks, memory_order_relaxed);
}

static int
write_recs(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct details *s = state;
	int rc = TT_OK;

	(void)v;
	for (; n >= sizeof(struct rec) && rc == TT_OK; p += sizeof(struct rec), n -= sizeof(struct rec)) {
		const struct rec *r = (const struct rec *)(const void *)p;

		if (r->thread == MARKS_FULL)
			leave_out(s, r->rank);
		if (r->rank >= s->d->nmax_blocks)
			continue;
		s->spanning[r->rank] += r->spans;
		s->nspanning += r->spans;
		rc = tt_sorter_add(&s->d->recs, p, err);
		if (s->nspanning > MAX_SPANNING && s->d->nmax_blocks > 1)
			leave_out(s, s->d->nmax_blocks - 1);
	}
	return rc;
}

/* --- blocks --------------------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
	const struct rec *x = a, *y = b;

	if (x->rank != y->rank)
		return TT_CMP(x->rank, y->rank);
	if (x->thread != y->thread)
		return TT_CMP(x->thread, y->thread);
	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	if (!x->n != !y->n)
		return x->n ? 1 : -1;
	if (x->depth != y->depth)
		return TT_CMP(x->depth, y->depth);
	if (x->dur != y->dur)
		return TT_CMP(x->dur, y->dur);
	if (x->key != y->key)
		return TT_CMP(x->key, y->key);
	return x->n != y->n ? TT_CMP(x->n, y->n) : x->cut - y->cut;
}

/* A sort key that orders most records by frame, thread and time. It does not distinguish large thread numbers and times beyond 73 minutes; by_place() does. */
static uint64_t
key_of(const void *rec)
{
	enum { TIME = 42, THREADS = 0xfff };
	const struct rec *x = rec;
	const int64_t last = (INT64_C(1) << TIME) - 1, ts = x->ts < 0 || x->thread >= THREADS ? 0 : x->ts < last ? x->ts : last;

	return (uint64_t)x->rank << (TIME + 12) | (uint64_t)(x->thread < THREADS ? x->thread : THREADS) << TIME | (uint64_t)ts;
}

_Static_assert(TT_DETAILS <= 1024, "a key has ten bits for a frame");

/* Never join records: zones without duration may be equal, and each counts. */
static bool
join(void *into, const void *next)
{
	(void)into;
	(void)next;
	return false;
}

static const struct tt_sorter_form form = { sizeof(struct rec), "zones of frames", by_place, join, key_of };

enum column { THREAD_NAME, THREAD_ZONES, THREAD_ALLOCS, ZONE_START, ZONE_DEPTH, ZONE_NAME, ZONE_NS, ALLOC_IN, ALLOC_CLASS, ALLOC_COUNT, ALLOC_BYTES,
	NCOLUMN };

/* The columns of one frame's block while they are filled. */
struct block {
	struct tt_details *d;
	const struct tt_frames *f;
	struct tt_buf column[NCOLUMN], all;
	size_t size;                  /* bytes of all columns */
	int64_t from, to;             /* time range of the frame */
	uint32_t thread;
	bool begun, full;
	int64_t last;                 /* start of the previous zone */
	uint64_t nthread, nzone, nalloc;      /* nthread: threads in the block; nzone, nalloc: zones and allocations of the current thread */
	struct open { int64_t end; uint64_t zone; uint32_t depth; } *open;    /* stack of open zones */
	size_t nopen, capopen;
	struct rec run;               /* consecutive allocations of the same class in one zone, merged; n = 0: none */
	uint64_t run_in;
};

static void
put(struct block *b, enum column c, uint64_t v)
{
	char number[10];
	size_t n = (size_t)(tt_put_varint(number, v) - number);

	tt_buf_add(&b->column[c], number, n);
	b->size += n;
}

/* The number of a name in the list of names; after an error 0, and the block fails. */
static uint64_t
name_of(struct block *b, uint64_t key, enum tt_details_kind kind, struct tt_err *err)
{
	struct tt_details *d = b->d;
	uint64_t hash = tt_seeded_pair(kind, key);
	uint32_t at = tt_map_find(&d->name_index, hash, i, d->name[i].key == key && d->name[i].kind == kind);

	if (at)
		return at - 1;
	if (tt_map_push(&d->name_index, d->mem, hash, &d->name, &d->capname, d->nname, err) != TT_OK) {
		tt_buf_fail(&b->all);
		return 0;
	}
	d->name[d->nname] = (struct tt_details_name){ key, kind };
	return d->nname++;
}

static void
end_run(struct block *b, struct tt_err *err)
{
	if (b->run.n == 0)
		return;
	put(b, ALLOC_IN, b->run_in);
	put(b, ALLOC_CLASS, name_of(b, b->run.key, TT_DETAILS_CLASS, err));
	put(b, ALLOC_COUNT, b->run.n);
	put(b, ALLOC_BYTES, (uint64_t)b->run.dur);
	b->nalloc++;
	b->run.n = 0;
}

static void
end_thread(struct block *b, struct tt_err *err)
{
	if (!b->begun)
		return;
	end_run(b, err);
	put(b, THREAD_ZONES, b->nzone);
	put(b, THREAD_ALLOCS, b->nalloc);
	b->begun = false;
}

static void
begin_thread(struct block *b, uint32_t thread, struct tt_err *err)
{
	end_thread(b, err);
	b->thread = thread;
	b->begun = true;
	b->last = b->from;
	b->nzone = b->nalloc = b->nopen = 0;
	b->nthread++;
	put(b, THREAD_NAME, name_of(b, thread ? thread - 1 : b->d->thread, TT_DETAILS_THREAD, err));
}

/* Close the zones that end before ${r}; if ${r} is a zone, also close open zones at its depth or deeper. */
static void
close_zones(struct block *b, const struct rec *r)
{
	while (b->nopen && (b->open[b->nopen - 1].end < r->ts || (r->n == 0 && b->open[b->nopen - 1].depth >= r->depth)))
		b->nopen--;
}

static int
add_rec(struct block *b, const struct rec *r, struct tt_err *err)
{
	int64_t from = r->ts > b->from ? r->ts : b->from, to = r->ts + r->dur < b->to ? r->ts + r->dur : b->to;

	if (!b->begun || b->thread != r->thread)
		begin_thread(b, r->thread, err);
	close_zones(b, r);
	if (r->n) {
		uint64_t in = b->nopen ? b->open[b->nopen - 1].zone : 0;

		if (b->run.n && (b->run_in != in || b->run.key != r->key || b->run.n > UINT32_MAX - r->n))
			end_run(b, err);
		b->run = (struct rec){ .key = r->key, .n = b->run.n + r->n, .dur = (b->run.n ? b->run.dur : 0) + r->dur };
		b->run_in = in;
		return TT_OK;
	}
	end_run(b, err);
	if (tt_mem_grow(b->d->mem, &b->open, &b->capopen, b->nopen + 1, sizeof *b->open, err) != TT_OK)
		return err->code;
	b->open[b->nopen++] = (struct open){ r->ts + r->dur, ++b->nzone, r->depth };
	put(b, ZONE_START, (uint64_t)(from - b->last));
	put(b, ZONE_DEPTH, (uint64_t)r->depth * 4 + r->cut * 2 + (r->ts < b->from));
	put(b, ZONE_NAME, name_of(b, r->key, TT_DETAILS_ZONE, err));
	put(b, ZONE_NS, (uint64_t)(to - from));
	b->last = from;
	return TT_OK;
}

static void
put_base64(struct tt_buf *out, const uint8_t *p, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	char *to;

	/* Without padding (=), which only tells the length. */
	if (tt_buf_room(out, n / 3 * 4 + 4, NULL) != TT_OK)
		return;
	for (to = out->p + out->n; n > 0; n -= n < 3 ? n : 3, p += 3) {
		uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? p[1] : 0u) << 8 | (n > 2 ? p[2] : 0u);
		char four[4] = { digit[v >> 18], digit[v >> 12 & 63], digit[v >> 6 & 63], digit[v & 63] };

		memcpy(to, four, sizeof four);
		to += n > 2 ? 4 : n + 1;
	}
	out->n = (size_t)(to - out->p);
}

/* Compression level. zlib's default, 6, takes more than twice as long for 4 % less. */
enum { LEVEL = 4 };

/* tt_page_pack_up_to() with the limit ${most} applied before the base64 encoding. */
static int
pack(const struct tt_buf *text, uint64_t most, size_t *done, struct tt_buf *out, struct tt_err *err)
{
	const size_t bound = compressBound((uLong)text->n), room = most < bound ? (size_t)most : bound;
	z_stream z = { .next_in = (Bytef *)(uintptr_t)text->p, .avail_in = (uInt)text->n, .avail_out = (uInt)room };
	struct tt_buf packed = { 0 };
	int rc = tt_buf_room(&packed, room + 1, err), end = Z_OK;

	*done = 0;
	if (rc == TT_OK && (text->n > UINT32_MAX / 2 || deflateInit(&z, LEVEL) != Z_OK))
		rc = tt_fail_nomem(err);
	if (rc == TT_OK) {
		z.next_out = (Bytef *)packed.p;
		end = deflate(&z, Z_FINISH);
		*done = end == Z_STREAM_END || z.total_in < text->n ? z.total_in : text->n - 1;
		deflateEnd(&z);
	}
	if (end == Z_STREAM_END)
		put_base64(out, (const uint8_t *)packed.p, z.total_out);
	tt_buf_free(&packed);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}

int
tt_page_pack_up_to(const struct tt_buf *text, uint64_t most, size_t *done, struct tt_buf *out, struct tt_err *err)
{
	return pack(text, most ? most / 4 * 3 : UINT64_MAX, done, out, err);
}

int
tt_page_pack(const struct tt_buf *text, struct tt_buf *out, struct tt_err *err)
{
	size_t done;

	return tt_page_pack_up_to(text, 0, &done, out, err);
}

/* Finish the block of the frame and append it to ${to}, if it fits into ${room}: in base64 three bytes become four characters, two three, and one two. */
static int
end_block(struct block *b, struct tt_detail *to, uint64_t *room, struct tt_err *err)
{
	const uint64_t most = *room / 4 * 3 + (*room % 4 ? *room % 4 - 1 : 0);
	char number[10];
	size_t done;
	int rc;

	end_thread(b, err);
	tt_buf_add(&b->all, number, (size_t)(tt_put_varint(number, b->nthread) - number));
	for (size_t i = 0; i < NCOLUMN; i++) {
		tt_buf_add(&b->all, b->column[i].p, b->column[i].n);
		if (b->column[i].failed)
			tt_buf_fail(&b->all);
	}
	rc = tt_buf_error(&b->all, err);
	if (rc == TT_OK && !b->full)
		rc = pack(&b->all, most, &done, &to->text, err);
	*room -= rc == TT_OK ? to->text.n : 0;
	return rc;
}

static void
begin_block(struct block *b, size_t rank)
{
	const size_t frame = b->d->detail[rank].frame;

	for (size_t i = 0; i < NCOLUMN; i++)
		b->column[i].n = 0;
	b->all.n = b->size = b->nthread = 0;
	b->from = tt_frames_start(b->f, frame);
	b->to = b->from + tt_frames_dur(b->f, frame);
	b->full = false;
}

static int
put_blocks(struct block *b, struct tt_sorted *in, struct tt_err *err)
{
	struct tt_details *d = b->d;
	uint64_t room = d->max_bytes ? d->max_bytes : UINT64_MAX;
	const void *next = NULL;
	int rc = tt_sorted_next(in, &next, err);

	for (size_t rank = 0; rank < d->nmax_blocks && rc == TT_OK; rank++) {
		/* A frame that does not pack to a sixteenth will not fit; nobody looks at so much, either. */
		size_t most = room < MAX_BYTES / 16 ? (size_t)room * 16 : MAX_BYTES;

		begin_block(b, rank);
		while (rc == TT_OK && next && ((const struct rec *)next)->rank == rank) {
			b->full = b->full || b->size > most;
			if (!b->full)
				rc = add_rec(b, next, err);
			TT_THEN(rc, tt_sorted_next(in, &next, err));
		}
		TT_THEN(rc, end_block(b, &d->detail[rank], &room, err));
	}
	return rc;
}

/* --- life ------------------------------------------------------------------------------------- */

/* The number of frames to choose. */
static size_t
most_of(const struct tt_details *d, const struct tt_model *m)
{
	const uint64_t zones = m->max_zones / m->frames->n + 1, room = (d->max_bytes ? d->max_bytes : MIN_BYTES) / PART / (zones * PER_ZONE + PER_BLOCK);

	return m->max_zones == 0 || room < TT_DETAILS_MIN ? TT_DETAILS_MIN : room < TT_DETAILS ? (size_t)room : TT_DETAILS;
}

static int
begin(void *state, struct tt_err *err)
{
	struct details *s = state;
	const struct tt_frames *f = s->e.m->frames;

	s->d = (struct tt_details *)(uintptr_t)s->e.o.own;
	s->d->mem = &s->e.env->mem;
	tt_sorter_init(&s->d->recs, s->e.env, &form);
	if (!f || f->nrange != 1 || f->n == 0)
		return TT_OK;
	s->d->thread = tt_frames_thread(f, 0);
	s->d->process = f->range[0].process;
	s->d->nchosen = most_of(s->d, s->e.m);
	return choose_all(s, NULL, false, err);
}

/*
 * Set *${more} if the input must be read again: some of the worst frames, which are known only now, were not chosen; or they do not come first, though there is
 * room for more frames.
 */
static int
again(void *state, bool *more, struct tt_err *err)
{
	struct details *s = state;
	const struct tt_hitches *worst;
	int rc = TT_OK;

	*more = false;
	if (s->d->n == 0)
		return rc;
	worst = tt_frames_cap(s->e.m->frames) && s->e.m->frames->has_wait ? &s->e.m->frames->latest : &s->e.m->frames->longest;
	const bool first = s->d->nchosen > TT_DETAILS_MIN && worst == &s->e.m->frames->latest;
	for (size_t i = 0; i < worst->n && !*more; i++)
		*more = !is_chosen(s->d, worst->h[i].frame) || (first && s->d->detail[i].frame != worst->h[i].frame);
	if (!*more)
		return TT_OK;
	tt_sorter_free(&s->d->recs);
	tt_sorter_init(&s->d->recs, s->e.env, &form);
	return choose_all(s, worst, worst == &s->e.m->frames->latest, err);
}

static int
finish(void *state, struct tt_err *err)
{
	const struct details *s = state;

	return tt_sorter_done(&s->d->recs, err);
}

const struct tt_emit tt_page_details = {
	.name = "details", .state = sizeof(struct details), .needs = TT_NEEDS_SLICES | TT_NEEDS_FRAMES,
	.begin = begin, .times = times, .chunk = chunk, .write = write_recs, .again = again, .finish = finish,
};

int
tt_details_make(struct tt_details *d, const struct tt_model *m, struct tt_err *err)
{
	struct block b = { .d = d, .f = m->frames };
	struct tt_sorted *in = NULL;
	int rc = d->n ? tt_sorted_open(&d->recs, &in, err) : TT_OK;

	if (in)
		rc = put_blocks(&b, in, err);
	tt_sorted_close(in);
	tt_sorter_free(&d->recs);
	tt_buf_free(&b.all);
	for (size_t i = 0; i < NCOLUMN; i++)
		tt_buf_free(&b.column[i]);
	tt_mem_free(d->mem, b.open, b.capopen * sizeof *b.open);
	return rc;
}

void
tt_details_free(struct tt_details *d)
{
	tt_sorter_free(&d->recs);
	for (size_t i = 0; i < d->n; i++)
		tt_buf_free(&d->detail[i].text);
	if (!d->mem)
		return;
	tt_mem_free(d->mem, d->name, d->capname * sizeof *d->name);
	tt_map_free(&d->name_index, d->mem);
}

/* --- in the page ----------------------------------------------------------------------------------- */

size_t
tt_details_nshown(const struct tt_details *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->detail[i].text.n > 0;
	return n;
}

/* Write the names as [name, ...]. */
static void
put_names(const struct tt_details *d, const struct tt_paths *p, struct tt_buf *out)
{
	struct tt_json j = { .out = out };

	tt_json_open(&j, NULL, "[");
	for (size_t i = 0; i < d->nname; i++) {
		uint64_t key = d->name[i].key;

		tt_json_text(&j, NULL, d->name[i].kind == TT_DETAILS_THREAD ? p->m->threads.t[key]->name : d->name[i].kind == TT_DETAILS_CLASS ?
		    tt_model_class(p->m, d->process, key) : tt_paths_label(p, tt_model_key(p->m, d->process, key)));
	}
	tt_json_close(&j, "]");
}

int
tt_details_put(const struct tt_details *d, struct tt_views *view, const char *command, struct tt_buf *out, struct tt_err *err)
{
	const struct tt_frames *f = view->m->frames;
	struct tt_buf text = { 0 };
	const struct tt_paths *p;
	int rc;

	if (tt_details_nshown(d) == 0)
		return TT_OK;
	p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, err);
	if (!p)
		return err->code;
	put_names(d, p, &text);
	rc = tt_buf_error(&text, err);
	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-names=\"%zu\" data-median=\"%llu\" data-command=\"", d->nname,
	    (unsigned long long)tt_frames_number(f, d->median));
	tt_html_text(out, command);
	tt_buf_text(out, "\">");
	TT_THEN(rc, tt_page_pack(&text, out, err));
	tt_buf_text(out, "</script>\n");
	for (size_t i = 0; i < d->n && rc == TT_OK; i++) {
		if (d->detail[i].text.n == 0)
			continue;
		tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-frame=\"%llu\" data-ns=\"%lld\">",
		    (unsigned long long)tt_frames_number(f, d->detail[i].frame), (long long)tt_frames_dur(f, d->detail[i].frame));
		tt_buf_add(out, d->detail[i].text.p, d->detail[i].text.n);
		tt_buf_text(out, "</script>\n");
	}
	tt_buf_free(&text);
	return rc;
}
