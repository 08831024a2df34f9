/**
 * Makes the text of keys, at report time and while events are written.
 *
 * Everything is made anew by each call, but text made by an earlier one is used again: the first
 * call comes after the definitions prepass, the last after the events.
 */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/brief.h"
#include "base/hash_seed.h"
#include "base/order.h"
#include "model/defs.h"
#include "model/labels.h"
#include "model/names.h"
#include "model/waits.h"

#define UNKNOWN "(unknown)"
#define NO_CATEGORY "(none)"
#define SPECIALS 32

/*
 * The texts by process and key, at most half full. Not a tt_map: it lies in the model's arena, as names do, and emitters look names up at each event.
 */
struct table {
	struct keyed {
		uint64_t key;
		uint32_t process;
		const void *of;       /* the name or text; NULL: the slot is empty */
	} *slot;
	size_t nslot;
};

struct tt_keys {
	enum tt_names_form form;
	struct tt_name *all;          /* markers of the tree by their number, then keys only defined */
	const char **category;        /* category name of each of ${all}, until categories have numbers */
	size_t n, cap;
	struct table name;            /* by key of a marker: its name in ${all} */
	struct table class;           /* by key of a class: the text of its name */
	struct tt_name special[SPECIALS];
	struct tt_name unknown;
};

/* The zones tracetool makes itself, in categories of their own. */
static const struct { uint64_t key; const char *name, *category; } specials[] = {
	{ TT_KEY_GC_PAUSE, "GC.Pause", "GC" },
	{ TT_KEY_GC_STOP, "GC.Stop", "GC" },
	{ TT_KEY_CONTENTION, "Contention", "Contention" },
	{ TT_KEY_EXCEPTION, "Exception", "Exceptions" },
	{ TT_KEY_JIT, "JIT", "JIT" },
	{ TT_KEY_MORE, "(more paths)", "(more paths)" },
	{ TT_KEY_OUTSIDE, "(outside recorded calls)", NO_CATEGORY },
	{ TT_KEY_GC_GEN(0), "GC.Collect gen0", "GC" },
	{ TT_KEY_GC_GEN(1), "GC.Collect gen1", "GC" },
	{ TT_KEY_GC_GEN(2), "GC.Collect gen2", "GC" },
	{ TT_KEY_GC_GEN(3), "GC.Collect gen3", "GC" },
	{ TT_KEY_GC_GEN(4), "GC.Collect gen4", "GC" },
	{ TT_KEY_GC_GEN(5), "GC.Collect gen5", "GC" },
	{ TT_KEY_GC_GEN(6), "GC.Collect gen6", "GC" },
	{ TT_KEY_GC_GEN(7), "GC.Collect gen7", "GC" },
};
#define NSPECIAL (sizeof specials / sizeof *specials)

bool
tt_name_is_own_category(const char *s, size_t n)
{
	for (size_t i = 0; i < NSPECIAL; i++)
		if (strlen(specials[i].category) == n && memcmp(specials[i].category, s, n) == 0)
			return true;
	return false;
}

/* The slot of ${key}: its own, or the empty one where it belongs. */
static struct keyed *
slot_of(const struct table *t, uint32_t process, uint64_t key)
{
	size_t i = tt_seeded_pair(process, key) & (t->nslot - 1);

	while (t->slot[i].of && (t->slot[i].key != key || t->slot[i].process != process))
		i = (i + 1) & (t->nslot - 1);
	return &t->slot[i];
}

/* --- one name ------------------------------------------------------------- */

/* "(${what} 0x22)", or NULL with ${err} filled. */
static const char *
name_by_key(struct tt_model *m, const char *what, uint64_t key, struct tt_err *err)
{
	char text[48] = "(", *p = stpcpy(text + 1, what);

	*p++ = ' ';
	p = tt_put_hex(p, key);
	*p++ = ')';
	return tt_arena_text(&m->arena, text, (size_t)(p - text), err);
}

/* The shown text that an earlier call made of the same full name in the same form, or NULL. */
static const char *
shown_before(const struct tt_keys *old, enum tt_names_form form, uint32_t process, uint64_t key, const char *full)
{
	const struct tt_name *name = old && old->form == form ? slot_of(&old->name, process, key)->of : NULL;

	return name && name->full == full ? name->shown : NULL;
}

static int
short_name(struct tt_model *m, struct tt_name *name, struct tt_buf *scratch, struct tt_err *err)
{
	size_t n;
	int rc;

	scratch->n = 0;
	rc = tt_buf_room(scratch, strlen(name->full) + 1, err);
	if (rc != TT_OK)
		return rc;
	n = tt_name_short(scratch->p, name->full);
	if (strcmp(scratch->p, name->full) == 0)
		name->shown = name->full;
	else
		name->shown = tt_arena_text(&m->arena, scratch->p, n, err);
	return name->shown ? TT_OK : err->code;
}

static int
category_of(const struct tt_capture *cap, const struct tt_def *def, const char **name, struct tt_err *err)
{
	const char *c = NULL;
	int rc = cap->category ? cap->category(cap, def, &c, err) : TT_OK;

	*name = c && *c ? c : NO_CATEGORY;
	return rc;
}

/* ${s} in brief: names of arguments are in no table, and outputs repeat them with every event. */
static const char *
brief_of(struct tt_model *m, const char *s, struct tt_err *err)
{
	char room[TT_BRIEF_BYTES];
	const char *brief = tt_brief_name(room, s);

	return brief == s ? s : tt_arena_text(&m->arena, brief, strlen(brief), err);
}

/* The names of arguments that the capture has for zones of ${key}, in brief; *${arg} stays where it has none. A name that comes twice is none. */
static int
recorded_args(struct tt_model *m, const struct tt_capture *cap, uint64_t key, const char *const **arg, struct tt_err *err)
{
	enum { MAX_ARGS = 64 };
	const struct tt_def *d = tt_defs_find(cap->defs, TT_DEF_ARGS, key, INT64_MAX);
	const char *name[MAX_ARGS + 1];
	size_t n = 0;

	if (!d)
		return TT_OK;
	for (const char *p = d->text, *end = p + d->len; p < end && n < MAX_ARGS; p += strlen(p) + 1) {
		if (!(name[n] = brief_of(m, p, err)))
			return err->code;
		for (size_t i = 0; i < n; i++)
			if (strcmp(name[i], name[n]) == 0)
				name[n] = "";
		n++;
	}
	name[n++] = NULL;
	const char **copy = tt_arena_alloc(&m->arena, n * sizeof *copy, err);
	if (!copy)
		return err->code;
	memcpy(copy, name, n * sizeof *copy);
	*arg = copy;
	return TT_OK;
}

/* The text of ${def}, or NULL with ${err} filled. */
static const char *
text_of(struct tt_model *m, const struct tt_capture *cap, const struct tt_def *def, struct tt_buf *scratch, struct tt_err *err)
{
	if (!(def->flags & TT_DEF_GPU))
		return def->text;
	const struct tt_def *of = tt_defs_find(cap->defs, TT_DEF_MARKER, def->b, INT64_MAX);
	const bool named = of && of->len && !(of->flags & TT_DEF_GPU);
	const char *text = named ? of->text : name_by_key(m, "unknown", def->b, err);
	scratch->n = 0;
	tt_buf_printf(scratch, "%s%.*s", text ? text : "", (int)def->len, def->text);
	return text && tt_buf_error(scratch, err) == TT_OK ? tt_arena_text(&m->arena, scratch->p, scratch->n, err) : NULL;
}

/* Fill a name from its definition. */
static int
defined_name(struct tt_model *m, struct tt_keys *k, const struct tt_keys *old, uint32_t process, uint64_t key,
    struct tt_name *name, const char **category, struct tt_buf *scratch, struct tt_err *err)
{
	const struct tt_capture *cap = m->cap[process];
	const struct tt_def *def = tt_defs_find(cap->defs, TT_DEF_MARKER, key, INT64_MAX);

	*category = UNKNOWN;
	name->is_defined = def != NULL;
	name->has_text = def && def->len > 0;
	name->full = name->has_text ? text_of(m, cap, def, scratch, err) : name_by_key(m, def ? "unnamed" : "unknown", key, err);
	if (!name->full)
		return err->code;
	name->shown = name->full;
	if (!def)
		return TT_OK;
	name->is_alloc_wrapper = tt_name_alloc_wrapper(name->full);
	if (name->is_alloc_wrapper) {
		const size_t bit = tt_seeded_slot(key, TT_WRAPPER_BITS);
		m->wrapper[bit / 64] |= (uint64_t)1 << bit % 64;
	}
	name->editor = cap->editor && cap->editor(def);
	name->gpu = def->flags & TT_DEF_GPU;
	name->arg = name->arg_instant = cap->arg_names ? cap->arg_names(def) : NULL;
	int rc = recorded_args(m, cap, key, &name->arg, err);
	if (rc != TT_OK)
		return rc;
	/* Markers name the values of all their samples; methods name the parameters of their calls. */
	if (cap->code_alone)
		name->arg_instant = name->arg;
	rc = category_of(cap, def, category, err);
	if (rc != TT_OK || def->len == 0)
		return rc;
	if (k->form == TT_NAMES_FULL)
		name->shown = name->full;
	else
		name->shown = shown_before(old, k->form, process, key, name->full);
	return name->shown ? TT_OK : short_name(m, name, scratch, err);
}

/* The special name of ${key}, or NULL. */
static const struct tt_name *
special_name(const struct tt_keys *k, uint64_t key)
{
	const struct tt_name *n;

	if (key < TT_KEY_SPECIAL)
		return NULL;
	n = &k->special[key - TT_KEY_SPECIAL];
	return n->full ? n : NULL;
}

/* --- the table of keys ------------------------------------------------------ */

static int
add_key(struct tt_model *m, struct tt_keys *k, const struct tt_keys *old, uint32_t process, uint64_t key,
    struct tt_buf *scratch, struct tt_err *err)
{
	struct tt_name *name = &k->all[k->n];
	const struct tt_name *special = special_name(k, key);

	if (special) {
		*name = *special;
		k->category[k->n] = k->category[k->cap + (key - TT_KEY_SPECIAL)];
		k->n++;
		return TT_OK;
	}
	*slot_of(&k->name, process, key) = (struct keyed){ key, process, name };
	k->n++;
	return defined_name(m, k, old, process, key, name, &k->category[k->n - 1], scratch, err);
}

static int
add_markers(struct tt_model *m, struct tt_keys *k, const struct tt_keys *old, struct tt_buf *scratch,
    struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t i = 0; i < tt_tree_markers(m->tree) && rc == TT_OK; i++) {
		const struct tt_marker *mk = tt_tree_marker(m->tree, i);

		rc = add_key(m, k, old, mk->process, mk->key, scratch, err);
	}
	return rc;
}

/* Keys that have a definition but no place in the tree (yet): streaming emitters ask for them too. */
static int
add_definitions(struct tt_model *m, struct tt_keys *k, const struct tt_keys *old, uint32_t process,
    struct tt_buf *scratch, struct tt_err *err)
{
	const struct tt_defs *defs = m->cap[process]->defs;
	const struct tt_def *d;
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && (d = tt_defs_at(defs, TT_DEF_MARKER, i)) != NULL; i++) {
		if (d->key < TT_KEY_SPECIAL && !slot_of(&k->name, process, d->key)->of)
			rc = add_key(m, k, old, process, d->key, scratch, err);
	}
	return rc;
}

static void
add_specials(struct tt_keys *k)
{
	k->unknown = (struct tt_name){ .full = UNKNOWN, .shown = UNKNOWN };
	for (size_t i = 0; i < NSPECIAL; i++) {
		struct tt_name *n = &k->special[specials[i].key - TT_KEY_SPECIAL];

		*n = (struct tt_name){ .full = specials[i].name, .shown = specials[i].name, .is_defined = true, .has_text = true };
		k->category[k->cap + (specials[i].key - TT_KEY_SPECIAL)] = specials[i].category;
	}
}

static int
new_keys(struct tt_model *m, enum tt_names_form form, struct tt_keys **keys, struct tt_err *err)
{
	struct tt_keys *k = tt_arena_alloc(&m->arena, sizeof *k, err);

	if (!k)
		return err->code;
	k->form = form;
	k->cap = m->tree ? tt_tree_markers(m->tree) : 0;
	for (size_t p = 0; p < m->ncap; p++)
		k->cap += tt_defs_count(m->cap[p]->defs, TT_DEF_MARKER);
	for (k->name.nslot = 16; k->name.nslot < 2 * k->cap; )
		k->name.nslot *= 2;
	k->all = tt_arena_alloc(&m->arena, k->cap * sizeof *k->all, err);
	k->name.slot = k->all ? tt_arena_alloc(&m->arena, k->name.nslot * sizeof *k->name.slot, err) : NULL;
	if (!k->name.slot)
		return err->code;
	*keys = k;
	return TT_OK;
}

/* --- categories ---------------------------------------------------------------- */

/* A category that a capture defines; ${at}: its place among all of them. */
struct color { const char *name; uint32_t rgba; size_t at; };

static int
by_name_and_place(const void *a, const void *b)
{
	const struct color *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : TT_CMP(x->at, y->at);
}

/* Give each category the colour of the first definition of its name. Both lists are in order of name. */
static int
color_categories(struct tt_model *m, struct tt_err *err)
{
	size_t n = 0, cap = 0, k = 0;

	for (size_t p = 0; p < m->ncap; p++)
		cap += tt_defs_count(m->cap[p]->defs, TT_DEF_CATEGORY);
	struct color *list = cap ? tt_mem_alloc(&m->env->mem, cap * sizeof *list, err) : NULL;
	if (!list)
		return cap ? err->code : TT_OK;
	for (size_t p = 0; p < m->ncap; p++) {
		const struct tt_def *d;

		for (size_t i = 0; (d = tt_defs_at(m->cap[p]->defs, TT_DEF_CATEGORY, i)) != NULL; i++, n++)
			list[n] = (struct color){ d->text, (uint32_t)d->a, n };
	}
	tt_sort(list, n, by_name_and_place);
	for (size_t i = 0; i < m->ncategory; i++) {
		while (k < n && strcmp(list[k].name, m->category[i].name) < 0)
			k++;
		if (k < n && strcmp(list[k].name, m->category[i].name) == 0)
			m->category[i].rgba = list[k].rgba;
	}
	tt_mem_free(&m->env->mem, list, cap * sizeof *list);
	return TT_OK;
}

/*
 * The names of all categories, in order, each once. Categories of special keys are always among them, so that numbers do not move when the first collection
 * comes after the prepass.
 */
static int
list_categories(struct tt_model *m, const struct tt_keys *k, struct tt_err *err)
{
	size_t n = 0, cap = k->n + NSPECIAL + 2, distinct = 0;
	const char **list = tt_mem_alloc(&m->env->mem, cap * sizeof *list, err);

	if (!list)
		return err->code;
	/* Neighbours mostly share a text. */
	for (size_t i = 0; i < k->n; i++)
		if (n == 0 || list[n - 1] != k->category[i])
			list[n++] = k->category[i];
	for (size_t i = 0; i < NSPECIAL; i++)
		list[n++] = specials[i].category;
	list[n++] = UNKNOWN;
	list[n++] = NO_CATEGORY;
	tt_sort(list, n, tt_compare_texts);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(list[i], list[i - 1]) != 0)
			distinct++;
	}
	m->category = tt_arena_alloc(&m->arena, distinct * sizeof *m->category, err);
	m->ncategory = 0;
	for (size_t i = 0; i < n && m->category; i++) {
		if (i == 0 || strcmp(list[i], list[i - 1]) != 0)
			m->category[m->ncategory++] = (struct tt_category){ .name = list[i] };
	}
	tt_mem_free(&m->env->mem, list, cap * sizeof *list);
	return m->category ? color_categories(m, err) : err->code;
}

static uint32_t
category_number(const struct tt_model *m, const char *name)
{
	return (uint32_t)tt_lower_bound(i, 1, m->ncategory, strcmp(m->category[i].name, name) <= 0) - 1;
}

/* Set the number of a name's category, and whether the user wants it or leaves it out. */
static void
place_name(const struct tt_model *m, struct tt_name *n, const char *category)
{
	n->category = category_number(m, category);
	n->wanted = tt_glob_any(m->filter.category, category) && tt_name_match(m->filter.marker, n->full);
	n->is_left_out = (m->filter.no_wait && tt_waits_has(m, n)) || (m->filter.player_only && n->editor);
}

static void
place_names(const struct tt_model *m, struct tt_keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		place_name(m, &k->all[i], k->category[i]);
	for (size_t i = 0; i < SPECIALS; i++) {
		if (k->special[i].full)
			place_name(m, &k->special[i], k->category[k->cap + i]);
	}
	place_name(m, &k->unknown, UNKNOWN);
}

/* --- classes ---------------------------------------------------------------------- */

static int
class_name(struct tt_model *m, uint32_t process, uint64_t key, const char **name, struct tt_err *err)
{
	const struct tt_def *d = tt_defs_class(m->cap[process]->defs, key, INT64_MAX);

	*name = d && d->len ? d->text : name_by_key(m, d ? "unnamed class" : "unknown class", key, err);
	return *name ? TT_OK : err->code;
}

static int
grow_classes(struct tt_model *m, struct table *t, struct tt_err *err)
{
	struct table bigger = { .nslot = t->nslot ? t->nslot * 4 : 64 };

	if (!(bigger.slot = tt_arena_alloc(&m->arena, bigger.nslot * sizeof *bigger.slot, err)))
		return err->code;
	for (size_t i = 0; i < t->nslot; i++)
		if (t->slot[i].of)
			*slot_of(&bigger, t->slot[i].process, t->slot[i].key) = t->slot[i];
	*t = bigger;
	return TT_OK;
}

/* Add the names of the classes of all allocations in the tree. */
static int
add_classes(struct tt_model *m, struct tt_keys *k, struct tt_err *err)
{
	uint32_t count = m->tree ? tt_tree_count(m->tree) : 0;
	size_t n = 0;
	int rc = grow_classes(m, &k->class, err);

	for (uint32_t i = 0; i < count && rc == TT_OK; i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);
		const char *name = NULL;

		if (node->kind != TT_NODE_ALLOC || node->process >= m->ncap)
			continue;
		if (2 * n >= k->class.nslot && (rc = grow_classes(m, &k->class, err)) != TT_OK)
			break;
		struct keyed *s = slot_of(&k->class, node->process, node->key);
		if (s->of)
			continue;
		rc = class_name(m, node->process, node->key, &name, err);
		*s = (struct keyed){ node->key, node->process, name };
		n++;
	}
	return rc;
}

/* --- the public side -------------------------------------------------------------- */

/* Make the names of all keys, and number their categories. */
static int
resolve_keys(struct tt_model *m, struct tt_keys *k, const struct tt_keys *old, struct tt_err *err)
{
	struct tt_buf scratch = { 0 };
	int rc;

	add_specials(k);
	rc = m->tree ? add_markers(m, k, old, &scratch, err) : TT_OK;
	for (uint32_t p = 0; p < m->ncap && rc == TT_OK; p++)
		rc = add_definitions(m, k, old, p, &scratch, err);
	tt_buf_free(&scratch);
	TT_THEN(rc, list_categories(m, k, err));
	if (rc == TT_OK)
		place_names(m, k);
	return rc;
}

int
tt_model_resolve(struct tt_model *m, enum tt_names_form form, struct tt_err *err)
{
	struct tt_keys *k = NULL;
	size_t ncategory;
	int rc = new_keys(m, form, &k, err);

	if (rc != TT_OK)
		return rc;
	ncategory = k->cap + SPECIALS;
	k->category = tt_mem_alloc(&m->env->mem, ncategory * sizeof *k->category, err);
	if (!k->category)
		return err->code;
	rc = resolve_keys(m, k, m->keys, err);
	tt_mem_free(&m->env->mem, k->category, ncategory * sizeof *k->category);
	k->category = NULL;
	TT_THEN(rc, add_classes(m, k, err));
	if (rc != TT_OK)
		return rc;
	m->keys = k;
	m->name = k->all;
	m->nname = m->tree ? tt_tree_markers(m->tree) : 0;
	return tt_threads_name(&m->threads, m->cap, m->ncap, &m->arena, err);
}

/* --- names that are shown alike ----------------------------------------------------- */

/* A name of a capture. split: true if one capture has the full name in several categories, which then tell its markers apart. */
struct owned { struct tt_name *name; uint32_t process; bool split; };

static int
by_process(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;
	int c = strcmp(x->name->full, y->name->full);

	if (c == 0)
		c = TT_CMP(x->process, y->process);
	return c ? c : TT_CMP(x->name->category, y->name->category);
}

/* Compare markers; 0: the two are one. Captures of different versions may have one marker in different categories. */
static int
by_marker(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return x->split ? tt_label_compare(x->name, y->name) : strcmp(x->name->full, y->name->full);
}

/* List every name that a key can have. Only captures of methods have zones that tracetool makes. */
static size_t
list_names(const struct tt_model *m, struct owned *list)
{
	struct tt_keys *k = m->keys;
	size_t n = 0;

	for (size_t i = 0; i < k->name.nslot; i++) {
		struct tt_name *name = (struct tt_name *)(uintptr_t)k->name.slot[i].of;

		if (name && name->is_defined)
			list[n++] = (struct owned){ .name = name, .process = k->name.slot[i].process };
	}
	for (uint32_t p = 0; p < m->ncap; p++)
		for (size_t i = 0; i < SPECIALS && !m->cap[p]->code_alone; i++)
			if (k->special[i].is_defined)
				list[n++] = (struct owned){ .name = &k->special[i], .process = p };
	return n;
}

/* Put the list in order of markers, each with its split. */
static void
sort_names(struct owned *list, size_t n)
{
	tt_sort(list, n, by_process);
	for (size_t i = 0, j; i < n; i = j) {
		bool split = false;

		for (j = i + 1; j < n && strcmp(list[i].name->full, list[j].name->full) == 0; j++)
			split = split || (list[j].process == list[j - 1].process && list[j].name->category != list[j - 1].name->category);
		for (size_t of = i; of < j; of++)
			list[of].split = split;
	}
	tt_sort(list, n, by_marker);
}

int
tt_model_tell_apart(struct tt_model *m, struct tt_err *err)
{
	const size_t most = m->keys->n + m->ncap * SPECIALS;
	struct owned *list = tt_mem_alloc(&m->env->mem, most * sizeof *list, err);
	struct tt_label *label = list ? tt_mem_alloc(&m->env->mem, most * sizeof *label, err) : NULL;
	const size_t n = label ? list_names(m, list) : 0;
	size_t nlabel = 0;
	int rc = label ? TT_OK : err->code;

	sort_names(list, n);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || by_marker(&list[i], &list[i - 1]) != 0)
			label[nlabel++].name = list[i].name;
	TT_THEN(rc, tt_labels_make(m, label, nlabel, &m->arena, err));
	for (size_t i = 0, at = 0; i < n && rc == TT_OK; i++) {
		at += i > 0 && by_marker(&list[i], &list[i - 1]) != 0;
		list[i].name->distinct_label = label[at].text != label[at].name->shown ? label[at].text : NULL;
	}
	tt_mem_free(&m->env->mem, label, most * sizeof *label);
	tt_mem_free(&m->env->mem, list, most * sizeof *list);
	return rc;
}

const char *
tt_model_class(const struct tt_model *m, uint32_t process, uint64_t key)
{
	const struct tt_def *d;
	const char *name = m->keys ? slot_of(&m->keys->class, process, key)->of : NULL;

	if (name)
		return name;
	d = process < m->ncap ? tt_defs_class(m->cap[process]->defs, key, INT64_MAX) : NULL;
	return d && d->len ? d->text : "(unknown class)";
}

const struct tt_name *
tt_model_key(const struct tt_model *m, uint32_t process, uint64_t key)
{
	static const struct tt_name unknown = { .full = UNKNOWN, .shown = UNKNOWN, .wanted = true };
	const struct tt_keys *k = m->keys;

	if (!k)
		return &unknown;
	if (key >= TT_KEY_SPECIAL) {
		const struct tt_name *n = special_name(k, key);

		return n ? n : &k->unknown;
	}
	const struct tt_name *name = slot_of(&k->name, process, key)->of;
	return name ? name : &k->unknown;
}

const char *
tt_model_caveat(const struct tt_model *m)
{
	for (size_t i = 0; i < m->ncap; i++) {
		if (m->cap[i]->distorts)
			return "calls were recorded, which can slow a program by tens of times: times are "
			       "relative; compare them with each other, not with a run that is not recorded";
	}
	return NULL;
}

bool
tt_model_records(const struct tt_model *m, enum tt_records what)
{
	for (size_t i = 0; i < m->ncap; i++)
		if (m->cap[i]->records & what)
			return true;
	return false;
}

const char *
tt_model_option(const struct tt_model *m, enum tt_records what)
{
	const char *option = NULL;

	for (size_t i = 0; i < m->ncap; i++) {
		const char *own = m->cap[i]->advice ? m->cap[i]->advice(what) : NULL;

		if (!own || (option && strcmp(option, own) != 0))
			return NULL;
		option = own;
	}
	return option;
}

const char *
tt_model_unrecorded(const struct tt_model *m, enum tt_records what, struct tt_arena *a, struct tt_err *err)
{
	static const struct { enum tt_records what; const char *name, *verb; } kind[] = {
		{ TT_REC_ALLOCS, "allocations", "were" }, { TT_REC_COLLECTIONS, "collections", "were" }, { TT_REC_THROWS, "exceptions", "were" },
		{ TT_REC_WAITS, "waits for locks", "were" }, { TT_REC_SAMPLES, "samples", "were" }, { TT_REC_HANDLES, "GC handles", "were" },
		{ TT_REC_FINALIZERS, "finalizers", "were" }, { TT_REC_CODE, "helper code", "was" },
	};
	const char *option = tt_model_option(m, what);
	char text[96];
	size_t i = 0;
	int n;

	while (kind[i].what != what)
		i++;
	if (tt_model_undefined(m, what))
		n = snprintf(text, sizeof text, "%s are not known: the capture does not define their marker", kind[i].name);
	else
		n = snprintf(text, sizeof text, "%s %s not recorded%s%s%s", kind[i].name, kind[i].verb, option ? " (record with " : "", option ? option : "",
		    option ? ")" : "");
	return tt_arena_text(a, text, (size_t)n, err);
}

bool
tt_model_undefined(const struct tt_model *m, enum tt_records what)
{
	for (size_t i = 0; i < m->ncap; i++)
		if (m->cap[i]->undefined & what)
			return true;
	return false;
}

bool
tt_model_knows_allocs(const struct tt_model *m)
{
	if (tt_model_undefined(m, TT_REC_ALLOCS))
		return false;
	for (size_t i = 0; i < m->threads.n; i++)
		if (m->threads.t[i]->nalloc)
			return true;
	return tt_model_records(m, TT_REC_ALLOCS);
}

const struct tt_name *
tt_model_name_at(const struct tt_model *m, size_t i)
{
	const struct tt_keys *k = m->keys;

	return i < k->n ? &k->all[i] : i - k->n < SPECIALS ? &k->special[i - k->n] : NULL;
}
