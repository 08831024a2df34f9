/**
 * Checks options of tables before captures are read: sort columns, parts of the time, wide figures, groups.
 */
#include "pass/choice.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "pass/pass.h"

static bool
wants(const struct tt_table_choice *c, const struct tt_pass *p, const struct tt_pass_table *t)
{
	const struct tt_pass_opts po = { .table = c->table };

	return c->table && c->table[0] ? tt_pass_wants(p, t, &po) : p->is_standard && !t->is_extra;
}

int
tt_choice_check_parts(const struct tt_table_choice *c, struct tt_err *err)
{
	char list[200] = "", *to = list;

	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];
			const char *asks = tt_pass_needed_option(t->id);

			if (t->is_by_time && wants(c, *p, t))
				return TT_OK;
			if (t->is_by_time && to < list + sizeof list - 100)
				to += sprintf(to, "%s%.40s%s%.40s%s", to > list ? ", " : "", t->id, asks ? " (--" : "", asks ? asks : "", asks ? ")" : "");
		}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "only these tables have parts of the time: %s", list);
}

int
tt_choice_check_wide(const struct tt_table_choice *c, const char *column, bool *any, struct tt_err *err)
{
	*any = false;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];
			size_t k = 0;

			if (!t->wide_column || !wants(c, *p, t))
				continue;
			while (k < t->ncol && strcmp(t->col[k].id, column) != 0)
				k++;
			if (k == t->ncol || tt_unit_is_text(t->col[k].unit) || strcmp(t->col[k].id, "frame") == 0)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "table %s has no figure \"%s\" (see \"tracetool list metrics\")", t->id, column);
			*any = true;
		}
	return TT_OK;
}

int
tt_choice_set_group(struct tt_table_choice *c, const char *key, struct tt_err *err)
{
	const char *near;

	for (size_t i = 0; tt_group_key(i); i++)
		if (strcmp(tt_group_key(i), key) == 0) {
			c->group = (enum tt_group)(i + 1);
			return TT_OK;
		}
	if (strchr(key, ','))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "rows are grouped by one of thread, assembly, namespace and domain, not by \"%s\"", key);
	near = tt_nearest_word(key, tt_group_key);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not thread, assembly, namespace or domain%s%s%s", key, near ? "; did you mean \"" : "",
	    near ? near : "", near ? "\"?" : "");
}

/* True if ${t} has the column ${id} only in its grouped form. */
static bool
is_group_column(const struct tt_table_choice *c, const struct tt_pass_table *t, const char *id)
{
	if (!c->group || !(t->possible_groups & 1u << c->group))
		return false;
	return (t->group_col & TT_GROUP_FRONT && strcmp(id, tt_group_key(c->group - 1)) == 0) ||
	    (t->group_col & TT_GROUP_COUNT && strcmp(id, "count") == 0);
}

/* List the columns of the chosen tables, each once, as far as they fit into ${size} bytes. */
static void
list_columns(const struct tt_table_choice *c, char *to, size_t size)
{
	size_t at = 0;

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];

			for (size_t k = 0; k < t->ncol && wants(c, *p, t); k++) {
				char one[80], *was = to;
				size_t n = (size_t)snprintf(one, sizeof one, ", %s", t->col[k].id);

				while ((was = strstr(was, one)) && was[n] && was[n] != ',')
					was++;
				if (was)
					continue;
				if (at + n + 8 > size) {
					strcpy(to + at, ", ...");
					return;
				}
				memcpy(to + at, one, n + 1);
				at += n;
			}
		}
	}
}

static int
no_column(const struct tt_table_choice *c, const char *id, const char *near, struct tt_err *err)
{
	char list[300] = "";

	if (near)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no column \"%.60s\"; did you mean \"%s\"?", id, near);
	list_columns(c, list, sizeof list);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no column \"%.60s\"; there are %s", id, *list ? list + 2 : "none");
}

int
tt_choice_check_column(const struct tt_table_choice *c, const char *id, struct tt_err *err)
{
	const char *near = NULL;
	size_t least = SIZE_MAX;

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];

			if (wants(c, *p, t) && is_group_column(c, t, id))
				return TT_OK;
			if (wants(c, *p, t) && tt_column_called(t->col, t->ncol, id) < t->ncol)
				return TT_OK;
			for (size_t k = 0; k < t->ncol && wants(c, *p, t); k++) {
				size_t d = tt_word_distance(id, t->col[k].id);

				if (d < least) {
					least = d;
					near = t->col[k].id;
				}
			}
		}
	}
	return no_column(c, id, near, err);
}
