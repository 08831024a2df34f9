/**
 * Folded stacks: one line per stack, `thread;outer;inner COUNT`, for flamegraph.pl, speedscope and others.
 *
 * The count is self time in ns; in a capture without calls the number of samples, else bytes allocated, else the time of collections and waits;
 * or the quantity that the user chooses. Allocations have their class as innermost frame. Lines are sorted by name, level by level. A path that
 * would be in no line gets a line with a count of 0.
 */
#include <inttypes.h>
#include <string.h>

#include "base/brief.h"
#include "base/option.h"
#include "base/order.h"
#include "base/setting.h"
#include "base/utf8.h"
#include "emit/common.h"
#include "emit/stacks.h"

/* Deeper stacks share one line, as the lines of deep recursion would grow with its square. */
#define MAX_DEPTH 1024
#define DEEPER "(deeper)"

/* The quantity that is counted; auto: time if there are calls, else samples, else bytes. */
enum tt_folded { TT_FOLDED_AUTO, TT_FOLDED_TIME, TT_FOLDED_CALLS, TT_FOLDED_SAMPLES, TT_FOLDED_BYTES, TT_FOLDED_OBJECTS };

/* The options. */
struct own {
	int value;                    /* enum tt_folded */
};

struct folded {
	struct tt_env *env;
	struct tt_out *out;
	struct tt_stacks stacks;
	enum tt_folded value;         /* the quantity that is counted */
	enum tt_stack_kind kind;      /* the kind of stacks whose quantity is counted */
	uint32_t *order;              /* nodes sorted by parent, then by name */
	uint32_t norder;
	uint32_t *rank;               /* by text: its place in the order of names */
	/* next: index in ${order} of the next child; wrote: number of lines written before this level */
	struct level { uint32_t node, next; size_t path_n; uint64_t wrote; } *level;
	size_t nlevel, caplevel;
	struct tt_buf path;
	uint64_t deeper;              /* number of stacks summed up beyond MAX_DEPTH */
	uint64_t nline;               /* number of lines written */
	bool some;                    /* true: a line has a count above 0 */
};

/* List the values' names, beginning with TT_FOLDED_TIME. */
static const char *
value_name(size_t i)
{
	static const char *const values[] = { "time", "calls", "samples", "bytes", "objects", NULL };

	return values[i];
}

/* --- order -------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b, void *arg)
{
	const char *const *name = arg;

	return strcmp(name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

/* Rank all names in sorted order. */
static int
rank_names(struct folded *w, struct tt_err *err)
{
	struct tt_mem *mem = &w->env->mem;
	size_t n = w->stacks.nname;
	uint32_t *order = tt_mem_alloc(mem, n * sizeof *order, err);

	w->rank = tt_mem_alloc(mem, n * sizeof *w->rank, err);
	if (w->rank && order) {
		for (uint32_t i = 0; i < n; i++)
			order[i] = i;
		tt_sort_by(order, n, by_name, w->stacks.name);
		for (uint32_t i = 0; i < n; i++)
			w->rank[order[i]] = i;
	}
	tt_mem_free(mem, order, n * sizeof *order);
	return w->rank && order ? TT_OK : err ? err->code : TT_E_NOMEM;
}

/* Return the sort rank of a node; threads of the same process are adjacent. */
static uint64_t
rank_of(const struct folded *w, uint32_t node)
{
	const struct tt_node *n = tt_stacks_node(&w->stacks, node);

	return (n->kind >= TT_NODE_THREAD ? (uint64_t)n->process << 32 : 0) | w->rank[w->stacks.text[node]];
}

static int
by_place(const void *a, const void *b, void *arg)
{
	const struct folded *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t px = tt_stacks_up(&w->stacks, x), py = tt_stacks_up(&w->stacks, y);
	uint64_t rx = rank_of(w, x), ry = rank_of(w, y);

	if (px != py)
		return px < py ? -1 : 1;
	if (rx != ry)
		return rx < ry ? -1 : 1;
	return TT_CMP(x, y);
}

static int
sort_stacks(struct folded *w, struct tt_err *err)
{
	struct tt_stacks *s = &w->stacks;
	int rc = rank_names(w, err);

	if (rc != TT_OK)
		return rc;
	w->order = tt_mem_alloc(&w->env->mem, s->n * sizeof *w->order, err);
	if (!w->order)
		return err ? err->code : TT_E_NOMEM;
	for (uint32_t i = 1; i < s->n; i++)
		if (s->same[i] == i)
			w->order[w->norder++] = i;
	tt_sort_by(w->order, w->norder, by_place, w);
	return rc;
}

/* Return the index in the order of the first child of ${parent}. */
static uint32_t
first_child(const struct folded *w, uint32_t parent)
{
	uint32_t lo = (uint32_t)tt_lower_bound(k, 0, w->norder, tt_stacks_up(&w->stacks, w->order[k]) < parent);

	return lo;
}

/* --- lines ----------------------------------------------------------------------- */

/* Zeros of the decimal digits in Unicode 14 (category Nd), each followed by nine more digits: flamegraph.pl takes any of these digits for a count. */
static const uint32_t zeros[] = { 0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
	0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50,
	0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950,
	0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0 };

static bool
is_digit(uint32_t c)
{
	const size_t n = sizeof zeros / sizeof *zeros;
	const size_t i = c < 0x80 ? 1 : tt_lower_bound(k, 0, n, zeros[k] <= c);

	return c >= zeros[i - 1] && c - zeros[i - 1] < 10;
}

/* True for a character that readers take for the end of a line, or do not show. */
static bool
is_break(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

/* True for Unicode's white space (White_Space) that is not a line break. */
static bool
is_space(uint32_t c)
{
	return c == ' ' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Flaws that must be changed in a frame's text, as byte offsets. */
struct flaws {
	bool any;
	size_t lead;                  /* end of the leading white space */
	size_t trail;                 /* begin of the trailing white space */
	size_t count;                 /* offset of the white space before a last word that reads as a count; SIZE_MAX: no such word */
};

/* State of reading a word; a number that reads as a count has digits, perhaps a sign before them and a fraction after them. */
enum word { NOTHING, SIGN, DIGITS, FRACTION, WORD };

/* Return the state after word ${w} continues with the character ${c}. */
static enum word
word_with(enum word w, uint32_t c)
{
	if (is_digit(c))
		return w <= SIGN ? DIGITS : w;
	if (w == NOTHING && c == '+')
		return SIGN;
	return w == DIGITS && c == '.' ? FRACTION : WORD;
}

/* Examine the ${n} bytes of UTF-8 at ${s}. Bytes that are not UTF-8 are flaws, too. */
static struct flaws
find_flaws(const char *s, size_t n)
{
	struct flaws f = { .count = SIZE_MAX };
	enum word word = WORD;
	size_t space = 0, len;

	for (size_t i = 0; i < n; i += len) {
		len = tt_utf8_len(s + i, n - i);
		const uint32_t c = tt_utf8_code(s + i, len ? len : 1);

		f.any = f.any || len == 0 || c == ';' || is_break(c);
		len = len ? len : 1;
		if (is_space(c) || is_break(c)) {
			f.lead = f.lead == i ? i + len : f.lead;
			space = i;
			word = NOTHING;
			continue;
		}
		f.trail = i + len;
		word = word_with(word, c);
	}
	if (word == DIGITS || word == FRACTION)
		f.count = space;
	f.any = f.any || f.lead > 0 || f.trail < n || f.count != SIZE_MAX;
	return f;
}

/* Repair the cleaned UTF-8 text ${s} in place: replace white space that readers would cut off, or would see a count after, by "_". */
static void
mend(char *s)
{
	const size_t n = strlen(s);
	const struct flaws f = find_flaws(s, n);
	char *to = s;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		const uint32_t c = tt_utf8_code(s + i, len = tt_utf8_len(s + i, n - i));
		const bool space = is_space(c) || is_break(c);

		if (space && (i < f.lead || i >= f.trail || i == f.count)) {
			*to++ = '_';
		} else if (is_break(c)) {
			*to++ = ' ';
		} else if (c == ';') {
			*to++ = ':';
		} else {
			memmove(to, s + i, len);
			to += len;
		}
	}
	*to = '\0';
}

/* A frame's text: in brief, as it is in every stack through it, valid UTF-8, one frame of one line, before a count. */
static int
clean(struct tt_stacks *s, const char *text, const char **cleaned, struct tt_err *err)
{
	char room[TT_BRIEF_BYTES], *p;
	const char *brief = tt_brief_name(room, text);
	size_t n = strlen(brief);

	if (n == 0)
		*cleaned = "(unnamed)";
	if (n == 0 || (brief == text && !find_flaws(text, n).any))
		return TT_OK;
	p = tt_arena_alloc(&s->arena, 3 * n + 1, err);
	if (!p)
		return err ? err->code : TT_E_NOMEM;
	*tt_utf8_clean(p, brief, n) = '\0';
	mend(p);
	*cleaned = p;
	return TT_OK;
}

static uint64_t
count_of(const struct folded *w, uint32_t node)
{
	const struct tt_stack_value *v = &w->stacks.value[node];

	if (tt_stacks_kind(&w->stacks, node) != w->kind || !tt_stacks_shown(&w->stacks, node))
		return 0;
	if (w->value != TT_FOLDED_TIME && w->value != TT_FOLDED_BYTES)
		return v->n;
	return v->v > 0 ? (uint64_t)v->v : 0;
}

static void
put_line(struct folded *w, const char *more, uint64_t count)
{
	struct tt_buf *b = &w->out->buf;

	w->nline++;
	w->some = w->some || count > 0;
	tt_buf_add(b, w->path.p, w->path.n);
	tt_buf_text(b, more);
	tt_buf_printf(b, " %" PRIu64 "\n", count);
	tt_out_spill(w->out);
}

/* --- the walk ---------------------------------------------------------------------- */

/* Add the process as a frame if there are several processes. */
static int
add_process(struct folded *w, uint32_t node, struct tt_err *err)
{
	struct tt_stacks *s = &w->stacks;
	uint16_t process = tt_stacks_node(s, node)->process;
	const char *title, *text;
	size_t n;
	int rc;

	if (s->m->ncap < 2 || process >= s->m->ncap)
		return TT_OK;
	title = tt_capture_title(s->m->cap[process], &n);
	text = tt_arena_text(&s->arena, title, n, err);
	if (!text)
		return err ? err->code : TT_E_NOMEM;
	rc = clean(s, text, &text, err);
	tt_buf_printf(&w->path, "%u %s;", process + 1u, text);
	return rc;
}

static int
enter(struct folded *w, uint32_t node, struct tt_err *err)
{
	size_t path_n = w->path.n;
	int rc = tt_mem_grow(&w->env->mem, &w->level, &w->caplevel, w->nlevel + 1, sizeof *w->level, err);

	if (rc != TT_OK)
		return rc;
	w->level[w->nlevel] = (struct level){ .node = node, .next = first_child(w, node), .path_n = path_n, .wrote = w->nline };
	if (w->nlevel++ >= MAX_DEPTH) {
		w->deeper += count_of(w, node);
		return TT_OK;
	}
	if (w->nlevel == 1)
		rc = add_process(w, node, err);
	else
		tt_buf_add(&w->path, ";", 1);
	tt_buf_text(&w->path, w->stacks.name[w->stacks.text[node]]);
	const uint64_t count = count_of(w, node);
	if (count > 0)
		put_line(w, tt_stacks_node(&w->stacks, node)->kind == TT_NODE_SAMPLES ? ";(native)" : "", count);
	return rc;
}

/* True if ${node} itself has events of the counted kind, but with no time or no bytes. */
static bool
is_empty(const struct folded *w, uint32_t node)
{
	return tt_stacks_kind(&w->stacks, node) == w->kind && tt_stacks_shown(&w->stacks, node) && w->stacks.value[node].n > 0 && count_of(w, node) == 0;
}

/* Leave the innermost level. If no line has its name, as with zones of length 0, write a line with a count of 0. */
static void
leave(struct folded *w)
{
	const struct level *const l = &w->level[w->nlevel - 1];

	if (w->nlevel == MAX_DEPTH && w->deeper > 0)
		put_line(w, ";" DEEPER, w->deeper);
	if (w->nlevel == MAX_DEPTH)
		w->deeper = 0;
	if (w->nlevel <= MAX_DEPTH && w->nline == l->wrote && is_empty(w, l->node))
		put_line(w, "", 0);
	w->path.n = w->level[--w->nlevel].path_n;
}

/* Return the next child of the innermost level, or 0. */
static uint32_t
next_child(struct folded *w)
{
	struct level *l = &w->level[w->nlevel - 1];
	uint32_t child = l->next < w->norder ? w->order[l->next] : 0;

	if (!child || tt_stacks_up(&w->stacks, child) != l->node)
		return 0;
	l->next++;
	return child;
}

static int
put_tree(struct folded *w, uint32_t root, struct tt_err *err)
{
	int rc = enter(w, root, err);

	while (w->nlevel > 0 && rc == TT_OK) {
		uint32_t child = next_child(w);

		if (child)
			rc = enter(w, child, err);
		else
			leave(w);
	}
	return rc;
}

/* Choose the quantity that is counted. */
static void
choose_value(struct folded *w)
{
	static const enum tt_stack_kind kinds[] = { [TT_FOLDED_TIME] = TT_STACK_ZONE, [TT_FOLDED_CALLS] = TT_STACK_ZONE,
		[TT_FOLDED_SAMPLES] = TT_STACK_SAMPLE, [TT_FOLDED_BYTES] = TT_STACK_ALLOC, [TT_FOLDED_OBJECTS] = TT_STACK_ALLOC };
	const bool *has = w->stacks.has;

	if (w->value == TT_FOLDED_AUTO)
		w->value = w->stacks.calls ? TT_FOLDED_TIME : has[TT_STACK_SAMPLE] ? TT_FOLDED_SAMPLES :
		    has[TT_STACK_ALLOC] || !has[TT_STACK_ZONE] ? TT_FOLDED_BYTES : TT_FOLDED_TIME;
	w->kind = kinds[w->value];
}

/* The kinds of stacks that a capture has. */
struct kinds { bool has[TT_STACK_ALLOC + 1], calls; };

static void
find_kinds(const struct folded *w, struct kinds *of)
{
	for (uint32_t i = 1; i < w->stacks.n; i++) {
		const struct tt_node *n = tt_stacks_node(&w->stacks, i);
		const enum tt_stack_kind kind = tt_stacks_kind(&w->stacks, i);

		if (n->process >= w->stacks.m->ncap || !tt_stacks_shown(&w->stacks, i))
			continue;
		of[n->process].has[kind] = true;
		of[n->process].calls |= kind == TT_STACK_ZONE && n->key < TT_KEY_SPECIAL;
	}
}

/* Return the kind that would be counted if the capture were converted alone. */
static enum tt_stack_kind
usual_kind(const struct kinds *of)
{
	return of->calls ? TT_STACK_ZONE : of->has[TT_STACK_SAMPLE] ? TT_STACK_SAMPLE : of->has[TT_STACK_ALLOC] ? TT_STACK_ALLOC : TT_STACK_ZONE;
}

/*
 * True if stacks of ${kind} of the capture should be reported as missing: samples beside calls, and everything of a capture from which nothing is counted.
 * With a quantity that the user ${asked} for, only the latter.
 */
static bool
are_missed(const struct folded *w, const struct kinds *of, enum tt_stack_kind kind, bool asked)
{
	if (kind == w->kind || !of->has[kind])
		return false;
	return asked ? !of->has[w->kind] && kind == usual_kind(of) : kind == TT_STACK_SAMPLE || kind == usual_kind(of);
}

/* Report which stacks are not in the file, because it counts a single quantity, and how to get them. ${asked}: true if the user chose the quantity. */
static int
tell_missed(struct folded *w, bool asked, struct tt_err *err)
{
	static const struct { enum tt_stack_kind kind; const char *name, *value; } kinds[] = {
		{ TT_STACK_ZONE, "calls", "time" }, { TT_STACK_SAMPLE, "samples", "samples" }, { TT_STACK_ALLOC, "allocations", "bytes" } };
	const struct tt_model *m = w->stacks.m;
	struct tt_mem *mem = &w->env->mem;
	struct tt_err failed = { 0 };
	struct kinds *of = tt_mem_alloc(mem, m->ncap * sizeof *of, &failed);
	bool *missed = tt_mem_alloc(mem, m->ncap * sizeof *missed, &failed);

	if (of && missed)
		find_kinds(w, of);
	for (size_t k = 0; of && missed && k < sizeof kinds / sizeof *kinds; k++) {
		for (size_t i = 0; i < m->ncap; i++)
			missed[i] = are_missed(w, &of[i], kinds[k].kind, asked);
		const char *list = tt_capture_list(m->cap, m->ncap, missed, &w->stacks.arena, &failed);
		if (list)
			tt_log(w->env, TT_LOG_NORMAL, "folded: the %s of %s are left out of %s, which counts %s; %s %s counts them", kinds[k].name, list,
			    w->out->e.o.path, value_name(w->value - TT_FOLDED_TIME), tt_setting_name[TT_SETTING_VALUE], kinds[k].value);
	}
	tt_mem_free(mem, of, m->ncap * sizeof *of);
	tt_mem_free(mem, missed, m->ncap * sizeof *missed);
	if (failed.code)
		*err = failed;
	return failed.code;
}

static int
put_all(struct folded *w, struct tt_err *err)
{
	static const char *const what[] = { [TT_STACK_ZONE] = "calls", [TT_STACK_SAMPLE] = "samples", [TT_STACK_ALLOC] = "allocations" };
	const struct tt_stacks *s = &w->stacks;
	const bool asked = w->value != TT_FOLDED_AUTO;
	int rc = TT_OK;

	choose_value(w);
	for (uint32_t i = 0; i < w->norder && tt_stacks_up(s, w->order[i]) == 0 && rc == TT_OK; i++) {
		if (tt_stopped(w->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		rc = put_tree(w, w->order[i], err);
	}
	if (rc == TT_OK && !w->some)
		tt_log(w->env, TT_LOG_NORMAL, "folded: there are no %s in this capture, or the filters leave none", what[w->kind]);
	if (rc == TT_OK && w->some)
		rc = tell_missed(w, asked, err);
	TT_THEN(rc, tt_buf_error(&w->path, err));
	return rc == TT_OK ? tt_out_error(w->out, err) : rc;
}

static int
folded_finish(void *state, struct tt_err *err)
{
	const struct tt_model *m = ((struct tt_out *)state)->e.m;
	struct folded w = { .out = state, .env = m->env };
	struct tt_mem *mem = &m->env->mem;
	char room[TT_BRIEF_BYTES];
	int rc = tt_stacks_init(&w.stacks, m, clean, false, err);

	for (size_t i = 0; i < w.stacks.nname; i++)
		tt_emit_brief_in(&w.out->e, room, w.stacks.name[i]);  /* it notes that names were cut */
	if (w.out->e.o.own)
		w.value = (enum tt_folded)((const struct own *)w.out->e.o.own)->value;
	TT_THEN(rc, sort_stacks(&w, err));
	TT_THEN(rc, put_all(&w, err));
	tt_mem_free(mem, w.order, w.stacks.n * sizeof *w.order);
	tt_mem_free(mem, w.rank, w.stacks.nname * sizeof *w.rank);
	tt_mem_free(mem, w.level, w.caplevel * sizeof *w.level);
	tt_stacks_free(&w.stacks);
	tt_buf_free(&w.path);
	return rc;
}

static const struct tt_option options[] = {
	{ .name = "value", .arg = "WHAT", .kind = TT_OPTION_CHOICE, .at = offsetof(struct own, value), .value = value_name,
	    .help = "count time, calls, samples, bytes or objects (allocated); default: time if calls were recorded, "
	            "otherwise samples, otherwise bytes" },
	{ .name = NULL },
};

static const char *const suffixes[] = { ".folded", ".collapsed", NULL };

const struct tt_emit tt_emit_folded = {
	.name = "folded",
	.summary = "folded stacks: self time in ns, samples or allocations (flamegraph.pl, speedscope, Firefox Profiler)",
	.suffix = suffixes,
	.option = options,
	.own = sizeof(struct own),
	.needs = TT_NEEDS_CALLS,
	.state = sizeof(struct tt_out),
	.begin = tt_out_begin,
	.finish = folded_finish,
	.end = tt_out_end,
};
