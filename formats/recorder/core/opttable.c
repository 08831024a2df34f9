/**
 * Parses options by tables. Nothing here knows an option, or the origin of the text.
 */
#include "recorder/core/opttable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- lists ------------------------------------------------------------------- */

bool
opttable_add(struct opttable_values *to, unsigned list, const char *s, size_t n)
{
	if (n == 0 || n > sizeof to->text - 2 || to->used > sizeof to->text - 2 - n)
		return false;
	to->text[to->used] = (char)list;
	memcpy(to->text + to->used + 1, s, n);
	to->text[to->used + 1 + n] = '\0';
	to->used += n + 2;
	to->n[list]++;
	return true;
}

const char *
opttable_next(const struct opttable_values *v, unsigned list, const char *last)
{
	const char *p = last ? last + strlen(last) + 1 : v->text;

	for (; p < v->text + v->used; p += strlen(p) + 1)
		if (*p++ == (char)list)
			return p;
	return NULL;
}

/* --- values ------------------------------------------------------------------- */

static bool
is_text(const char *s, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(s, text, n) == 0;
}

/* Return the part of ${s} up to the next comma, and move *${s} past it; NULL at the end. */
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

static bool
set_bool(bool *to, const char *s, size_t n)
{
	if (s && !is_text(s, n, "yes") && !is_text(s, n, "no"))
		return false;
	*to = !s || n == 3;
	return true;
}

static bool
set_amount(uint64_t *to, const struct opttable_option *o, const char *s, size_t n)
{
	const char *end = s ? s + n : NULL;
	uint64_t v = o->bare;
	bool good;

	if (!s)
		good = o->bare > 0;
	else if (o->kind == OPTTABLE_NUMBER)
		good = optval_number(&s, end, 1, &v) && s == end;
	else
		good = o->kind == OPTTABLE_TIME ? optval_time(s, n, &v) : optval_size(s, n, &v);
	if (!good || v < o->min || (o->max && v > o->max))
		return false;
	*to = v;
	return true;
}

static bool
set_range(uint64_t to[2], const char *s, size_t n)
{
	const char *p = s, *end = s + n;
	uint64_t first = 1, last = 0;

	if (p < end && *p != '-' && !optval_number(&p, end, 1, &first))
		return false;
	if (p == end)
		last = first;
	else if (*p++ != '-' || (p < end && (!optval_number(&p, end, 1, &last) || last < first)) || p != end || n == 1)
		return false;
	if (n == 0 || first == 0)
		return false;
	to[0] = first;
	to[1] = last;
	return true;
}

static const struct opttable_word *
find_word(const struct opttable_word *w, const char *s, size_t n)
{
	for (; w->text; w++)
		if (is_text(s, n, w->text))
			return w;
	return NULL;
}

static bool
set_words(uint64_t *to, const struct opttable_option *o, const char *s, size_t n)
{
	const char *end = s + n, *piece;
	const struct opttable_word *w;
	uint64_t v = 0;

	while ((piece = take_piece(&s, end, &n)) != NULL) {
		if (!(w = find_word(o->words, piece, n)))
			return false;
		v |= w->value;
	}
	if (v == 0)
		return false;
	*to = v;
	return true;
}

static bool
set_word(uint64_t *to, const struct opttable_option *o, const char *s, size_t n)
{
	const struct opttable_word *w = find_word(o->words, s, n);

	if (w)
		*to = w->value;
	return w;
}

static bool
set_path(char *to, const char *s, size_t n)
{
	if (n == 0 || n >= OPTVAL_PATH)
		return false;
	memcpy(to, s, n);
	to[n] = '\0';
	return true;
}

static bool
add_list(struct opttable_values *to, unsigned list, const char *s, size_t n)
{
	const char *end = s + n, *piece;
	bool some = false;

	while ((piece = take_piece(&s, end, &n)) != NULL) {
		if (n > 0 && !opttable_add(to, list, piece, n))
			return false;
		some = some || n > 0;
	}
	return some;
}

static bool
add_entry(struct opttable_values *to, const struct opttable_option *o, const char *s, size_t n)
{
	const char *with = o->with ? memchr(s, o->with, n) : s + n;

	return with && !(o->key && with == s) && opttable_add(to, (unsigned)o->at, s, n);
}

/* Store the value of ${n} bytes at ${s}; ${s} NULL: the option was given without a value. */
static bool
set(struct opttable_values *to, const struct opttable_option *o, const char *s, size_t n)
{
	void *field = (char *)to + (o->kind == OPTTABLE_LIST || o->kind == OPTTABLE_ENTRY ? 0 : o->at);

	switch (o->kind) {
	case OPTTABLE_BOOL:
		return set_bool(field, s, n);
	case OPTTABLE_NUMBER: case OPTTABLE_SIZE: case OPTTABLE_TIME:
		return set_amount(field, o, s, n);
	case OPTTABLE_RANGE:
		return s && set_range(field, s, n);
	case OPTTABLE_WORD:
		return s && set_word(field, o, s, n);
	case OPTTABLE_WORDS:
		return s && set_words(field, o, s, n);
	case OPTTABLE_PATH:
		return s && set_path(field, s, n);
	case OPTTABLE_LIST:
		return s && add_list(to, (unsigned)o->at, s, n);
	case OPTTABLE_ENTRY:
		return s && add_entry(to, o, s, n);
	case OPTTABLE_OWN:
		return o->own(to, s, n);
	}
	return false;
}

/* --- the text ------------------------------------------------------------------ */

/* The longest option is an entry of a list. */
enum { ONE = OPTTABLE_TEXT + 64 };

static void say(char why[OPTTABLE_WHY], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append an error to ${why}. */
static void
say(char why[OPTTABLE_WHY], const char *fmt, ...)
{
	size_t at = strlen(why);
	va_list ap;

	if (at > 0)
		at += (size_t)snprintf(why + at, OPTTABLE_WHY - at, "; ");
	if (at >= OPTTABLE_WHY)
		return;
	va_start(ap, fmt);
	vsnprintf(why + at, OPTTABLE_WHY - at, fmt, ap);
	va_end(ap);
}

static const struct opttable_option *
find(const struct opttable *t, const char *s, size_t n)
{
	for (unsigned i = 0; i < t->n; i++)
		if (is_text(s, n, t->option[i].name))
			return &t->option[i];
	return NULL;
}

/* Read one option, NAME or NAME=VALUE; ${s} holds at most ONE bytes of it. */
static bool
read_one(const struct opttable *t, struct opttable_values *to, const char *s, size_t n, bool *unknown, char why[OPTTABLE_WHY])
{
	const char *eq = memchr(s, '=', n < ONE ? n : ONE);
	size_t name = eq ? (size_t)(eq - s) : n;
	int shown = n < 100 ? (int)n : 100;
	const struct opttable_option *o = find(t, s, name);

	if (!o) {
		say(why, "no option is called \"%.*s\"", name < 100 ? (int)name : 100, s);
		*unknown = true;
		return false;
	}
	uint64_t bit = UINT64_C(1) << (o - t->option);
	/* A list stays marked as bad, as a good value is added to it instead of replacing the bad one. */
	if (o->kind != OPTTABLE_LIST)
		to->bad &= ~bit;
	if (n <= ONE && set(to, o, eq ? eq + 1 : NULL, eq ? n - name - 1 : 0))
		return true;
	to->bad |= bit;
	if (n > ONE)
		say(why, "option \"%.*s...\" is too long", shown, s);
	else
		say(why, "option \"%.*s\": want %s", shown, s, o->form ? o->form : "yes or no");
	return false;
}

/* List the names of all options, as far as there is room. */
static void
say_all(const struct opttable *t, char why[OPTTABLE_WHY])
{
	say(why, "there are %s", t->option[0].name);
	for (unsigned i = 1; i < t->n; i++) {
		size_t at = strlen(why);
		snprintf(why + at, OPTTABLE_WHY - at, ", %s", t->option[i].name);
	}
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Copy the option at *${s} into ${one} as far as it fits; *${s} moves past its end. Return its whole length. */
static size_t
take_one(const struct opttable *t, const char **s, const char *end, char one[ONE])
{
	const char *p = *s;
	size_t n = 0;

	for (; p < end; p++) {
		if (*p && strchr(t->between, *p)) {
			if (!t->doubled || p + 1 == end || p[1] != *p)
				break;
			p++;
		}
		if (n == 0 && !t->doubled && is_blank(*p))
			continue;
		if (n < ONE)
			one[n] = *p;
		n++;
	}
	*s = p < end ? p + 1 : end;
	while (!t->doubled && n > 0 && n <= ONE && is_blank(one[n - 1]))
		n--;
	return n;
}

int
opttable_read(const struct opttable *t, struct opttable_values *to, const char *s, size_t n, char why[OPTTABLE_WHY])
{
	const char *end = s + n;
	bool good = true, unknown = false;
	char one[ONE];

	why[0] = '\0';
	while (s < end) {
		size_t size = take_one(t, &s, end, one);
		if (size > 0)
			good = read_one(t, to, one, size, &unknown, why) && good;
	}
	if (unknown)
		say_all(t, why);
	return good ? 0 : -1;
}

void
opttable_init(const struct opttable *t, struct opttable_values *to)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->option[i].preset)
			set(to, &t->option[i], t->option[i].preset, strlen(t->option[i].preset));
}

const char *
opttable_bad_filter(const struct opttable *t, const struct opttable_values *v)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->option[i].filter && v->bad >> i & 1)
			return t->option[i].name;
	return NULL;
}
