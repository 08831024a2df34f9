/**
 * Writes the sentence for a cause, or for several of one kind: what takes the time, and the range of its figures.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "model/names.h"
#include "out/table.h"
#include "view/view.h"

static const char *
label(const struct tt_paths *p, uint32_t row)
{
	return row == TT_NO_ROW ? TT_OUTSIDE : p->row[row].label;
}

/* label() without "(wrapper managed-to-native) ". */
static const char *
bare(const struct tt_paths *p, uint32_t row)
{
	const char *s = label(p, row);

	return s + tt_name_wrapper(s);
}

/* Several causes of one kind and marker: the one with the most extra time, and the range of the figures of all (_low to _high). */
struct alike {
	const struct tt_cause *c;
	size_t frames;
	int64_t ns, extra;            /* sums over all causes; ns: time of what is named */
	int64_t more_low, more_high, took_low, took_high, each_low, each_high;        /* each: extra time of a single frame */
	int64_t all_low, all_high, whole_low, whole_high, row_took_low, row_took_high, usual_took_low, usual_took_high;
	int64_t longest_low, longest_high, bytes_low, bytes_high, gc_took_low, gc_took_high;
	uint64_t n_low, n_high, usual_n_low, usual_n_high, allocs_low, allocs_high;
	unsigned generations;         /* bit g: collections of generation g */
	bool one_call;                /* true: in each of these frames, one of several calls takes most of the time */
	bool one_row;                 /* true: all causes have the same marker */
	bool is_part;                 /* true: in some of these frames, others of the class take at least a tenth of its time */
	bool is_mixed;                /* true: in some of these frames, waits, collections and such take more than a tenth of the method's time */
	bool same_starter;            /* true: all collections started in the same marker, on the same thread */
	bool told;                    /* true: the second half of the sentence reports the allocations */
	bool others;                  /* true: some frame has exceptions of other classes, too */
	bool bursts;                  /* true: the method allocates far more than usual in all frames */
	bool same_by;
	uint32_t callee;              /* for slow calls: the callee, if it is the same in all frames; else TT_NO_ROW */
	uint32_t under;
	uint64_t callee_low, callee_high;
	bool same_parts;
	struct { int64_t low, high; } part[TT_CAUSE_PARTS];
};

/* True if ${ns} is under nine tenths of ${all}. */
static bool
is_tenth_less(int64_t ns, int64_t all)
{
	return ns < all - all / 10;
}

static struct alike
one_cause(const struct tt_cause *c)
{
	const int64_t longer = c->took_ns - c->usual_ns;      /* for a slow call, the sentence reports all its time */
	const int64_t ns = c->class == TT_CAUSE_SLOW_CALL && longer > c->ns ? longer : c->named_ns;

	struct alike a = { .c = c, .frames = 1, .ns = ns + c->gc_ns, .extra = c->extra, .more_low = c->beyond_ns, .more_high = c->beyond_ns, .all_low =
	    c->class_ns,
		.all_high = c->class_ns, .whole_low = c->whole_ns, .whole_high = c->whole_ns, .row_took_low = c->row_took_ns, .row_took_high = c->row_took_ns,
		.usual_took_low = c->usual_took_ns, .usual_took_high = c->usual_took_ns, .is_part = is_tenth_less(c->took_ns, c->class_ns),
		.is_mixed = is_tenth_less(c->took_ns, c->whole_ns), .same_starter = true, .took_low = c->took_ns, .took_high = c->took_ns,
		.each_low = c->extra, .each_high = c->extra, .longest_low = c->longest, .longest_high = c->longest, .bytes_low = c->bytes,
		.bytes_high = c->bytes, .n_low = c->n, .n_high = c->n, .usual_n_low = c->usual_n, .usual_n_high = c->usual_n, .allocs_low = c->allocs,
		.allocs_high = c->allocs, .gc_took_low = c->gc_took, .gc_took_high = c->gc_took, .generations = c->generations,
		.one_call = c->usual_n && c->n > 1 && c->longest > c->ns / 2, .one_row = true, .others = c->nother_exceptions > 0, .same_by = true, .bursts =
		    c->has_burst,
		.callee = c->callee,
		.callee_low = c->callee_n, .callee_high = c->callee_n, .under = c->method_around, .same_parts = true };

	for (unsigned i = 0; i < c->nparts; i++)
		a.part[i].low = a.part[i].high = c->part[i].took_ns;
	return a;
}

/* Widen the ranges of several methods' times by ${c}. If the methods differ between frames, only those of the worst frame are named. */
static void
add_parts(struct alike *a, const struct tt_cause *c)
{
	a->same_parts = a->same_parts && a->c->nparts == c->nparts;
	for (unsigned i = 0; i < c->nparts && a->same_parts; i++) {
		const int64_t took = c->part[i].took_ns;

		a->same_parts = a->c->part[i].row == c->part[i].row;
		a->part[i].low = took < a->part[i].low ? took : a->part[i].low;
		a->part[i].high = took > a->part[i].high ? took : a->part[i].high;
	}
}

#define WIDEN(field) (a->field##_low = k.field##_low < a->field##_low ? k.field##_low : a->field##_low, \
	a->field##_high = k.field##_high > a->field##_high ? k.field##_high : a->field##_high)

static void
add_alike(struct alike *a, const struct tt_cause *c)
{
	const struct alike k = one_cause(c);

	a->frames++;
	a->ns += k.ns;
	a->extra += c->extra;
	a->generations |= k.generations;
	a->one_call = a->one_call && k.one_call;
	a->one_row = a->one_row && a->c->row == c->row;
	a->others = a->others || k.others;
	a->same_by = a->same_by && a->c->by == c->by;
	a->under = a->under == c->method_around ? c->method_around : TT_NO_ROW;
	add_parts(a, c);
	a->callee = a->callee == c->callee ? c->callee : TT_NO_ROW;
	a->bursts = a->bursts && k.bursts;
	a->is_part = a->is_part || k.is_part;
	a->is_mixed = a->is_mixed || k.is_mixed;
	a->same_starter = a->same_starter && a->c->starter == c->starter && a->c->is_for_shot == c->is_for_shot &&
	    (a->c->other_start_thread == c->other_start_thread ||
	    (a->c->other_start_thread && c->other_start_thread && strcmp(a->c->other_start_thread, c->other_start_thread) == 0));
	WIDEN(more);
	WIDEN(took);
	WIDEN(all);
	WIDEN(whole);
	WIDEN(row_took);
	WIDEN(usual_took);
	WIDEN(each);
	WIDEN(longest);
	WIDEN(bytes);
	WIDEN(n);
	WIDEN(usual_n);
	WIDEN(allocs);
	WIDEN(gc_took);
	WIDEN(callee);
	a->c = c->extra > a->c->extra ? c : a->c;
}

/* The number of causes at ${c} whose second cause is the same as ${also}. */
static size_t
count_beside(const struct tt_cause *also, const struct tt_cause *const *c, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += c[i]->second && tt_why_is_same(c[i]->second, also);
	return same;
}

/* Find the second cause that most of the ${n} causes at ${c} share, into ${to}. Return false if there is none. */
static bool
beside(const struct tt_cause *const *c, size_t n, struct alike *to)
{
	const struct tt_cause *most = NULL;

	/* A majority also occurs in the first half. */
	for (size_t i = 0; i < n - n / 2 && !most; i++)
		most = c[i]->second && 2 * count_beside(c[i]->second, c, n) > n ? c[i]->second : NULL;
	if (!most)
		return false;
	*to = (struct alike){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (!c[i]->second || !tt_why_is_same(c[i]->second, most))
			continue;
		if (to->frames == 0)
			*to = one_cause(c[i]->second);
		else
			add_alike(to, c[i]->second);
	}
	return true;
}

#undef WIDEN

/* "2.1 to 2.3 ms" from "2.1 ms" and "2.3 ms"; only one if both are equal. */
static void
put_span(struct tt_buf *b, const char *low, const char *high)
{
	const char *of = strrchr(low, ' '), *unit = strrchr(high, ' ');
	size_t n = of && unit && strcmp(of, unit) == 0 ? (size_t)(of - low) : strlen(low);

	if (strcmp(low, high) != 0)
		tt_buf_printf(b, "%.*s to ", (int)n, low);
	tt_buf_text(b, high);
}

static void
put_times(struct tt_buf *b, int64_t low, int64_t high)
{
	char l[32], h[32];

	*tt_put_time_short(l, low) = '\0';
	*tt_put_time_short(h, high) = '\0';
	put_span(b, l, h);
}

static void
put_time(struct tt_buf *b, int64_t ns)
{
	put_times(b, ns, ns);
}

/* The time of waits, exceptions and the like in the frame: "343 ms", or "343 ms (usually 5.2 ms)" if the usual time is at least a twentieth of it. */
static void
put_took(struct tt_buf *b, const struct alike *a)
{
	put_times(b, a->took_low, a->took_high);
	if (a->usual_took_high == 0 || a->usual_took_high < a->took_low / 20)
		return;
	tt_buf_text(b, " (usually ");
	put_times(b, a->usual_took_low, a->usual_took_high);
	tt_buf_text(b, ")");
}

/* ", of 42.43 ms of waiting", if what is named takes less than nine tenths of that. */
static void
put_of_all(struct tt_buf *b, const struct alike *a, const char *of)
{
	if (!a->is_part)
		return;
	tt_buf_text(b, ", of ");
	put_times(b, a->all_low, a->all_high);
	tt_buf_printf(b, " %s", of);
}

static void
put_bytes(struct tt_buf *b, int64_t low, int64_t high)
{
	char l[32], h[32];

	*tt_put_bytes(l, low) = '\0';
	*tt_put_bytes(h, high) = '\0';
	put_span(b, l, h);
}

static void
put_count(struct tt_buf *b, uint64_t low, uint64_t high, const char *one, const char *many)
{
	char l[32], h[32];

	*tt_put_count(l, (int64_t)low) = '\0';
	*tt_put_count(h, (int64_t)high) = '\0';
	put_span(b, l, h);
	tt_buf_printf(b, " %s", high == 1 ? one : many);
}

/* ", usually 6", ", usually none" */
static void
put_usual(struct tt_buf *b, uint64_t n)
{
	char t[32];

	*tt_put_count(t, (int64_t)n) = '\0';
	tt_buf_printf(b, ", usually %s", n ? t : "none");
}

/* "a gen-0 collection"; for one frame "gen-0 and gen-1 collections", for several "a gen-0 or gen-1 collection"; "a collection" if generations are not known. */
static void
put_generations(struct tt_buf *b, const struct alike *a)
{
	const unsigned all = a->generations;
	const bool many = a->frames == 1 && (all & (all - 1));
	bool more = false;

	tt_buf_text(b, many ? "" : "a ");
	for (unsigned g = 0; g < 32; g++) {
		if (all >> g & 1)
			tt_buf_printf(b, more ? many ? "and gen-%u " : "or gen-%u " : "gen-%u ", g);
		more = more || all >> g & 1;
	}
	tt_buf_text(b, many ? "collections" : "collection");
}

static void
collection(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;
	uint32_t starter = c->row2 != TT_NO_ROW ? c->row2 : c->row;

	put_took(b, a);
	tt_buf_text(b, " for ");
	put_generations(b, a);
	if (c->is_requested) {
		tt_buf_printf(b, c->is_guessed ? " in %s, which allocates too little to cause it" : " that %s asked for", label(p, c->row));
		put_of_all(b, a, "of collections");
		if (c->by != TT_NO_ROW) {
			tt_buf_printf(b, "; %s allocates most, ", label(p, c->by));
			put_bytes(b, c->usual_ns, c->usual_ns);
			tt_buf_text(b, " a frame");
		}
		return;
	}
	tt_buf_text(b, a->same_starter ? ", " : ", in the worst frame ");
	if (c->is_for_shot)
		tt_buf_text(b, "the heap shot's");
	else if (c->other_start_thread)
		tt_buf_printf(b, "on thread \"%s\"", c->other_start_thread);
	else
		tt_buf_printf(b, "started in %s", label(p, starter));
	put_of_all(b, a, "of collections");
	if (a->told)
		return;
	if (c->bytes > 0) {
		tt_buf_printf(b, "; %s allocates ", label(p, c->row));
		put_bytes(b, a->bytes_low > 0 ? a->bytes_low : c->bytes, a->bytes_high);
		tt_buf_text(b, " in the frame");
		if (c->name)
			tt_buf_printf(b, ", most of it %s", c->name);
	} else if (c->row2 != TT_NO_ROW) {
		if (starter == c->row)
			tt_buf_text(b, ", which allocates most: ");
		else
			tt_buf_printf(b, "; %s allocates most, ", label(p, c->row));
		put_bytes(b, c->usual_ns, c->usual_ns);
		tt_buf_text(b, " a frame");
	}
}

/* If several methods were compiled, name the method with most code as the slowest, if it has more than half of all code and of all time. */
static void
compiled(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	if (c->name && c->n == 1 && a->frames == 1) {
		tt_buf_printf(b, "first call of %s: ", c->name);
		put_time(b, c->took_ns);
		tt_buf_text(b, " to compile it (");
		put_bytes(b, c->bytes, c->bytes);
		tt_buf_printf(b, " of code), under %s", label(p, c->row));
		return;
	}
	put_took(b, a);
	tt_buf_text(b, " to compile ");
	if (a->n_low)
		put_count(b, a->n_low, a->n_high, "method", "methods");
	else
		tt_buf_text(b, "methods");
	tt_buf_printf(b, " at %s first call, ", a->n_high == 1 ? "its" : "their");
	if (is_tenth_less(a->row_took_low, a->took_low) || is_tenth_less(a->row_took_high, a->took_high)) {
		put_times(b, a->row_took_low, a->row_took_high);
		tt_buf_text(b, " of it ");
	}
	tt_buf_printf(b, "under %s", label(p, c->row));
	if (!c->name)
		return;
	tt_buf_printf(b, a->frames > 1 ? "; in the worst frame the largest is %s (" : "; the largest is %s (", c->name);
	if (c->longest > c->took_ns / 2) {
		put_time(b, c->longest);
		tt_buf_text(b, ", ");
	}
	put_bytes(b, c->bytes, c->bytes);
	tt_buf_text(b, " of code)");
}

/* ", under Laser.Update()" */
static void
put_under(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	if (a->under != TT_NO_ROW)
		tt_buf_printf(b, ", under %s", label(p, a->under));
}

static void
calls(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	tt_buf_text(b, label(p, a->c->row));
	put_under(a, p, b);
	tt_buf_text(b, ": ");
	put_count(b, a->n_low, a->n_high, "call", "calls");
	put_usual(b, a->c->usual_n);
	tt_buf_text(b, ": ");
	put_times(b, a->more_low, a->more_high);
	tt_buf_text(b, " more");
}

/* The words that separate item ${i} of ${n} from the one before. */
static const char *
separator(unsigned i, unsigned n)
{
	return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

/* "Director.Update() 12.0 ms and Map.Update() 11.0 ms, usually 101 us and 99.0 us" */
static void
put_parts(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	tt_buf_text(b, a->same_parts ? "" : "in the worst frame ");
	for (unsigned i = 0; i < c->nparts; i++) {
		tt_buf_printf(b, "%s%s ", separator(i, c->nparts), label(p, c->part[i].row));
		put_times(b, a->same_parts ? a->part[i].low : c->part[i].took_ns, a->same_parts ? a->part[i].high : c->part[i].took_ns);
	}
	if (c->usual_ns == 0) {
		tt_buf_text(b, "; usually not called");
		return;
	}
	tt_buf_text(b, ", usually ");
	for (unsigned i = 0; i < c->nparts; i++) {
		tt_buf_text(b, separator(i, c->nparts));
		put_time(b, c->part[i].usual_ns);
	}
}

/* "allocates 38.2 MB, most of it System.Byte[], in 1,120 to 1,230 objects, usually none" */
static void
put_allocates(const struct alike *a, uint64_t usual, struct tt_buf *b)
{
	tt_buf_text(b, "allocates ");
	put_bytes(b, a->bytes_low, a->bytes_high);
	if (a->c->name)
		tt_buf_printf(b, ", most of it %s,", a->c->name);
	tt_buf_text(b, " in ");
	put_count(b, a->allocs_low, a->allocs_high, "object", "objects");
	put_usual(b, usual);
}

/* "; it allocates 1.1 MB in 1,120 objects, usually none", if the method allocates far more than usual in all of these frames. */
static void
put_burst(const struct alike *a, struct tt_buf *b)
{
	if (!a->bursts)
		return;
	tt_buf_text(b, "; it ");
	put_allocates(a, a->c->usual_allocs, b);
}

static void
slow_call(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	if (c->nparts) {
		put_parts(a, p, b);
		return;
	}
	tt_buf_text(b, label(p, c->row));
	if (!a->one_call || c->by == TT_NO_ROW)
		put_under(a, p, b);
	tt_buf_text(b, ": ");
	if (a->one_call) {
		tt_buf_text(b, "one of its ");
		put_count(b, a->n_low, a->n_high, "call", "calls");
		if (c->by != TT_NO_ROW)
			tt_buf_printf(b, a->same_by ? ", by %s," : ", in the worst frame by %s,", label(p, c->by));
		tt_buf_text(b, " takes ");
		put_times(b, a->longest_low, a->longest_high);
	} else {
		put_times(b, a->took_low, a->took_high);
		if (a->is_mixed) {
			tt_buf_text(b, " (");
			put_times(b, a->whole_low, a->whole_high);
			tt_buf_text(b, " with waits, collections and such in it)");
		}
		if (c->n > 1) {
			tt_buf_text(b, " in ");
			put_count(b, a->n_low, a->n_high, "call", "calls");
		}
	}
	if (!c->usual_n) {
		tt_buf_text(b, "; usually not called");
		put_burst(a, b);
		return;
	}
	tt_buf_text(b, a->one_call ? "; all of them usually take " : ", usually ");
	put_time(b, c->usual_ns);
	if (c->row2 != TT_NO_ROW)
		tt_buf_printf(b, "; most of it in %s", label(p, c->row2));
	put_burst(a, b);
	if (a->callee == TT_NO_ROW)
		return;
	tt_buf_printf(b, "; it calls %s ", label(p, a->callee));
	put_count(b, a->callee_low, a->callee_high, "time", "times");
	put_usual(b, c->callee_usual_n);
}

static void
unknown(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	put_times(b, a->each_low, a->each_high);
	tt_buf_text(b, " more, not explained");
	if (a->c->row == TT_NO_ROW)
		return;
	if (a->one_row && a->c->nparts && a->same_parts) {
		tt_buf_text(b, ": most of it in ");
		for (unsigned i = 0; i < a->c->nparts; i++)
			tt_buf_printf(b, "%s%s", separator(i, a->c->nparts), label(p, a->c->part[i].row));
		tt_buf_text(b, ", which were not called more often than usual; the capture does not tell whether they worked or their thread did not run");
	} else if (a->one_row && a->c->nparts == 0)
		tt_buf_printf(b, ": most of it in %s, which was not called more often than usual; the capture does not tell whether it worked or "
		    "its thread did not run", label(p, a->c->row));
	else
		tt_buf_text(b, ": most of it in methods that were not called more often than usual; the capture does not tell whether they worked or "
		    "their thread did not run");
}

static void
lock(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	put_took(b, a);
	tt_buf_text(b, " waiting for a lock");
	if (tt_paths_row(p, c->node) != c->row)
		tt_buf_printf(b, " in %s", label(p, c->row));
	put_of_all(b, a, "of waiting for locks");
	if (c->name)
		tt_buf_printf(b, "; meanwhile thread \"%s\" was in %s; who held the lock is not recorded", c->name, label(p, c->row2));
}

static void
exceptions(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	if (c->name && a->others) {
		put_count(b, a->n_low, a->n_high, "exception", "exceptions");
		tt_buf_text(b, ", ");
		put_count(b, a->allocs_low, a->allocs_high, "of them", "of them");
		tt_buf_printf(b, " %s,", c->name);
	} else
		put_count(b, a->n_low, a->n_high, c->name ? c->name : "exception", c->name ? c->name : "exceptions");
	tt_buf_printf(b, " thrown in %s", label(p, c->row));
	if (c->row2 != TT_NO_ROW)
		tt_buf_printf(b, ", called by %s", label(p, c->row2));
	tt_buf_text(b, ": ");
	put_took(b, a);
	tt_buf_text(b, " from throw to catch");
	put_of_all(b, a, "of all exceptions");
}

/* "; and 2.1 to 2.3 ms for a gen-1 collection that Save:Flush asked for" */
static void
put_gc_too(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	if (a->c->gc_took == 0)
		return;
	tt_buf_text(b, a->gc_took_low ? "; and " : "; and up to ");
	put_times(b, a->gc_took_low ? a->gc_took_low : a->gc_took_high, a->gc_took_high);
	tt_buf_text(b, " for ");
	put_generations(b, a);
	if (a->c->is_for_shot)
		tt_buf_text(b, ", the heap shot's");
	else
		tt_buf_printf(b, a->c->is_guessed ? " in %s" : a->c->is_requested ? " that %s asked for" : ", started in %s", label(p, a->c->starter));
}

/* "Level:Open is loading: 40 calls of FileStream:.ctor, usually none: 42.9 ms more; it allocates 38.2 MB in 1,230 objects, usually none" */
static void
put_loader(const struct alike *a, const struct tt_paths *p, const char *what, uint32_t by, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	tt_buf_printf(b, "%s is %s: ", label(p, c->row), what);
	put_count(b, a->callee_low ? a->callee_low : c->callee_n, a->callee_high, "call of", "calls of");
	tt_buf_printf(b, " %s", bare(p, by));
	put_usual(b, c->callee_usual_n);
	tt_buf_text(b, ": ");
	put_times(b, a->more_low, a->more_high);
	tt_buf_text(b, " more");
	if (c->allocs == 0)
		return;
	tt_buf_text(b, "; it ");
	put_allocates(a, c->usual_n, b);
	put_gc_too(a, p, b);
}

/* "; it ended with Path:Find of 27 ms on thread "Worker 0"", "; in the worst frame it ended with Pool:Run, in Thread:Sleep, of up to 27 ms on 4 threads" */
static void
put_end(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	tt_buf_printf(b, a->frames > 1 ? "; in the worst frame it ended with %s" : "; it ended with %s", label(p, c->other));
	if (c->other_in != TT_NO_ROW && c->other_in != c->other)
		tt_buf_printf(b, ", in %s,", bare(p, c->other_in));
	tt_buf_text(b, c->nother_threads > 1 ? " of up to " : " of ");
	put_time(b, c->other_ns);
	if (c->nother_threads > 1)
		tt_buf_printf(b, " on %u threads", c->nother_threads);
	else
		tt_buf_printf(b, " on thread \"%s\"", c->name);
}

/*
 * Report what other threads or the GPU did during a wait: "; in the same frame thread "Worker 0" ran Path:Find for 27 ms" if the wait did not end with a zone.
 */
static void
put_beside(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	static const char *const said[] = { [TT_GPU_OR_SYNC] = "the GPU is late, or vertical sync holds the frame",
		[TT_GPU_OR_DISPLAY] = "the GPU or the display's compositor was late: its time is not recorded", [TT_GPU_LATE] = "GPU late" };
	const struct tt_cause *c = a->c;
	const bool is_around = c->outer_zone != TT_NO_ROW && c->outer_zone != c->other;

	if (c->other != TT_NO_ROW && c->has_wait_end) {
		put_end(a, p, b);
	} else if (c->other != TT_NO_ROW) {
		tt_buf_printf(b, "; in the %s frame thread \"%s\" %s %s for ", a->frames > 1 ? "worst" : "same", c->name,
		    c->gpu != TT_GPU_UNKNOWN && c->gpu_ns == 0 ? "was in" : "ran", label(p, is_around ? c->outer_zone : c->other));
		put_time(b, is_around ? c->outer_zone_ns : c->other_ns);
		if (is_around) {
			tt_buf_printf(b, ", most of it in %s, ", label(p, c->other));
			put_time(b, c->other_ns);
		}
		if (c->picture)
			tt_buf_printf(b, ", for the picture of frame %llu", (unsigned long long)c->picture);
	}
	if (c->gpu == TT_GPU_UNKNOWN)
		return;
	tt_buf_text(b, c->has_wait_end ? ": " : "; ");
	tt_buf_text(b, said[c->gpu]);
	if (c->gpu_ns == 0)
		return;
	tt_buf_text(b, ", it took ");
	put_time(b, c->gpu_ns);
	if (c->gpu_frame)
		tt_buf_printf(b, " for the picture of frame %llu", (unsigned long long)c->gpu_frame);
}

/* "22 ms loading: File.Read, under Inventory:Open" */
static void
put_loading(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const uint32_t by = a->c->row2 != TT_NO_ROW ? a->c->row2 : a->c->row;
	const bool unloads = p->row[by].name && tt_name_match(tt_unload_markers, p->row[by].name->full);
	const char *what = unloads ? "unloading" : "loading";

	if (a->c->callee_n) {
		put_loader(a, p, what, by, b);
		return;
	}
	put_took(b, a);
	tt_buf_printf(b, " %s: %s", what, bare(p, by));
	if (by != a->c->row)
		tt_buf_printf(b, ", under %s", label(p, a->c->row));
	put_of_all(b, a, unloads ? "of loading and unloading" : "of loading");
	put_beside(a, p, b);
}

/* "CPU contention: 2 other threads in Jobs:Run and 1 busier than usual with other work, while this thread did no extra work; up to 2.1 ms more" */
static void
put_processors(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	tt_buf_text(b, "CPU contention: ");
	put_count(b, a->n_low, a->n_high, "other thread", "other threads");
	tt_buf_printf(b, " in %s", label(p, a->c->row));
	if (a->usual_n_high) {
		tt_buf_text(b, " and ");
		put_count(b, a->usual_n_low, a->usual_n_high, "busier than usual with other work", "busier than usual with other work");
	}
	tt_buf_text(b, ", while this thread did no extra work; up to ");
	put_time(b, a->more_high);
	tt_buf_text(b, " more");
}

static void
other(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	const struct tt_cause *c = a->c;

	switch (c->class) {
	case TT_CAUSE_WAIT:
		put_took(b, a);
		tt_buf_printf(b, c->row2 != TT_NO_ROW ? " waiting in %s, called by %s" : " waiting in %s",
		    bare(p, c->row2 != TT_NO_ROW ? c->row2 : c->row), label(p, c->row));
		put_under(a, p, b);
		put_of_all(b, a, "of waiting");
		if (c->woken_late)
			tt_buf_text(b, "; it sleeps as often as usual: woken late by the system");
		put_beside(a, p, b);
		break;
	case TT_CAUSE_SHADERS:
		put_took(b, a);
		tt_buf_printf(b, c->row2 != TT_NO_ROW ? " compiling shaders (%s), under %s" : " compiling shaders (%s)",
		    bare(p, c->row2 != TT_NO_ROW ? c->row2 : c->row), label(p, c->row));
		put_of_all(b, a, "of compiling shaders");
		break;
	case TT_CAUSE_LOADING:
		put_loading(a, p, b);
		break;
	case TT_CAUSE_EDITOR:
		put_took(b, a);
		tt_buf_printf(b, " of the Unity Editor's own, in %s", label(p, c->row));
		put_of_all(b, a, "of the Editor's");
		tt_buf_printf(b, ": %s leaves that out", tt_setting_name[TT_SETTING_PLAYER_ONLY]);
		break;
	case TT_CAUSE_ALLOCATION:
		tt_buf_printf(b, "%s ", label(p, c->row));
		put_allocates(a, c->usual_n, b);
		tt_buf_text(b, ": ");
		put_times(b, a->more_low, a->more_high);
		tt_buf_text(b, " more");
		put_gc_too(a, p, b);
		break;
	case TT_CAUSE_PROCESSORS:
		put_processors(a, p, b);
		break;
	case TT_CAUSE_OUTSIDE:
		put_times(b, a->more_low, a->more_high);
		tt_buf_text(b, " more outside recorded calls");
		break;
	default:
		break;
	}
}

/* " (60 % of the extra time)", if ${ns} is less than 90 % of the frames' extra time. */
static void
put_part(const struct alike *a, int64_t ns, struct tt_buf *b)
{
	enum { DOMINANT_PERCENT = 90 };
	int64_t part = a->extra > 0 ? (int64_t)((tt_u128)ns * 100 / (tt_u128)a->extra) : 100;

	if (a->c->class != TT_CAUSE_UNKNOWN && part < DOMINANT_PERCENT)
		tt_buf_printf(b, " (%lld %% of the extra time)", (long long)part);
}

static void
put_cause(const struct alike *a, const struct tt_paths *p, struct tt_buf *b)
{
	static void (*const put[TT_CAUSE_CLASSES])(const struct alike *, const struct tt_paths *, struct tt_buf *) = {
		[TT_CAUSE_UNKNOWN] = unknown, [TT_CAUSE_COLLECTION] = collection, [TT_CAUSE_COMPILED] = compiled, [TT_CAUSE_LOCK] = lock,
		[TT_CAUSE_EXCEPTIONS] = exceptions, [TT_CAUSE_CALLS] = calls, [TT_CAUSE_SLOW_CALL] = slow_call,
	};

	(put[a->c->class] ? put[a->c->class] : other)(a, p, b);
}

/* Write the sentence for the ${n} causes at ${c}, whose figures are in ${a}, and for the second cause that most of them share. */
static void
put_sentence(struct alike *a, const struct tt_cause *const *c, size_t n, const struct tt_paths *p, struct tt_buf *b)
{
	struct alike also;
	const bool two = beside(c, n, &also);

	a->told = two && also.frames == n && also.c->class == TT_CAUSE_ALLOCATION && also.c->row == a->c->row;
	put_cause(a, p, b);
	if (!two) {
		put_part(a, a->ns, b);
		return;
	}
	if (also.frames == n)
		tt_buf_text(b, "; and ");
	else
		tt_buf_printf(b, "; and in %zu of these frames ", also.frames);
	put_cause(&also, p, b);
	put_part(a, a->ns + also.ns, b);
}

const char *
tt_why_sentence(const struct tt_cause *const *c, size_t n, const struct tt_paths *p, struct tt_arena *text, struct tt_err *err)
{
	struct alike a = one_cause(c[0]);
	struct tt_buf b = { 0 };

	for (size_t i = 1; i < n; i++)
		add_alike(&a, c[i]);
	put_sentence(&a, c, n, p, &b);
	return tt_buf_move_to_arena(&b, text, err);
}

const char *
tt_cause_sentence(const struct tt_cause *c, struct tt_views *view, struct tt_arena *text, struct tt_err *err)
{
	const struct tt_paths *p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, err);

	return p ? tt_why_sentence(&c, 1, p, text, err) : NULL;
}
