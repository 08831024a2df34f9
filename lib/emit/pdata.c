/**
 * pdata: frames, and the markers in each, for Unity's Profile Analyzer: version 7 of its files, which every 1.x opens.
 *
 * A file lists frames; a frame lists its threads, and a thread its markers, outer before inner. Each list has its length in front, so nothing can
 * be written before all zones are known: zones are put aside in order of begin (slice_sort.h), each thread is cut into frames, which go to a second
 * spool with an index, and frames are assembled from these. A zone that continues in the next frame is in both frames with its part. Names are
 * numbered as they come; their tables are at the end of the file.
 *
 * The Profile Analyzer opens one file for each side of its comparison, so each capture becomes a file.
 *
 * Memory: names, the table of frames, open zones, half a KiB for each thread. Disk: 32 bytes for each zone, and 12 for each marker written.
 */
#include <inttypes.h>
#include <string.h>

#include "base/order.h"
#include "base/setting.h"
#include "emit/common.h"
#include "emit/slice_sort.h"
#include "emit/text_spool.h"
#include "io/sink.h"
#include "io/spool.h"
#include "sys/sys.h"

enum { VERSION = 7, PENDING = 1 << 16, AHEAD = 32 };

/* The depth of allocations and instants, which have no length: inside all zones of their time. */
#define INSIDE UINT32_MAX
/* The key of allocations, which no zone has. */
#define KEY_ALLOC TT_KEY_OUTSIDE
#define ALLOC_NAME "GC.Alloc"

/* Bytes in a spool, followed by those that are still in memory. */
struct store {
	int fd;                       /* -1: the spool is not open yet */
	uint64_t written;
	struct tt_buf pending;
};

/* The distinct texts of a table of the file. */
struct texts {
	struct tt_map at;
	const char **s;
	size_t n, cap;
};

/* A marker in the layout of the file. */
struct marker { uint32_t name; float ms; int32_t depth; };

/* The number of markers of a thread in a frame; the markers themselves lie in the store, thread by thread. */
struct section { uint32_t frame, n; };

/* A thread of the file that is being assembled. */
struct part {
	uint64_t index, end;          /* range in the index of its sections that were not read yet */
	uint64_t at;                  /* place in the store of the next section's markers */
	uint32_t name, next;          /* next: the next thread that waits for the same frame, as index + 1; 0: no other */
	struct section ahead[AHEAD];
	unsigned i, n;
};

/*
 * An open zone. root: true if it is the thread's frame itself, which has no marker in the file. level: its depth in this frame, or that of the zone around
 * it.
 */
struct level { int64_t end; uint32_t name, depth, level; bool root; };

struct pdata {
	struct tt_emitting e;         /* a sink for each capture */
	struct tt_slices slices;
	uint64_t put_aside;

	/* the file being written */
	struct tt_buf out;
	struct tt_sink *to;
	struct store markers, index;
	struct texts marker, thread, thread_name;
	uint32_t *nalike;             /* by index in thread_name: number of threads so far with that name */
	size_t capalike;
	struct tt_map key;            /* index in named by key */
	struct named { uint64_t key; const char *full; uint32_t name; bool left_out; } *named;
	size_t nnamed, capnamed;
	struct tt_arena text;
	struct part *part;
	size_t npart, cappart;

	/* the thread being cut into frames */
	const struct tt_thread *of;
	const char *root;             /* full name of the zones that are the thread's frames themselves */
	size_t first, end, at;        /* range of the capture's frames; the frame that is being filled, or the next one */
	struct level *open;
	size_t nopen, capopen;
	bool in;                      /* true: frame ${at} is being filled */
	uint32_t n;                   /* number of markers in that frame */
	uint64_t outside;             /* number of zones that are in no frame */
};

/* --- on the way --------------------------------------------------------------------------------------- */

/* Make a slice of an allocation or an instant. False: the event is something else, or outside the filter's time. */
static bool
point(const struct tt_view *v, size_t i, struct tt_slice *s)
{
	const struct tt_event *e = &v->b->ev[i];

	*s = (struct tt_slice){ .ts = e->ts, .key = e->kind == TT_ALLOC ? KEY_ALLOC : e->val, .depth = INSIDE };
	return (e->kind == TT_ALLOC || e->kind == TT_INSTANT) && tt_emit_in_time(&v->m->filter, e->ts);
}

/* Append the zones that begin at ${ts} or earlier. */
static int
add_zones(const struct tt_view *v, struct tt_view_at *at, int64_t ts, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_room(out, (v->nslice - at->slice + v->nbegun - at->begun) * sizeof(struct tt_slice), err);

	for (const struct tt_slice *z; rc == TT_OK && (z = tt_view_next(v, at, ts));) {
		memcpy(out->p + out->n, z, sizeof *z);
		out->n += sizeof *z;
	}
	return rc;
}

/* Append the zones, allocations and instants of the chunk in order of begin. */
static int
pdata_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct tt_view_at at = { 0 };
	struct tt_slice s;
	int rc = TT_OK;

	(void)state;
	for (size_t i = 0; (v->b->nalloc || v->b->nrare) && i < v->b->n && rc == TT_OK; i++) {
		if (!point(v, i, &s))
			continue;
		rc = add_zones(v, &at, s.ts, out, err);
		tt_buf_add(out, &s, sizeof s);
	}
	TT_THEN(rc, add_zones(v, &at, INT64_MAX, out, err));
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}

static int
pdata_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct pdata *d = state;

	return tt_slices_add(&d->slices, v->thread, p, n / sizeof(struct tt_slice), NULL, err);
}

/* --- names --------------------------------------------------------------------------------------------- */

static int
number_text(struct pdata *d, struct texts *t, const char *s, uint32_t *number, struct tt_err *err)
{
	struct tt_mem *mem = &d->e.env->mem;
	const uint64_t hash = tt_seeded_text(0, s, strlen(s));
	const uint32_t at = tt_map_find(&t->at, hash, i, strcmp(t->s[i], s) == 0);
	int rc;

	*number = at - 1;
	if (at)
		return TT_OK;
	if ((rc = tt_mem_grow(mem, &t->s, &t->cap, t->n + 1, sizeof *t->s, err)) != TT_OK)
		return rc;
	if (!(t->s[t->n] = tt_arena_text(&d->text, s, strlen(s), err)))
		return err->code;
	*number = (uint32_t)t->n;
	return tt_map_add(&t->at, mem, hash, t->n++, err);
}

/* Find the name of ${key} in the capture that the file is made from. */
static int
name_key(struct pdata *d, uint64_t key, struct named *named, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, key);
	const uint32_t at = tt_map_find(&d->key, hash, i, d->named[i].key == key);
	struct tt_nameless own;
	const struct tt_name *name = at ? NULL : tt_emit_name(d->e.m, d->of->process, key, &own);
	int rc;

	if (at) {
		*named = d->named[at - 1];
		return TT_OK;
	}
	*named = (struct named){ .key = key, .full = "" };
	if (key != KEY_ALLOC) {
		named->full = name == &own.name ? "" : name->full;
		named->left_out = !name->wanted || name->is_left_out;
	}
	rc = named->left_out ? TT_OK : number_text(d, &d->marker, key == KEY_ALLOC ? ALLOC_NAME : tt_emit_marker(name), &named->name, err);
	TT_THEN(rc, tt_map_push(&d->key, &d->e.env->mem, hash, &d->named, &d->capnamed, d->nnamed, err));
	if (rc == TT_OK)
		d->named[d->nnamed++] = *named;
	return rc;
}

/* Number a thread, called "1:Job.Worker 0": the digit counts the threads with that name so far, and the text after the colon is the name. */
static int
number_thread(struct pdata *d, const struct tt_thread *t, uint32_t *number, struct tt_err *err)
{
	struct tt_buf b = { 0 };
	uint32_t name = 0;
	int rc;

	tt_buf_printf(&b, "%s%s%s", t->group, *t->group ? "." : "", t->own_name);
	rc = tt_buf_error(&b, err);
	TT_THEN(rc, number_text(d, &d->thread_name, b.p, &name, err));
	TT_THEN(rc, tt_mem_grow(&d->e.env->mem, &d->nalike, &d->capalike, d->thread_name.n, sizeof *d->nalike, err));
	b.n = 0;
	if (rc == TT_OK) {
		tt_buf_printf(&b, "%" PRIu32 ":%s", ++d->nalike[name], d->thread_name.s[name]);
		rc = tt_buf_error(&b, err);
	}
	TT_THEN(rc, number_text(d, &d->thread, b.p, number, err));
	tt_buf_free(&b);
	return rc;
}

/* --- a thread, cut into frames ---------------------------------------------------------------------------- */

static int
flush(struct pdata *d, struct store *s, struct tt_err *err)
{
	int rc = tt_buf_error(&s->pending, err);

	if (rc == TT_OK && s->pending.n)
		rc = tt_text_spool_write(d->e.env, &d->put_aside, &s->fd, s->written, s->pending.p, s->pending.n, err);
	s->written += s->pending.n;
	s->pending.n = 0;
	return rc;
}

static int
keep(struct pdata *d, struct store *s, const void *p, size_t n, struct tt_err *err)
{
	tt_buf_add(&s->pending, p, n);
	return s->pending.n >= PENDING || s->pending.failed ? flush(d, s, err) : TT_OK;
}

/* Write the part of the open zone ${i} in the present frame, which begins at ${from}. */
static int
put_marker(struct pdata *d, size_t i, int64_t from, struct tt_err *err)
{
	const struct tt_frames *f = d->e.m->frames;
	struct level *l = &d->open[i];
	const int64_t frame_end = tt_frames_end(f, d->at), to = l->end < frame_end ? l->end : frame_end;
	const struct marker k = { l->name, (float)((double)(to - from) / 1e6), (int32_t)(i ? l[-1].level + 1 : 1) };

	l->level = l->root ? 0 : (uint32_t)k.depth;
	if (l->root)
		return TT_OK;
	if (d->n == INT32_MAX)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "pdata: a thread has more than %d markers in a frame", INT32_MAX);
	d->n++;
	return keep(d, &d->markers, &k, sizeof k, err);
}

/* Begin frame ${at} with the zones that are open. A zone that ends at its begin is not in the frame, but may enclose a zone without length. */
static int
enter(struct pdata *d, struct tt_err *err)
{
	const int64_t start = tt_frames_start(d->e.m->frames, d->at);
	int rc = TT_OK;
	size_t i;

	d->in = true;
	for (i = 0; i < d->nopen && d->open[i].end > start && rc == TT_OK; i++)
		rc = put_marker(d, i, start, err);
	for (; i < d->nopen; i++)
		d->open[i].level = i ? d->open[i - 1].level : 0;
	return rc;
}

static int
leave(struct pdata *d, struct tt_err *err)
{
	const struct section s = { (uint32_t)(d->at++ - d->first), d->n };

	d->in = false;
	d->n = 0;
	return s.n ? keep(d, &d->index, &s, sizeof s, err) : TT_OK;
}

/* Move to the frame that contains ${ts}, and set d->in; else to the next frame after ${ts}. */
static int
move_to(struct pdata *d, int64_t ts, struct tt_err *err)
{
	const struct tt_frames *f = d->e.m->frames;
	int rc = TT_OK;

	while (d->at < d->end && tt_frames_start(f, d->at) <= ts && rc == TT_OK) {
		if (tt_stopped(d->e.env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (!d->in)
			rc = enter(d, err);
		if (rc != TT_OK || tt_frames_end(f, d->at) > ts)
			break;
		const bool empty = d->n == 0;
		rc = leave(d, err);
		/* If no open zone continues into this frame, none continues into later frames, so skip to ${ts}. */
		if (empty)
			d->at = tt_lower_bound(i, d->at, d->end, tt_frames_end(f, i) <= ts);
	}
	return rc;
}

static int
push(struct pdata *d, struct level l, struct tt_err *err)
{
	int rc = tt_mem_grow(&d->e.env->mem, &d->open, &d->capopen, d->nopen + 1, sizeof *d->open, err);

	if (rc == TT_OK)
		d->open[d->nopen++] = l;
	return rc;
}

/* True unless the zone from ${from} to ${to} is at most half of the frame that it begins in: it is not the frame's root then, whatever its name. */
static bool
is_most_of_frame(const struct pdata *d, int64_t from, int64_t to)
{
	const struct tt_frames *f = d->e.m->frames;

	return !d->in || to - from > (tt_frames_end(f, d->at) - tt_frames_start(f, d->at)) / 2;
}

static int
cut(void *arg, const struct tt_slice *s, struct tt_err *err)
{
	struct pdata *d = arg;
	const struct tt_frames *f = d->e.m->frames;
	struct level l = { .end = s->dur > 0 && s->ts <= INT64_MAX - s->dur ? s->ts + s->dur : s->ts, .depth = s->depth };
	struct named named;
	int rc = name_key(d, s->key, &named, err);

	if (rc != TT_OK || named.left_out)
		return rc;
	if ((rc = move_to(d, s->ts, err)) != TT_OK)
		return rc;
	while (d->nopen > 0 && (d->open[d->nopen - 1].depth >= s->depth || d->open[d->nopen - 1].end < s->ts))
		d->nopen--;
	/* An inner zone must not outlast the zone around it. */
	if (d->nopen > 0 && l.end > d->open[d->nopen - 1].end)
		l.end = d->open[d->nopen - 1].end;
	l.name = named.name;
	l.root = d->nopen == 0 && s->depth == 0 && strcmp(named.full, d->root) == 0 && is_most_of_frame(d, s->ts, l.end);
	if ((rc = push(d, l, err)) != TT_OK || l.root)
		return rc;
	if (d->in)
		return put_marker(d, d->nopen - 1, s->ts, err);
	d->outside += d->at == d->end || l.end <= tt_frames_start(f, d->at);
	return TT_OK;
}

static int
cut_thread(struct pdata *d, size_t i, struct tt_err *err)
{
	struct part p = { .index = (d->index.written + d->index.pending.n) / sizeof(struct section),
		.at = d->markers.written + d->markers.pending.n };
	int rc;

	d->of = d->slices.thread[i].thread;
	d->at = d->first;
	d->nopen = d->n = 0;
	d->in = false;
	rc = number_thread(d, d->of, &p.name, err);
	if (rc != TT_OK)
		return rc;
	d->root = strchr(d->thread.s[p.name], ':') + 1;
	rc = tt_slices_each(&d->slices, i, cut, d, err);
	TT_THEN(rc, move_to(d, INT64_MAX, err));
	TT_THEN(rc, tt_mem_grow(&d->e.env->mem, &d->part, &d->cappart, d->npart + 1, sizeof *d->part, err));
	p.end = (d->index.written + d->index.pending.n) / sizeof(struct section);
	if (rc == TT_OK)
		d->part[d->npart++] = p;
	return rc;
}

/* --- a file, put together ----------------------------------------------------------------------------------- */

static int
spill(struct pdata *d, struct tt_err *err)
{
	int rc = tt_buf_error(&d->out, err);

	TT_THEN(rc, tt_sink_write(d->to, d->out.p, d->out.n, err));
	d->out.n = 0;
	return rc;
}

static void
put_i32(struct pdata *d, size_t v)
{
	const int32_t i = (int32_t)v;

	tt_buf_add(&d->out, &i, sizeof i);
}

/* Make p->ahead[p->i] the next section of a thread; p->i == p->n: no more sections. */
static int
look(struct pdata *d, struct part *p, struct tt_err *err)
{
	uint64_t n = p->end - p->index;

	if (p->i < p->n || n == 0)
		return TT_OK;
	p->i = 0;
	p->n = (unsigned)(n < AHEAD ? n : AHEAD);
	p->index += p->n;
	return tt_spool_read(d->e.env, d->index.fd, "frames", (p->index - p->n) * sizeof *p->ahead, p->ahead, p->n * sizeof *p->ahead, err);
}

/* Let thread ${i} wait for its next frame, if it has one. */
static int
wait_for(struct pdata *d, uint32_t *waiting, size_t i, struct tt_err *err)
{
	struct part *p = &d->part[i];
	int rc = look(d, p, err);

	if (rc == TT_OK && p->i < p->n) {
		p->next = waiting[p->ahead[p->i].frame];
		waiting[p->ahead[p->i].frame] = (uint32_t)i + 1;
	}
	return rc;
}

/* Write the markers of thread ${p} in this frame. */
static int
put_thread(struct pdata *d, struct part *p, struct tt_err *err)
{
	uint64_t left = (uint64_t)p->ahead[p->i].n * sizeof(struct marker);
	int rc = TT_OK;

	put_i32(d, p->name);
	put_i32(d, p->ahead[p->i++].n);
	for (; left > 0 && rc == TT_OK;) {
		const size_t n = left < PENDING ? (size_t)left : PENDING;
		rc = tt_buf_room(&d->out, n, err);
		TT_THEN(rc, tt_spool_read(d->e.env, d->markers.fd, "markers", p->at, d->out.p + d->out.n, n, err));
		d->out.n += n;
		p->at += n;
		left -= n;
		if (rc == TT_OK && d->out.n >= PENDING)
			rc = spill(d, err);
	}
	return rc;
}

static int
by_number(const void *a, const void *b)
{
	return TT_CMP(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int
put_frame(struct pdata *d, size_t i, uint32_t *waiting, uint32_t *thread, struct tt_err *err)
{
	const struct tt_frames *f = d->e.m->frames;
	const double start = (double)(tt_frames_start(f, d->first + i) - tt_emit_origin(d->e.m)) / 1e6;
	const float ms = (float)((double)tt_frames_wall(f, d->first + i) / 1e6);
	size_t n = 0;
	int rc = TT_OK;

	for (uint32_t at = waiting[i]; at; at = d->part[at - 1].next)
		thread[n++] = at - 1;
	tt_sort(thread, n, by_number);
	tt_buf_add(&d->out, &start, sizeof start);
	tt_buf_add(&d->out, &ms, sizeof ms);
	put_i32(d, n);
	for (size_t k = 0; k < n && rc == TT_OK; k++) {
		rc = put_thread(d, &d->part[thread[k]], err);
		TT_THEN(rc, wait_for(d, waiting, thread[k], err));
	}
	if (rc == TT_OK && tt_stopped(d->e.env))
		return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	return rc == TT_OK && d->out.n >= PENDING ? spill(d, err) : rc;
}

/* Write a text: its length in groups of 7 bits, the lowest first, then UTF-8. */
static int
put_text(struct pdata *d, const char *s, struct tt_err *err)
{
	struct tt_buf *b = &d->out;
	const size_t n = strlen(s);
	char head[10], *p = head;
	size_t len, left;
	int rc = tt_buf_room(b, 3 * n + sizeof head, err);

	if (rc != TT_OK)
		return rc;
	/* Clean the text behind the longest possible length, then move it up to the actual length. */
	char *text = b->p + b->n + sizeof head;
	len = (size_t)(tt_utf8_clean(text, s, n) - text);
	for (left = len; left >= 0x80; left >>= 7)
		*p++ = (char)(left | 0x80);
	*p++ = (char)left;
	memcpy(b->p + b->n, head, (size_t)(p - head));
	memmove(b->p + b->n + (p - head), text, len);
	b->n += (size_t)(p - head) + len;
	return b->n >= PENDING ? spill(d, err) : TT_OK;
}

static int
put_texts(struct pdata *d, const struct texts *t, struct tt_err *err)
{
	int rc = TT_OK;

	put_i32(d, t->n);
	for (size_t i = 0; i < t->n && rc == TT_OK; i++)
		rc = put_text(d, t->s[i], err);
	return rc;
}

static int
put_together(struct pdata *d, struct tt_err *err)
{
	struct tt_mem *mem = &d->e.env->mem;
	const size_t nframe = d->end - d->first;
	uint32_t *waiting = tt_mem_alloc(mem, nframe * sizeof *waiting, err);
	uint32_t *thread = tt_mem_alloc(mem, d->npart * sizeof *thread, err);
	int rc = waiting && thread ? TT_OK : err->code;

	TT_THEN(rc, flush(d, &d->markers, err));
	TT_THEN(rc, flush(d, &d->index, err));
	for (size_t i = d->npart; i > 0 && rc == TT_OK; i--)
		rc = wait_for(d, waiting, i - 1, err);
	put_i32(d, VERSION);
	/* The Profile Analyzer's window counts from 1 and shows this number + 1 for the first frame. */
	put_i32(d, (size_t)tt_frames_number(d->e.m->frames, d->first) - 1);
	put_i32(d, nframe);
	for (size_t i = 0; i < nframe && rc == TT_OK; i++)
		rc = put_frame(d, i, waiting, thread, err);
	TT_THEN(rc, put_texts(d, &d->marker, err));
	TT_THEN(rc, put_texts(d, &d->thread, err));
	tt_mem_free(mem, waiting, nframe * sizeof *waiting);
	tt_mem_free(mem, thread, d->npart * sizeof *thread);
	return rc == TT_OK ? spill(d, err) : rc;
}

/* --- the end -------------------------------------------------------------------------------------------------- */

static void
forget(struct store *s)
{
	if (s->fd >= 0)
		tt_sys_close(s->fd);
	s->fd = -1;
	s->written = 0;
	s->pending.n = 0;
}

static void
texts_free(struct texts *t, struct tt_mem *mem)
{
	tt_map_free(&t->at, mem);
	tt_mem_free(mem, t->s, t->cap * sizeof *t->s);
	*t = (struct texts){ 0 };
}

/* Free the part of the state that belongs to one file. */
static void
file_end(struct pdata *d)
{
	struct tt_mem *mem = &d->e.env->mem;

	d->put_aside -= d->markers.written + d->index.written;
	forget(&d->markers);
	forget(&d->index);
	texts_free(&d->marker, mem);
	texts_free(&d->thread, mem);
	texts_free(&d->thread_name, mem);
	tt_mem_free(mem, d->nalike, d->capalike * sizeof *d->nalike);
	d->nalike = NULL;
	d->capalike = 0;
	tt_map_free(&d->key, mem);
	d->nnamed = d->npart = 0;
	tt_arena_free(&d->text);
	tt_arena_init(&d->text, mem);
}

/* Find the frames of capture ${process}. False: it has no frames. */
static bool
find_frames(struct pdata *d, uint32_t process)
{
	const struct tt_frames *f = d->e.m->frames;

	for (size_t i = 0; f && i < f->nrange; i++)
		if (f->range[i].process == process) {
			d->first = f->range[i].first;
			d->end = f->range[i].end;
			return d->end > d->first;
		}
	return false;
}

static int
file(struct pdata *d, uint32_t process, struct tt_err *err)
{
	const char *whose = d->e.m->ncap > 1 ? d->e.m->cap[process]->path : "the capture";
	int rc = TT_OK;

	if (!find_frames(d, process) && d->e.m->cap[process]->nevent == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "pdata: %s has no whole frame, because it has no events", whose);
	if (!find_frames(d, process))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "pdata: %s has no whole frame: name a frame marker with %s", whose,
		    tt_setting_name[TT_SETTING_FRAME_MARKER]);
	d->to = d->e.sink[process];
	for (size_t i = 0; i < d->slices.nthread && rc == TT_OK; i++)
		if (d->slices.thread[i].thread && d->slices.thread[i].thread->process == process)
			rc = cut_thread(d, i, err);
	TT_THEN(rc, put_together(d, err));
	file_end(d);
	return rc;
}

static int
pdata_finish(void *state, struct tt_err *err)
{
	struct pdata *d = state;
	int rc = TT_OK;

	for (uint32_t i = 0; i < d->e.m->ncap && rc == TT_OK; i++)
		rc = file(d, i, err);
	if (rc == TT_OK && d->outside)
		tt_log(d->e.env, TT_LOG_NORMAL, "pdata: %" PRIu64 " zones in no whole frame are left out", d->outside);
	return rc;
}

/* --- life ----------------------------------------------------------------------------------------------------- */

static void
pdata_end(void *state)
{
	struct pdata *d = state;

	struct tt_mem *mem = &d->e.env->mem;
	file_end(d);
	tt_mem_free(mem, d->named, d->capnamed * sizeof *d->named);
	tt_mem_free(mem, d->part, d->cappart * sizeof *d->part);
	tt_mem_free(mem, d->open, d->capopen * sizeof *d->open);
	tt_slices_free(&d->slices);
	tt_buf_free(&d->out);
	tt_buf_free(&d->markers.pending);
	tt_buf_free(&d->index.pending);
}

static int
pdata_begin(void *state, struct tt_err *err)
{
	struct pdata *d = state;
	const size_t n = d->e.m->ncap;
	int rc = TT_OK;

	d->markers.fd = d->index.fd = -1;
	tt_arena_init(&d->text, &d->e.env->mem);
	tt_slices_init(&d->slices, d->e.env, &d->put_aside);
	if (n > 1 && strcmp(d->e.o.path, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "pdata: each capture becomes a file, and standard output is one: name a file");
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = tt_emit_open(&d->e, n > 1 ? i + 1 : 0, &(struct tt_sink *){ NULL }, err);
	return rc;
}

static const char *const suffixes[] = { ".pdata", NULL };

const struct tt_emit tt_emit_pdata = {
	.name = "pdata",
	.summary = "frames and their markers for Unity's Profile Analyzer; a file for each capture",
	.suffix = suffixes,
	.binary = true,
	.apart = true,
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_FRAMES | TT_NEEDS_APART,
	.state = sizeof(struct pdata),
	.begin = pdata_begin,
	.chunk = pdata_chunk,
	.write = pdata_write,
	.finish = pdata_finish,
	.end = pdata_end,
};
