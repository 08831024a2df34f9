/**
 * The options of the plug-in, and whether they take a marker; the contract is in config.h. Nothing here knows where the text
 * came from.
 */
#include "recorder/unity/config.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))

void
config_init(struct config *c)
{
	*c = (struct config){ .verbosity = UINT8_MAX, .self = true, .sync = true };
}

/* --- values ----------------------------------------------------------------- */

/* "7", "7-", "7-9", "-9" */
static bool
read_range(const char *s, size_t n, uint64_t *first, uint64_t *last)
{
	const char *p = s, *end = s + n;

	*first = 1;
	*last = 0;
	if (p < end && *p != '-' && !optval_number(&p, end, 1, first))
		return false;
	if (p == end) {
		*last = *first;
		return n > 0 && *first > 0;
	}
	if (*p++ != '-')
		return false;
	if (p < end && (!optval_number(&p, end, 1, last) || *last < *first))
		return false;
	return p == end && *first > 0 && n > 1;
}

static bool
is_text(const char *s, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(s, text, n) == 0;
}

struct bit { const char *text; unsigned value; };
static const struct bit flag_names[] = {
	{ "script", UNITY_M_SCRIPT }, { "editor", UNITY_M_EDITOR }, { "release", UNITY_M_RELEASE },
	{ "warning", UNITY_M_WARNING }, { "invoke", UNITY_M_INVOKE }, { "deep", UNITY_M_DEEP },
	{ "counter", UNITY_M_COUNTER }, { "gpu", UNITY_M_GPU }, { NULL, 0 },
};
static const struct bit verbosity_names[] = {
	{ "user", UNITY_V_USER }, { "debug", UNITY_V_DEBUG }, { "internal", UNITY_V_INTERNAL },
	{ "external", UNITY_V_EXTERNAL }, { "advanced", UNITY_V_ADVANCED }, { NULL, 0 },
};

static const struct bit *
find_bit(const struct bit *b, const char *s, size_t n)
{
	for (; b->text; b++)
		if (is_text(s, n, b->text))
			return b;
	return NULL;
}

static bool
add_entry(struct config *c, enum config_list list, const char *s, size_t n)
{
	if (n > sizeof c->text - 2 || c->used > sizeof c->text - 2 - n)
		return false;
	c->text[c->used] = (char)list;
	memcpy(c->text + c->used + 1, s, n);
	c->text[c->used + 1 + n] = '\0';
	c->used += n + 2;
	c->n[list]++;
	return true;
}

/* The piece of ${s} up to the next comma; *${s} moves past it. NULL at the end. */
static const char *
take_piece(const char **s, const char *end, size_t *n)
{
	const char *at = *s;

	if (at >= end)
		return NULL;
	const char *comma = memchr(at, ',', (size_t)(end - at));
	*n = (size_t)((comma ? comma : end) - at);
	*s = comma ? comma + 1 : end;
	return at;
}

/* --- options ------------------------------------------------------------------ */

enum kind { K_PATH, K_COUNT, K_SIZE, K_TIME, K_RANGE, K_FLAGS, K_VERBOSITY, K_LIST, K_ENTRY, K_BOOL };

struct option {
	const char *name;
	enum kind kind;
	size_t at;            /* of the field; K_LIST, K_ENTRY: enum config_list */
	const char *form;     /* what a value looks like */
	bool filter;          /* leaves events out */
};

static const struct option options[] = {
	{ "capture", K_PATH, offsetof(struct config, capture), "a file name", false },
	{ "control", K_PATH, offsetof(struct config, control), "a file name", false },
	{ "ring", K_SIZE, offsetof(struct config, ring_b), "a size such as 32M", false },
	{ "max-size", K_SIZE, offsetof(struct config, max_b), "a size such as 2G", false },
	{ "rotate-size", K_SIZE, offsetof(struct config, rotate_b), "a size such as 256M", false },
	{ "rotate-time", K_TIME, offsetof(struct config, rotate_ns), "a time such as 10min", false },
	{ "rotate-keep", K_COUNT, offsetof(struct config, rotate_keep), "a number of files", false },
	{ "keep", K_TIME, offsetof(struct config, keep_ns), "a time such as 10s", false },
	{ "over", K_TIME, offsetof(struct config, over_ns), "a time such as 33.4ms", false },
	{ "frames", K_RANGE, offsetof(struct config, first), "a range such as 100-199", true },
	{ "flags", K_FLAGS, offsetof(struct config, flags),
	    "from script, editor, release, warning, invoke, deep, counter, gpu", true },
	{ "no-flags", K_FLAGS, offsetof(struct config, no_flags),
	    "from script, editor, release, warning, invoke, deep, counter, gpu", true },
	{ "verbosity", K_VERBOSITY, offsetof(struct config, verbosity),
	    "one of user, debug, internal, external, advanced", true },
	{ "categories", K_LIST, LIST_CATEGORIES, "names or patterns", true },
	{ "no-categories", K_LIST, LIST_NO_CATEGORIES, "names or patterns", true },
	{ "names", K_LIST, LIST_NAMES, "names or patterns", true },
	{ "no-names", K_LIST, LIST_NO_NAMES, "names or patterns", true },
	{ "meta", K_ENTRY, LIST_META, "KEY=VALUE", false },
	{ "self", K_BOOL, offsetof(struct config, self), "yes or no", false },
	{ "sync", K_BOOL, offsetof(struct config, sync), "yes or no", false },
	{ "overwrite", K_BOOL, offsetof(struct config, overwrite), "yes or no", false },
};

static bool
read_flags(const char *s, const char *end, uint16_t *flags)
{
	const struct bit *b;
	const char *piece;
	size_t n;

	*flags = 0;
	while ((piece = take_piece(&s, end, &n)) != NULL) {
		if (!(b = find_bit(flag_names, piece, n)))
			return false;
		*flags = (uint16_t)(*flags | b->value);
	}
	return *flags != 0;
}

static bool
set_list(struct config *c, enum config_list list, const char *s, const char *end)
{
	const char *piece;
	size_t n, some = 0;

	while ((piece = take_piece(&s, end, &n)) != NULL) {
		if (n > 0 && !add_entry(c, list, piece, n))
			return false;
		some += n;
	}
	return some > 0;
}

static bool
set_path(char to[CONFIG_PATH], const char *s, size_t n)
{
	if (n == 0 || n >= CONFIG_PATH)
		return false;
	memcpy(to, s, n);
	to[n] = '\0';
	return true;
}

static bool
set_number(uint64_t *to, enum kind kind, const char *s, size_t n)
{
	uint64_t v;
	bool good = kind == K_TIME ? optval_time(s, n, &v) : optval_size(s, n, &v);

	if (!good || (kind == K_COUNT && v > UINT32_MAX))
		return false;
	*to = v;
	return true;
}

/* Nothing is changed by a value that cannot be read, but lists that are full have got a part of it. */
static bool
set_one(struct config *c, const struct option *o, const char *s, size_t n)
{
	void *field = (char *)c + (o->kind == K_LIST || o->kind == K_ENTRY ? 0 : o->at);
	const struct bit *b;
	uint64_t first, last;
	uint16_t flags;

	switch (o->kind) {
	case K_PATH:
		return set_path(field, s, n);
	case K_COUNT: case K_SIZE: case K_TIME:
		return set_number(field, o->kind, s, n);
	case K_RANGE:
		if (!read_range(s, n, &first, &last))
			return false;
		c->first = first;
		c->last = last;
		return true;
	case K_FLAGS:
		if (!read_flags(s, s + n, &flags))
			return false;
		*(uint16_t *)field = flags;
		return true;
	case K_VERBOSITY:
		if ((b = find_bit(verbosity_names, s, n)) != NULL)
			c->verbosity = b->value;
		return b;
	case K_LIST:
		return set_list(c, (enum config_list)o->at, s, s + n);
	case K_ENTRY:
		return memchr(s, '=', n) && *s != '=' && add_entry(c, (enum config_list)o->at, s, n);
	case K_BOOL:
		if (!is_text(s, n, "yes") && !is_text(s, n, "no"))
			return false;
		*(bool *)field = is_text(s, n, "yes");
		return true;
	}
	return false;
}

/* Append it to the message so far. */
static void
add_why(char why[CONFIG_WHY], const char *fmt, const char *s, size_t n, const char *form)
{
	size_t at = strlen(why);

	if (at > 0)
		at += (size_t)snprintf(why + at, CONFIG_WHY - at, "; ");
	if (at < CONFIG_WHY)
		snprintf(why + at, CONFIG_WHY - at, fmt, (int)(n < 100 ? n : 100), s, form);
}

static bool
set_text(struct config *c, const char *s, size_t n, char why[CONFIG_WHY])
{
	const char *eq = memchr(s, '=', n);
	size_t name = eq ? (size_t)(eq - s) : n;

	for (size_t i = 0; i < COUNT(options); i++) {
		const struct option *o = &options[i];
		if (!is_text(s, name, o->name))
			continue;
		if (o->kind != K_LIST)
			c->bad &= ~(1u << i);
		if (eq && set_one(c, o, eq + 1, n - name - 1))
			return true;
		c->bad |= 1u << i;
		add_why(why, "option \"%.*s\": want %s", s, n, o->form);
		return false;
	}
	add_why(why, "no option is called \"%.*s\"%s", s, name, "");
	return false;
}
_Static_assert(COUNT(options) <= 32, "config.bad has a bit for each");

const char *
config_bad_filter(const struct config *c)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (options[i].filter && c->bad >> i & 1)
			return options[i].name;
	return NULL;
}

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r';
}

int
config_set(struct config *c, const char *text, size_t n, char why[CONFIG_WHY])
{
	size_t at = 0;
	bool good = true;

	why[0] = '\0';
	while (at < n) {
		size_t end = at;
		while (end < n && text[end] != ';' && text[end] != '\n')
			end++;
		size_t from = at, to = end;
		while (from < to && is_blank(text[from]))
			from++;
		while (to > from && is_blank(text[to - 1]))
			to--;
		if (to > from)
			good = set_text(c, text + from, to - from, why) && good;
		at = end + 1;
	}
	return good ? 0 : -1;
}

/* --- use ------------------------------------------------------------------------ */

const char *
config_next(const struct config *c, enum config_list list, const char *last)
{
	const char *p = last ? last + strlen(last) + 1 : c->text;

	for (; p < c->text + c->used; p += strlen(p) + 1)
		if (*p++ == (char)list)
			return p;
	return NULL;
}

static bool
is_listed(const struct config *c, enum config_list list, const char *s)
{
	for (const char *p = NULL; (p = config_next(c, list, p)) != NULL;)
		if (optval_glob(p, s))
			return true;
	return false;
}

bool
config_takes(const struct config *c, const struct unity_marker *m, const char *category)
{
	const char *name = m->name ? m->name : "";

	if (m->flags & c->no_flags || (c->flags && !(m->flags & c->flags)) || UNITY_VERBOSITY(m->flags) > c->verbosity)
		return false;
	if (c->n[LIST_CATEGORIES] && !is_listed(c, LIST_CATEGORIES, category))
		return false;
	if (c->n[LIST_NAMES] && !is_listed(c, LIST_NAMES, name))
		return false;
	return !is_listed(c, LIST_NO_CATEGORIES, category) && !is_listed(c, LIST_NO_NAMES, name);
}
