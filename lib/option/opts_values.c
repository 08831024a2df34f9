/**
 * Reads the values of options into their fields.
 */
#include "option/opts.h"

#include <stdio.h>
#include <string.h>

#include "base/parse_value.h"
#include "base/spelling.h"
#include "model/filter.h"

int
tt_opt_flag(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)value, (void)a, (void)err;
	*(bool *)field = true;
	return TT_OK;
}

/* TT_OK if ${s} is one of the row's values, or the row has no list; *${i} is its index. */
static int
known_value(const struct tt_opt *o, const char *s, size_t *i, struct tt_err *err)
{
	const char *near;
	char list[256] = "";
	size_t more = 0;

	if (!o->value)
		return TT_OK;
	for (size_t k = 0; o->value(k); k++) {
		if (strcmp(o->value(k), s) == 0) {
			*i = k;
			return TT_OK;
		}
		if (more > 0 || strlen(list) + strlen(o->value(k)) + 3 >= sizeof list) {
			more++;
			continue;
		}
		strcat(list, k > 0 ? ", " : "");
		strcat(list, o->value(k));
	}
	near = tt_nearest_word(s, o->value);
	if (near)
		return tt_fail(
		    err, TT_E_USAGE, TT_NOWHERE, "unknown value \"%s\"; did you mean \"%s\"?", s, near);
	if (more > 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown value \"%s\" (one of: %s and %zu more)", s, list, more);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown value \"%s\" (one of: %s)", s, list);
}

int
tt_opt_text(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	size_t i;
	int rc = known_value(o, value, &i, err);

	(void)a;
	if (rc == TT_OK)
		*(const char **)field = value;
	return rc;
}

int
tt_opt_choice(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	size_t i = 0;
	int rc = known_value(o, value, &i, err);

	(void)a;
	if (rc == TT_OK)
		*(int *)field = (int)i;
	return rc;
}

int
tt_opt_add(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	size_t i;
	int rc = known_value(o, value, &i, err);

	return rc != TT_OK ? rc : tt_list_add(field, value, a, err);
}

int
tt_opt_pattern(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_pattern_check(value, err);

	return rc == TT_OK ? tt_opt_text(o, field, value, a, err) : rc;
}

int
tt_opt_patterns(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_pattern_check(value, err);

	(void)o;
	return rc == TT_OK ? tt_list_add(field, value, a, err) : rc;
}

int
tt_opt_commas(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	for (const char *p = value;; p++) {
		size_t n = strcspn(p, ",");
		char *s = tt_arena_text(a, p, n, err);
		int rc;

		if (!s)
			return err->code;
		rc = tt_opt_add(o, field, s, a, err);
		if (rc != TT_OK)
			return rc;
		p += n;
		if (*p == '\0')
			return TT_OK;
	}
}

int
tt_opt_count(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)a;
	return tt_parse_count(value, o->lo, o->hi, field, err);
}

int
tt_opt_size(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	uint64_t *size = field;
	int rc = tt_parse_size(value, size, err);

	(void)a;
	if (rc == TT_OK && *size > 0 && *size < o->lo)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is too little: at least %lluM, or 0 for no limit", value,
		    (unsigned long long)(o->lo >> 20));
	return rc;
}

int
tt_opt_duration(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)a;
	return tt_parse_duration(value, field, err);
}

int
tt_opt_percent(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)a;
	return tt_parse_percent(value, field, err);
}

/* Read one character of ${chars}. */
static int
read_char(const char *chars, char *field, const char *value, struct tt_err *err)
{
	char list[40] = "";

	if (strcmp(value, "tab") == 0)
		value = "\t";
	if (strlen(value) == 1 && strchr(chars, value[0])) {
		*field = value[0];
		return TT_OK;
	}
	for (const char *p = chars; *p; p++)
		snprintf(list + strlen(list), sizeof list - strlen(list), " %s", *p == '\t' ? "tab" : (const char[]){ *p, '\0' });
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not one of%s", value, list);
}

int
tt_opts_read(const struct tt_option *t, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	static int (*const set[])(const struct tt_opt *, void *, const char *, struct tt_arena *, struct tt_err *) = {
		[TT_OPTION_FLAG] = tt_opt_flag, [TT_OPTION_COUNT] = tt_opt_count, [TT_OPTION_SIZE] = tt_opt_size, [TT_OPTION_PERCENT] = tt_opt_percent,
		[TT_OPTION_CHOICE] = tt_opt_choice, [TT_OPTION_TABLE] = tt_opt_text };
	const struct tt_opt o = { .lo = t->min, .hi = t->max, .value = t->value };
	int rc;

	if (t->kind == TT_OPTION_CHAR)
		return read_char(t->chars, field, value, err);
	rc = set[t->kind](&o, field, value, a, err);
	if (rc == TT_OK && t->kind == TT_OPTION_CHOICE)
		++*(int *)field;
	return rc;
}

void
tt_opts_row(const struct tt_option *t, const char *who, struct tt_opt_row *row)
{
	size_t n;

	row->o = (struct tt_opt){ .name = t->name, .arg = t->arg, .help = t->help, .value = t->value };
	if (!*who && !strchr(t->help, '{'))
		return;
	n = (size_t)snprintf(row->help, sizeof row->help / 2, "%s", who);

	for (const char *p = t->help; *p && n + 2 < sizeof row->help; p++) {
		if (*p == '{')
			row->help[n++] = '-';
		if (*p != '}')
			row->help[n++] = *p == '{' ? '-' : *p;
	}
	row->help[n] = '\0';
	row->o.help = row->help;
}
