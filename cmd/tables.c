/**
 * The tables of all passes by id; the contract is in tables.h.
 */
#include "tables.h"

#include <string.h>

/* The ${i}th table over all passes, and its pass in *${pass}; NULL after the last. */
static const struct tt_pass_table *
table_at(size_t i, const struct tt_pass **pass)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		if (i < (*p)->ntables) {
			*pass = *p;
			return &(*p)->tables[i];
		}
		i -= (*p)->ntables;
	}
	return NULL;
}

const char *
table_id(size_t i)
{
	const struct tt_pass *pass;
	const struct tt_pass_table *t = table_at(i, &pass);

	return t ? t->id : NULL;
}

const char *
table_or_pass(size_t i)
{
	size_t n = 0;

	for (; table_id(n); n++) {
		if (n == i)
			return table_id(n);
	}
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		if (!table_named((*p)->name) && n++ == i)
			return (*p)->name;
	}
	return NULL;
}

const struct tt_pass_table *
table_named(const char *id)
{
	const struct tt_pass_table *t;
	const struct tt_pass *pass;

	for (size_t i = 0; (t = table_at(i, &pass)) != NULL; i++) {
		if (strcmp(t->id, id) == 0)
			return t;
	}
	return NULL;
}

const struct tt_pass *
pass_named(const char *name)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		if (strcmp((*p)->name, name) == 0)
			return *p;
	}
	return NULL;
}
