/**
 * firefox: numbers names, functions and stacks, and finds the paths of zones.
 */
#include "emit/firefox.h"

#include <string.h>

#include "base/hash_seed.h"
#include "emit/common.h"
#include "emit/stacks.h"

/* --- names --------------------------------------------------------------------------------------------------------- */

/* Find the *${number} of ${s}, which outlives the output, in the table of strings. */
int
tt_firefox_number_string(struct firefox *d, const char *s, uint32_t *number, struct tt_err *err)
{
	struct tt_mem *mem = &d->e.env->mem;
	const uint64_t hash = tt_seeded_text(0, s, strlen(s));
	const uint32_t at = tt_map_find(&d->string_at, hash, i, strcmp(d->string[i], s) == 0);
	int rc = TT_OK;

	*number = at ? at - 1 : (uint32_t)d->nstring;
	if (!at)
		rc = tt_map_push(&d->string_at, mem, hash, &d->string, &d->capstring, d->nstring, err);
	if (!at && rc == TT_OK)
		d->string[d->nstring++] = s;
	return rc;
}

static bool
is_gc(uint64_t key)
{
	return key == TT_KEY_GC_PAUSE || key == TT_KEY_GC_STOP || (key >= TT_KEY_GC_GEN(0) && key <= TT_KEY_GC_GEN(7));
}

static uint32_t
category_of(const struct firefox *d, const struct tt_name *name)
{
	return name->category < d->e.m->ncategory ? CATEGORIES + name->category : CATEGORY_OTHER;
}

/* Add the name of ${key}; ${row} is its row in the stacks, or TT_NO_ROW. */
static int
name_key(struct firefox *d, uint32_t process, uint64_t key, uint32_t row, struct tt_err *err)
{
	const struct tt_stacks *s = d->stacks;
	struct tt_nameless own;
	const struct tt_name *name = row != TT_NO_ROW ? s->paths.row[row].name : tt_emit_name(d->e.m, process, key, &own);
	struct named k = { .key = key, .process = process, .category = category_of(d, name), .is_shown = name->wanted && !name->is_left_out,
		.is_gc = is_gc(key) };
	const char *text = name == &own.name ? tt_arena_text(&d->text, own.text, strlen(own.text), err) : tt_paths_label(&s->paths, name);
	int rc;

	if (!text)
		return err->code;
	if (row != TT_NO_ROW && s->row_text[row]) {
		k.text = s->row_text[row];
		text = s->name[k.text - 1];
	}
	rc = tt_firefox_number_string(d, *text ? text : "(unnamed)", &k.name, err);
	TT_THEN(rc, tt_map_push(&d->key_at, &d->e.env->mem, tt_seeded_pair(process, key), &d->named, &d->capnamed, d->nnamed, err));
	if (rc == TT_OK)
		d->named[d->nnamed++] = k;
	return rc;
}

int
tt_firefox_find_key(struct firefox *d, uint64_t key, const struct named **k, struct tt_err *err)
{
	const uint32_t process = d->thread->process;
	const uint32_t at = tt_map_find(&d->key_at, tt_seeded_pair(process, key), i, d->named[i].key == key && d->named[i].process == process);
	int rc = at ? TT_OK : name_key(d, process, key, TT_NO_ROW, err);

	*k = rc == TT_OK ? &d->named[at ? at - 1 : d->nnamed - 1] : NULL;
	return rc;
}

/* --- paths --------------------------------------------------------------------------------------------------------- */

size_t
tt_firefox_find_place(const struct firefox *d, uint32_t up, uint32_t text)
{
	const struct tt_stacks *s = d->stacks;
	size_t i = (size_t)tt_seeded_pair(up, text) & (d->nplace - 1);

	while (d->place[i] && !(s->text[d->place[i]] == text && tt_stacks_up(s, d->place[i]) == up))
		i = (i + 1) & (d->nplace - 1);
	return i;
}

/* Mark ${node} and its ancestors for the table of stacks. A node's number is larger than its parent's, and so will be its row. */
static void
mark_stack(struct firefox *d, uint32_t node)
{
	const struct tt_stacks *s = d->stacks;

	for (; tt_stacks_frame(s, node) && !d->stack_of[node]; node = tt_stacks_up(s, node)) {
		d->stack_of[node] = 1;
		d->func_of[s->text[node]] = 1;
	}
}

/* Return the node that has the stack of ${node}: itself, or the zone of an allocation; 0: no stack. */
uint32_t
tt_firefox_stack_node(const struct firefox *d, uint32_t node)
{
	const uint32_t zone = tt_stacks_frame(d->stacks, node) ? node : tt_stacks_up(d->stacks, node);

	return tt_stacks_frame(d->stacks, zone) ? zone : 0;
}

/* Return the thread of ${node}; paths that were merged beyond the limit have no thread and go to the first. */
static uint32_t
thread_of(const struct firefox *d, uint32_t node)
{
	const struct tt_thread *t = tt_paths_thread(&d->stacks->paths, node);

	return t ? t->index : 0;
}

static void
number_rows(struct firefox *d)
{
	const struct tt_stacks *s = d->stacks;

	for (uint32_t i = 1; i < s->n; i++)
		if (d->stack_of[i])
			d->stack_of[i] = ++d->nstack;
	for (size_t i = 0; i < s->nname; i++)
		if (d->func_of[i])
			d->func_of[i] = ++d->nfunc;
}

/* Number the stacks that are shown, list their nodes by thread, and enter all zones in d->place. */
static void
place_paths(struct firefox *d)
{
	struct tt_stacks *s = d->stacks;

	for (uint32_t i = s->n; i-- > 1;) {
		const bool is_shown = tt_stacks_shown(s, i);

		if (tt_stacks_node(s, i)->kind == TT_NODE_THREAD && thread_of(d, i) < d->e.m->threads.n)
			d->root_of[thread_of(d, i)] = s->same[i];
		if (s->same[i] != i)
			continue;
		if (!is_shown && tt_stacks_kind(s, i) == TT_STACK_ZONE)
			s->value[i].v = 0;
		if (!is_shown || !d->e.m->threads.n)
			continue;
		mark_stack(d, tt_firefox_stack_node(d, i));
		d->next_of[i] = d->first_of[thread_of(d, i)];
		d->first_of[thread_of(d, i)] = i;
	}
	for (uint32_t i = 1; i < s->n; i++)
		if (s->same[i] == i && tt_stacks_kind(s, i) == TT_STACK_ZONE)
			d->place[tt_firefox_find_place(d, tt_stacks_up(s, i), s->text[i])] = i;
	number_rows(d);
}

static int
keep_text(struct tt_stacks *s, const char *text, const char **cleaned, struct tt_err *err)
{
	(void)s, (void)text, (void)cleaned, (void)err;
	return TT_OK;
}

int
tt_firefox_begin_paths(struct firefox *d, struct tt_err *err)
{
	struct tt_mem *mem = &d->e.env->mem;
	const struct tt_model *m = d->e.m;
	struct tt_stacks *s = tt_mem_alloc(mem, sizeof *s, err);
	int rc;

	d->stacks = s;
	if (!s)
		return err->code;
	if ((rc = tt_stacks_init(s, m, keep_text, true, err)) != TT_OK)
		return rc;
	for (d->nplace = 64; d->nplace < 2 * (size_t)s->n; d->nplace *= 2)
		;
	d->place = tt_mem_alloc(mem, d->nplace * sizeof *d->place, err);
	d->stack_of = tt_mem_alloc(mem, s->n * sizeof *d->stack_of, err);
	d->next_of = tt_mem_alloc(mem, s->n * sizeof *d->next_of, err);
	d->in_slice = tt_mem_alloc(mem, s->n * sizeof *d->in_slice, err);
	d->func_of = tt_mem_alloc(mem, s->nname * sizeof *d->func_of, err);
	d->root_of = tt_mem_alloc(mem, m->threads.n * sizeof *d->root_of, err);
	d->first_of = tt_mem_alloc(mem, m->threads.n * sizeof *d->first_of, err);
	d->row_of = tt_mem_alloc(mem, m->threads.n * sizeof *d->row_of, err);
	d->frames_of = tt_mem_alloc(mem, m->threads.n * sizeof *d->frames_of, err);
	d->main_of = tt_mem_alloc(mem, m->ncap * sizeof *d->main_of, err);
	d->pending = tt_mem_alloc(mem, FIREFOX_SAMPLES * sizeof *d->pending, err);
	if (!d->place || !d->stack_of || !d->next_of || !d->in_slice || !d->func_of || !d->root_of || !d->first_of || !d->row_of || !d->frames_of ||
	    !d->main_of || !d->pending)
		return err->code;
	place_paths(d);
	for (uint32_t i = 0; i < tt_tree_markers(m->tree) && i < s->paths.nmarker && rc == TT_OK; i++) {
		const struct tt_marker *k = tt_tree_marker(m->tree, i);
		rc = name_key(d, k->process, k->key, s->paths.row_of[i], err);
	}
	return rc;
}

void
tt_firefox_end_paths(struct firefox *d)
{
	struct tt_mem *mem = &d->e.env->mem;
	const size_t nnode = d->stacks ? d->stacks->n : 0, nname = d->stacks ? d->stacks->nname : 0, nthread = d->e.m->threads.n;

	tt_mem_free(mem, d->string, d->capstring * sizeof *d->string);
	tt_mem_free(mem, d->named, d->capnamed * sizeof *d->named);
	tt_mem_free(mem, d->place, d->nplace * sizeof *d->place);
	tt_mem_free(mem, d->stack_of, nnode * sizeof *d->stack_of);
	tt_mem_free(mem, d->next_of, nnode * sizeof *d->next_of);
	tt_mem_free(mem, d->in_slice, nnode * sizeof *d->in_slice);
	tt_mem_free(mem, d->func_of, nname * sizeof *d->func_of);
	tt_mem_free(mem, d->root_of, nthread * sizeof *d->root_of);
	tt_mem_free(mem, d->first_of, nthread * sizeof *d->first_of);
	tt_mem_free(mem, d->row_of, nthread * sizeof *d->row_of);
	tt_mem_free(mem, d->frames_of, nthread * sizeof *d->frames_of);
	tt_mem_free(mem, d->main_of, d->e.m->ncap * sizeof *d->main_of);
	tt_mem_free(mem, d->pending, FIREFOX_SAMPLES * sizeof *d->pending);
	tt_map_free(&d->string_at, mem);
	tt_map_free(&d->key_at, mem);
	tt_arena_free(&d->text);
	if (d->stacks)
		tt_stacks_free(d->stacks);
	tt_mem_free(mem, d->stacks, sizeof *d->stacks);
}
