/**
 * Makes unique labels for markers: sorts them by text and lengthens equal ones by arguments, full name and category in turn. A label that still equals another,
 * or prints like it, gets the first number that none has: " (2)", " (3)".
 */
#include "model/labels.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/hash_seed.h"
#include "base/map.h"
#include "base/order.h"
#include "base/utf8.h"
#include "model/model.h"
#include "model/names.h"

/* The properties that tell markers apart that are shown alike, tried in this order. */
enum part { PART_ARGUMENTS, PART_FULL, PART_CATEGORY, PARTS };

int
tt_label_compare(const struct tt_name *a, const struct tt_name *b)
{
	int c = a == b ? 0 : strcmp(a->full, b->full);

	return c ? c : TT_CMP(a->category, b->category);
}

static int
by_text(const void *a, const void *b, void *arg)
{
	const struct tt_label *v = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = strcmp(v[x].text, v[y].text);

	return c ? c : TT_CMP(x, y);
}

static int
lengthen(const struct tt_model *m, struct tt_label *v, enum part by, struct tt_arena *text, struct tt_err *err)
{
	const struct tt_name *name = v->name;

	/* With --names full there is no argument list to add. */
	if (by == PART_FULL || (by == PART_ARGUMENTS && name->shown == name->full)) {
		v->text = name->full;
		return TT_OK;
	}
	v->text = by == PART_ARGUMENTS ? tt_arena_printf(text, err, "%s%s", name->shown, name->full + tt_name_bare(name->full)) :
	    tt_arena_printf(text, err, "%s [%s]", v->text, m->category[name->category].name);
	return v->text ? TT_OK : err->code;
}

/* Lengthen equal labels by the property ${by}. *${any}: true if some were equal. */
static int
lengthen_all(const struct tt_model *m, struct tt_label *v, uint32_t *order, size_t n, enum part by, bool *any, struct tt_arena *text,
    struct tt_err *err)
{
	int rc = TT_OK;

	*any = false;
	tt_sort_by(order, n, by_text, v);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		j = i + 1;
		while (j < n && strcmp(v[order[i]].text, v[order[j]].text) == 0)
			j++;
		if (j - i == 1)
			continue;
		*any = true;
		/* Only the category tells apart markers of one full name. */
		if (by != PART_CATEGORY && strcmp(v[order[i]].name->full, v[order[j - 1]].name->full) == 0)
			continue;
		for (size_t k = i; k < j && rc == TT_OK; k++)
			rc = lengthen(m, &v[order[k]], by, text, err);
	}
	return rc;
}

/* The text as the strictest output has it, one character for each that it cannot hold; NULL with ${err} filled. */
static const char *
printed(const char *s, struct tt_arena *text, struct tt_err *err)
{
	const char *p = s;

	while (*p >= ' ' && *p < 0x7f)
		p++;
	if (*p == '\0')
		return s;
	size_t n = strlen(s), len;
	char *const to = tt_arena_alloc(text, n + 1, err), *end = to;
	for (; to && n > 0; s += len, n -= len) {
		const uint32_t c = (len = tt_utf8_len(s, n)) ? tt_utf8_code(s, len) : 0;
		len = len ? len : 1;
		if (tt_utf8_control(c) || c == 0xfffd)
			*end++ = '?';
		else
			end = (char *)memcpy(end, s, len) + len;
	}
	if (to)
		*end = '\0';
	return to;
}

/* The label, plus 1, that prints as ${text}; 0: none. */
static uint32_t
find_taken(const struct tt_map *taken, const char *const *key, const char *text)
{
	return tt_map_find(taken, tt_seeded_text(0, text, strlen(text)), i, strcmp(key[i], text) == 0);
}

/* Put the first number after ${label}, from *${next} on, that makes it print as no label before: *${print}. */
static int
put_number(struct tt_label *label, const struct tt_map *taken, const char *const *key, const char **print, uint32_t *next, struct tt_arena *text,
    struct tt_err *err)
{
	const char *const own = label->text;

	do {
		label->text = tt_arena_printf(text, err, "%s (%u)", own, *next);
		*print = label->text ? printed(label->text, text, err) : NULL;
		if (!*print)
			return err->code;
		++*next;
	} while (find_taken(taken, key, *print));
	return TT_OK;
}

/**
 * Put a number after each label that equals, or prints like, one before it. Labels that are the marker's own name come first, so they stay where possible, then
 * the others, and those that need a number last, when all that need none are known. ${next}: for each label the number that the next one like it gets; 0: the
 * label is not known yet.
 */
static int
number_alike(struct tt_label *v, size_t n, struct tt_mem *mem, struct tt_arena *text, struct tt_err *err)
{
	const char **key = tt_mem_alloc(mem, n * sizeof *key, err);
	uint32_t *next = key ? tt_mem_alloc(mem, n * sizeof *next, err) : NULL;
	struct tt_map taken = { 0 };
	int rc = next ? TT_OK : err->code;

	for (unsigned turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < n && rc == TT_OK; i++) {
			const bool own = v[i].text == v[i].name->shown || v[i].text == v[i].name->full;

			if (next[i] || (turn < 2 && own != (turn == 0)))
				continue;
			key[i] = printed(v[i].text, text, err);
			const uint32_t first = key[i] ? find_taken(&taken, key, key[i]) : 0;
			if (first && turn < 2)
				continue;
			if (first)
				rc = put_number(&v[i], &taken, key, &key[i], &next[first - 1], text, err);
			else if (!key[i])
				rc = err->code;
			next[i] = 2;
			TT_THEN(rc, tt_map_add(&taken, mem, tt_seeded_text(0, key[i], strlen(key[i])), i, err));
		}
	tt_map_free(&taken, mem);
	tt_mem_free(mem, next, n * sizeof *next);
	tt_mem_free(mem, key, n * sizeof *key);
	return rc;
}

/* True if a text has a character outside printable ASCII, which may print differently. */
static bool
has_unprinted(const struct tt_label *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (const char *p = v[i].text; *p; p++)
			if (*p < ' ' || *p >= 0x7f)
				return true;
	return false;
}

/* Lengthen the texts of ${v}, from ${by} on, until they differ. */
static int
tell_apart(const struct tt_model *m, struct tt_label *v, size_t n, enum part by, struct tt_arena *text, struct tt_err *err)
{
	uint32_t *order = tt_mem_alloc(&m->env->mem, n * sizeof *order, err);
	bool any = true;
	int rc = TT_OK;

	if (!order)
		return err->code;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (; by < PARTS && any && rc == TT_OK; by++)
		rc = lengthen_all(m, v, order, n, by, &any, text, err);
	tt_mem_free(&m->env->mem, order, n * sizeof *order);
	return rc == TT_OK && (any || has_unprinted(v, n)) ? number_alike(v, n, &m->env->mem, text, err) : rc;
}

int
tt_labels_make(const struct tt_model *m, struct tt_label *v, size_t n, struct tt_arena *text, struct tt_err *err)
{
	for (size_t i = 0; i < n; i++)
		v[i].text = v[i].name->shown;
	return tell_apart(m, v, n, 0, text, err);
}

int
tt_labels_make_full(const struct tt_model *m, struct tt_label *v, size_t n, struct tt_arena *text, struct tt_err *err)
{
	for (size_t i = 0; i < n; i++)
		v[i].text = v[i].name->full;
	return tell_apart(m, v, n, PART_CATEGORY, text, err);
}
