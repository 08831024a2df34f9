/**
 * Labels counters: sorts all definitions by name, section, unit and capture, so that similar ones are neighbours.
 */
#include "view/counter_labels.h"

#include "base/arena_text.h"
#include "base/hash_seed.h"
#include "base/map.h"
#include "base/order.h"
#include "model/defs.h"
#include "model/model.h"

struct row {
	const struct tt_def *def;
	uint32_t process;
	uint32_t identity;            /* equal for rows that are the same counter */
	const char *text;
};

static int
compare_section(const struct row *x, const struct row *y)
{
	const int c = strcmp(x->def->text, y->def->text);

	return c ? c : strcmp(tt_counter_section(x->def), tt_counter_section(y->def));
}

static int
compare_unit(const struct row *x, const struct row *y)
{
	const int c = compare_section(x, y);

	return c ? c : strcmp(tt_counter_base(x->def).name, tt_counter_base(y->def).name);
}

static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const int c = compare_unit(x, y);

	if (c || x->process != y->process)
		return c ? c : TT_CMP(x->process, y->process);
	return TT_CMP(x->def->key, y->def->key);
}

static size_t
count_named(const struct tt_model *m, struct row *v)
{
	const struct tt_def *d;
	size_t n = 0;

	for (uint32_t p = 0; p < m->ncap; p++)
		for (size_t i = 0; m->cap[p]->defs && (d = tt_defs_at(m->cap[p]->defs, TT_DEF_COUNTER, i)); i++) {
			if (d->len && v)
				v[n] = (struct row){ .def = d, .process = p };
			n += d->len > 0;
		}
	return n;
}

/* The end of the run of rows, from ${i} on, that ${compare} finds equal. */
static size_t
end_of(const struct row *v, size_t n, size_t i, int (*compare)(const struct row *, const struct row *))
{
	size_t end = i + 1;

	while (end < n && compare(&v[i], &v[end]) == 0)
		end++;
	return end;
}

static int
compare_name(const struct row *x, const struct row *y)
{
	return strcmp(x->def->text, y->def->text);
}

/* Label the ${n} rows of one name, section and unit. ${section}, ${unit}: true if these must be in the label to tell counters of the same name apart. */
static int
label_alike(struct row *v, size_t n, bool section, bool unit, uint32_t *nidentity, struct tt_arena *text, struct tt_err *err)
{
	const char *in = tt_counter_section(v->def), *name = v->def->text;
	uint32_t which = 1, most = 0;

	section = section && *in;
	if (section || unit)
		name = tt_arena_printf(text, err, "%s%s%s%s%s%s%s", name, section ? " [" : "", section ? in : "", section ? "]" : "", unit ? " (" : "",
		    unit ? tt_counter_base(v->def).name : "", unit ? ")" : "");
	for (size_t i = 0; i < n && name; i++) {
		if (i && v[i].process != v[i - 1].process)
			which = 1;
		else if (i && v[i].def->key != v[i - 1].def->key)
			which++;
		if (which > most)
			most = which;
		v[i].identity = *nidentity + which;
		v[i].text = which == 1 ? name : tt_arena_printf(text, err, "%s (%u)", name, which);
		if (!v[i].text)
			return err->code;
	}
	*nidentity += most;
	return name ? TT_OK : err->code;
}

static int
label_all(struct row *v, size_t n, struct tt_arena *text, struct tt_err *err)
{
	uint32_t nidentity = 0;
	int rc = TT_OK;

	for (size_t name = 0, name_end; name < n; name = name_end) {
		name_end = end_of(v, n, name, compare_name);
		const bool sections = end_of(v, name_end, name, compare_section) < name_end;
		for (size_t in = name, in_end; in < name_end; in = in_end) {
			in_end = end_of(v, name_end, in, compare_section);
			const bool units = end_of(v, in_end, in, compare_unit) < in_end;
			for (size_t unit = in, unit_end; unit < in_end && rc == TT_OK; unit = unit_end) {
				unit_end = end_of(v, in_end, unit, compare_unit);
				rc = label_alike(v + unit, unit_end - unit, sections, units, &nidentity, text, err);
			}
		}
	}
	return rc;
}

/* The row that already has the label of ${x}, plus 1; 0: none. */
static uint32_t
find_taken(const struct tt_map *taken, const struct row *v, const struct row *x)
{
	return tt_map_find(taken, tt_seeded_text(0, x->text, strlen(x->text)), i, strcmp(v[i].text, x->text) == 0);
}

/* Reserve the label of row ${i}. If another counter has that label, append the first number that makes it unique, as in "Used (2)". */
static int
take_label(struct tt_map *taken, struct row *v, size_t i, struct tt_mem *mem, struct tt_arena *text, struct tt_err *err)
{
	const char *const own = v[i].text;
	uint32_t by;

	for (uint32_t k = 2; (by = find_taken(taken, v, &v[i])) != 0 && v[by - 1].identity != v[i].identity; k++)
		if (!(v[i].text = tt_arena_printf(text, err, "%s (%u)", own, k)))
			return err->code;
	return by ? TT_OK : tt_map_add(taken, mem, tt_seeded_text(0, v[i].text, strlen(v[i].text)), i, err);
}

/* Make labels unique: one that was composed, such as "Used [Memory]", is lengthened if it is also the name of another counter. Plain names are kept. */
static int
make_unique(struct row *v, size_t n, struct tt_mem *mem, struct tt_arena *text, struct tt_err *err)
{
	struct tt_map taken = { 0 };
	int rc = TT_OK;

	for (unsigned turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < n && rc == TT_OK; i++)
			if ((v[i].text == v[i].def->text) == (turn == 0))
				rc = take_label(&taken, v, i, mem, text, err);
	tt_map_free(&taken, mem);
	return rc;
}

static int
by_def(const void *a, const void *b)
{
	const struct tt_counter_label *x = a, *y = b;

	return TT_CMP((uintptr_t)x->def, (uintptr_t)y->def);
}

int
tt_counter_labels_make(const struct tt_model *m, struct tt_counter_labels *l, struct tt_arena *text, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	const size_t n = count_named(m, NULL);
	struct row *v = tt_mem_alloc(mem, n * sizeof *v, err);
	int rc;

	*l = (struct tt_counter_labels){ .n = n, .label = v ? tt_arena_alloc(text, n * sizeof *l->label, err) : NULL };
	if (!l->label) {
		tt_mem_free(mem, v, n * sizeof *v);
		l->n = 0;
		return err->code;
	}
	count_named(m, v);
	tt_sort(v, n, compare_rows);
	rc = label_all(v, n, text, err);
	TT_THEN(rc, make_unique(v, n, mem, text, err));
	for (size_t i = 0; i < n; i++)
		l->label[i] = (struct tt_counter_label){ v[i].def, v[i].text };
	tt_sort(l->label, n, by_def);
	tt_mem_free(mem, v, n * sizeof *v);
	return rc;
}

const char *
tt_counter_label(const struct tt_counter_labels *l, const struct tt_def *d, uint64_t id, char room[TT_COUNTER_NAME])
{
	const size_t at = d ? tt_lower_bound(i, 0, l->n, (uintptr_t)l->label[i].def < (uintptr_t)d) : l->n;

	return at < l->n && l->label[at].def == d ? l->label[at].text : tt_counter_called(d, id, room);
}
