/**
 * What is so throughout the capture: a heap that grows, allocation in every frame; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

#include "collect/collections.h"
#include "out/table.h"
#include "view/view.h"

/* Typical frames allocate this much, or more: at 60 frames a second some collections a minute. */
enum { LEAST_BYTES = 64 << 10 };

/* A heap that grows. */
enum { LEAST_POINTS = 4, LEAST_FALLS = 3, LEAST_GROWTH = 1 << 20 };

static const char *
text(struct tt_why *w, const char *fmt, const char *a, const char *b, const char *c)
{
	struct tt_buf to = { 0 };
	const char *s;

	tt_buf_printf(&to, fmt, a, b, c);
	s = tt_buf_error(&to, w->err) == TT_OK ? tt_arena_text(w->text, to.p, to.n, w->err) : NULL;
	tt_buf_free(&to);
	return s;
}

/* The marker that allocates the most in a typical frame; NULL: none does. *${sum}: what all allocate. */
static const struct tt_usual *
most_of_all(const struct tt_why *w, int64_t *sum)
{
	const struct tt_usual *most = NULL;

	*sum = 0;
	for (size_t i = 0; i < w->nusual; i++) {
		const struct tt_usual *u = &w->usual[i];

		if (u->what != TT_OF_SITE)
			continue;
		*sum += u->self;
		if (u->id != TT_NO_ROW && (!most || u->self > most->self))
			most = u;
	}
	return most;
}

static int
find_allocation(struct tt_why *w)
{
	struct tt_finding *f;
	char bytes[32], all[32];
	int64_t sum;
	const struct tt_usual *most = most_of_all(w, &sum);

	if (!most || most->self < LEAST_BYTES)
		return TT_OK;
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*tt_put_bytes(bytes, most->self) = '\0';
	*tt_put_bytes(all, sum) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_ALLOCATION, .marker = w->p->row[most->id].label, .frames = "all frames" };
	f->sentence = text(w, "%s allocates %s in a typical frame, of %s in all", f->marker, bytes, all);
	return w->err->code;
}

/* Sizes of the heap during the frames: the first, the last, and whether they only grow, or are larger after each time they fall. */
struct heap { size_t n, falls; uint64_t first, last, low; bool grows; };

static struct heap
heap_of(const struct tt_why *w)
{
	const struct tt_frames *f = w->m->frames;
	const struct tt_gc *gc = tt_gc(w->m);
	int64_t from = f->start[0], to = f->start[f->n - 1] + f->dur[f->n - 1];
	struct heap h = { .grows = true };

	for (size_t i = 0; i < gc->nheap; i++) {
		uint64_t bytes = gc->heap[i].bytes;

		if (gc->heap[i].ts < from || gc->heap[i].ts >= to)
			continue;
		if (h.n++ == 0)
			h.first = h.low = bytes;
		else if (bytes < h.last) {
			h.falls++;
			h.grows = h.grows && bytes > h.low;
			h.low = bytes;
		}
		h.last = bytes;
	}
	return h;
}

/* The heap of one process that only grows, or after each fall. */
static int
find_leak(struct tt_why *w, bool *found)
{
	const struct heap h = heap_of(w);
	uint64_t end = h.falls ? h.low : h.last;
	struct tt_finding *f;
	char a[32], z[32], bytes[32];
	int64_t sum;
	const struct tt_usual *most = most_of_all(w, &sum);

	*found = h.n >= LEAST_POINTS && h.grows && (h.falls == 0 || h.falls >= LEAST_FALLS) && end >= h.first + h.first / 4 &&
	    end >= h.first + LEAST_GROWTH && w->m->ncap == 1;
	if (!*found)
		return TT_OK;
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*tt_put_bytes(a, (int64_t)h.first) = '\0';
	*tt_put_bytes(z, (int64_t)end) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_LEAK, .frames = "all frames" };
	if (!most || most->self * (int64_t)w->m->frames->n < (int64_t)(end - h.first) / 2) {
		f->sentence = text(w, "leak: the heap grows from %s to %s; heap shots tell what stays%s", a, z, "");
		return w->err->code;
	}
	f->marker = w->p->row[most->id].label;
	*tt_put_bytes(bytes, most->self) = '\0';
	const char *grows = text(w, "leak: the heap grows from %s to %s%s", a, z, "");
	f->sentence = grows ? text(w, "%s; %s allocates most, %s a frame; heap shots tell what stays", grows, f->marker, bytes) : NULL;
	return w->err->code;
}

int
tt_why_steady(struct tt_why *w)
{
	bool leaks;
	int rc = find_leak(w, &leaks);

	return rc == TT_OK && !leaks ? find_allocation(w) : rc;
}
