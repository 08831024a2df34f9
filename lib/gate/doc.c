/**
 * Reads JSON documents, and finds line and column of their values for messages.
 */
#include "gate/doc.h"

#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "base/spelling.h"

static bool
is_blank(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr(" \t\r\n", text[i], 4))
			return false;
	return true;
}

/* The known place of the last piece of the text that begins at or before ${at}. */
static struct tt_doc_place
known_before(const struct tt_doc *d, size_t at)
{
	const size_t i = tt_lower_bound(k, 0, d->nplace, d->place[k].at <= at);

	return i ? d->place[i - 1] : (struct tt_doc_place){ 0, 1, 1 };
}

/* Find line and column of the byte at ${at}, counting from the last byte looked up if that lies before ${at}. */
static void
place_at(struct tt_doc *d, size_t at, unsigned *line, unsigned *column)
{
	struct tt_doc_place p = known_before(d, at);

	if (d->counted.at > p.at && d->counted.at <= at)
		p = d->counted;
	for (; p.at < at && p.at < d->n; p.at++) {
		if (d->text[p.at] == '\n') {
			p.line++;
			p.column = 1;
		} else if (((unsigned char)d->text[p.at] & 0xC0) != 0x80) {
			p.column++;
		}
	}
	d->counted = p;
	*line = p.line;
	*column = p.column;
}

/* The offset of the last of the first ${n} bytes that is not blank, plus 1; 0: all are blank. */
static size_t
before_blanks(const char *text, size_t n)
{
	while (n > 0 && memchr(" \t\r\n", text[n - 1], 4))
		n--;
	return n;
}

/* If a trailing comma stopped the parser at ${at}, its offset; else SIZE_MAX. */
static size_t
loose_comma(const struct tt_doc *d, size_t at)
{
	size_t n = before_blanks(d->text, at < d->n ? at : d->n);

	if (n == 0 || (d->text[n - 1] != '}' && d->text[n - 1] != ']'))
		return SIZE_MAX;
	n = before_blanks(d->text, n - 1);
	return n > 0 && d->text[n - 1] == ',' ? n - 1 : SIZE_MAX;
}

static int
no_json(struct tt_doc *d, const json_error_t *e, struct tt_err *err)
{
	size_t comma = e->position > 0 ? loose_comma(d, (size_t)e->position) : SIZE_MAX;
	unsigned line = e->line > 0 ? (unsigned)e->line : 0, column = (unsigned)e->column;

	if (comma != SIZE_MAX) {
		place_at(d, comma, &line, &column);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: is not JSON: a comma with nothing after it; take it out", d->path,
		    line, column);
	}
	/* jansson counts from the piece's first byte, and reports the last byte that it read, or the end. */
	if (d->nplace)
		place_at(d, e->position > 0 ? (size_t)e->position - ((size_t)e->position < d->n) : 0, &line, &column);
	if (json_error_code(e) == json_error_invalid_utf8)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: is not UTF-8 (but Latin-1 or Windows-1252, probably): save it as UTF-8", d->path,
		    line, column);
	if (json_error_code(e) == json_error_null_character)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: a text has the character \\u0000, which is the end of a name here: take it out", d->path,
		    line, column);
	if (line == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is not JSON: %s", d->path, e->text);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: is not JSON: %s", d->path, line, column, e->text);
}

/*
 * The bytes of memory for the tree of ${text}, according to what jansson 2.14 allocates for each object, array, member, element and string on a 64-bit machine.
 */
static size_t
tree_size(const char *text, size_t n)
{
	enum { OBJECT = 256, ARRAY = 144, MEMBER = 96, ELEMENT = 40, QUOTE = 40 };
	size_t size = n;

	for (size_t i = 0; i < n; i++)
		size += text[i] == '{' ? OBJECT : text[i] == '[' ? ARRAY : text[i] == ':' ? MEMBER : text[i] == ',' ? ELEMENT : text[i] == '"' ? QUOTE : 0;
	return size;
}

int
tt_doc_parse(struct tt_doc *d, const char *text, size_t n, const char *path, struct tt_arena *a, struct tt_err *err)
{
	return tt_doc_parse_part(d, text, n, NULL, 0, path, a, err);
}

int
tt_doc_parse_part(struct tt_doc *d, const char *text, size_t n, const struct tt_doc_place *place, size_t nplace, const char *path, struct tt_arena *a,
    struct tt_err *err)
{
	json_error_t e;

	*d = (struct tt_doc){ .path = path, .text = text, .n = n, .place = place, .nplace = nplace, .a = a };
	if (is_blank(text, n))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is empty", path);
	/* jansson ignores a NUL after a number; the search for places does not. */
	if (memchr(text, '\0', n))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is not JSON: there is a NUL byte in it", path);
	const size_t size = tree_size(text, n);
	if (tt_mem_charge(a->mem, size, err) != TT_OK)
		return err->code;
	d->charged = size;
	d->root = json_loadb(text, n, JSON_REJECT_DUPLICATES | (nplace ? JSON_DECODE_ANY : 0), &e);
	if (d->root)
		return TT_OK;
	tt_doc_free(d);
	/* Out of memory, jansson fails at some places without a message. */
	if (json_error_code(&e) == json_error_out_of_memory || e.text[0] == '\0')
		return tt_fail_nomem(err);
	return no_json(d, &e, err);
}

void
tt_doc_free(struct tt_doc *d)
{
	json_decref(d->root);
	d->root = NULL;
	tt_mem_refund(d->a->mem, d->charged);
	d->charged = 0;
}

struct tt_node_at
tt_doc_root(struct tt_doc *d)
{
	return (struct tt_node_at){ .doc = d, .json = d->root };
}

struct tt_node_at
tt_doc_member(const struct tt_node_at *of, const char *key)
{
	return (struct tt_node_at){ .doc = of->doc, .up = of, .key = key, .json = json_object_get(of->json, key) };
}

struct tt_node_at
tt_doc_element(const struct tt_node_at *of, size_t i)
{
	return (struct tt_node_at){ .doc = of->doc, .up = of, .index = i, .json = json_array_get(of->json, i) };
}

/* --- places ------------------------------------------------------------------- */

/*
 * Skip blanks from ${i} on. In these functions the text is valid JSON, as jansson has read it; positions are byte offsets, and a failed search stays within the
 * text.
 */

static size_t
skip_space(const struct tt_doc *d, size_t i)
{
	while (i < d->n && strchr(" \t\r\n,:", d->text[i]))
		i++;
	return i;
}

/* The offset after the string that begins at ${i}. */
static size_t
skip_string(const struct tt_doc *d, size_t i)
{
	for (i++; i < d->n && d->text[i] != '"'; i++)
		if (d->text[i] == '\\')
			i++;
	return i + 1;
}

/* The offset after the value that begins at ${i}. */
static size_t
skip_value(const struct tt_doc *d, size_t i)
{
	size_t depth = 0;

	for (;;) {
		i = skip_space(d, i);
		if (i >= d->n)
			return d->n;
		if (d->text[i] == '"') {
			i = skip_string(d, i);
		} else if (d->text[i] == '{' || d->text[i] == '[') {
			depth++;
			i++;
		} else if (d->text[i] == '}' || d->text[i] == ']') {
			depth -= depth > 0;
			i++;
		} else {
			while (i < d->n && !strchr(" \t\r\n,:]}", d->text[i]))
				i++;
		}
		if (depth == 0)
			return i;
	}
}

/* The offset of the value of member ${key} in the object at ${i}, and *${at_key} that of its key; if not found, the object itself. */
static size_t
find_member(const struct tt_doc *d, size_t i, const char *key, size_t *at_key)
{
	size_t start = i, len = strlen(key);

	*at_key = i;
	for (i = skip_space(d, i + 1); i < d->n && d->text[i] == '"'; i = skip_space(d, skip_value(d, i))) {
		size_t k = i, end = skip_string(d, i);

		i = skip_space(d, end);
		if (end - k == len + 2 && memcmp(d->text + k + 1, key, len) == 0) {
			*at_key = k;
			return i;
		}
	}
	return start;
}

static size_t find(const struct tt_node_at *v, size_t *at_key);

/* The offset of the array element ${v}. */
static size_t
find_element(const struct tt_node_at *v, size_t *at_key)
{
	struct tt_doc *d = v->doc;
	size_t k = 0, i;

	if (v->up->json && v->up->json == d->found.array && d->found.index <= v->index) {
		k = d->found.index;
		i = d->found.at;
	} else {
		i = skip_space(d, find(v->up, at_key) + 1);
	}
	for (; k < v->index; k++)
		i = skip_space(d, skip_value(d, i));
	d->found.array = v->up->json;
	d->found.index = v->index;
	d->found.at = i;
	*at_key = i;
	return i;
}

static size_t
find(const struct tt_node_at *v, size_t *at_key)
{
	if (v->up)
		return v->key ? find_member(v->doc, find(v->up, at_key), v->key, at_key) : find_element(v, at_key);
	*at_key = skip_space(v->doc, 0);
	return *at_key;
}

void
tt_doc_place(const struct tt_node_at *v, bool key, unsigned *line, unsigned *column)
{
	size_t at_key, at = find(v, &at_key);

	place_at(v->doc, key ? at_key : at, line, column);
}

size_t
tt_doc_end(const struct tt_node_at *v)
{
	size_t key;

	return skip_value(v->doc, find(v, &key));
}

int
tt_doc_fail(const struct tt_node_at *v, bool key, struct tt_err *err, const char *fmt, ...)
{
	char text[400];
	unsigned line, column;
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	tt_doc_place(v, key, &line, &column);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: %s", v->doc->path, line, column, text);
}

/* --- strictness ----------------------------------------------------------------- */

/* The word of ${words}, ended by NULL, that is most similar to ${word}; NULL: none is. */
static const char *
nearest(const char *word, const char *const *words)
{
	const char *best = NULL;
	size_t least = SIZE_MAX;

	for (; *words; words++) {
		size_t d = tt_word_distance(word, *words);

		if (d < least) {
			least = d;
			best = *words;
		}
	}
	return best;
}

static bool
is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

int
tt_doc_keys(const struct tt_node_at *v, const char *const *keys, struct tt_err *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(v->json, key, value) {
		struct tt_node_at m = { .doc = v->doc, .up = v, .key = key, .json = value };
		const char *near;

		if (is_one_of(key, keys))
			continue;
		near = nearest(key, keys);
		if (near)
			return tt_doc_fail(&m, true, err, "unknown key \"%s\"; did you mean \"%s\"?", key, near);
		return tt_doc_fail(&m, true, err, "unknown key \"%s\"", key);
	}
	return TT_OK;
}

static int
wrong(const struct tt_node_at *v, const char *what, struct tt_err *err)
{
	if (v->key)
		return tt_doc_fail(v, false, err, "\"%s\" must be %s", v->key, what);
	return tt_doc_fail(v, false, err, "must be %s", what);
}

int
tt_doc_object(const struct tt_node_at *v, struct tt_err *err)
{
	return !v->json || json_is_object(v->json) ? TT_OK : wrong(v, "an object", err);
}

int
tt_doc_array(const struct tt_node_at *v, size_t *n, struct tt_err *err)
{
	*n = json_array_size(v->json);
	return !v->json || json_is_array(v->json) ? TT_OK : wrong(v, "an array", err);
}

int
tt_doc_text(const struct tt_node_at *v, const char **s, struct tt_err *err)
{
	if (!v->json)
		return TT_OK;
	if (!json_is_string(v->json))
		return wrong(v, "a text", err);
	*s = tt_arena_text(v->doc->a, json_string_value(v->json), json_string_length(v->json), err);
	return *s ? TT_OK : err->code;
}

int
tt_doc_count(const struct tt_node_at *v, uint64_t *n, struct tt_err *err)
{
	if (!v->json)
		return TT_OK;
	if (!json_is_integer(v->json) || json_integer_value(v->json) < 0)
		return wrong(v, "a whole number from 0 up", err);
	*n = (uint64_t)json_integer_value(v->json);
	return TT_OK;
}

int
tt_doc_bool(const struct tt_node_at *v, bool *b, struct tt_err *err)
{
	if (!v->json)
		return TT_OK;
	if (!json_is_boolean(v->json))
		return wrong(v, "true or false", err);
	*b = json_is_true(v->json);
	return TT_OK;
}

int
tt_doc_word(const struct tt_node_at *v, const char *const *words, int *i, struct tt_err *err)
{
	const char *s = json_string_value(v->json), *near;
	char all[200] = "";

	if (!v->json)
		return TT_OK;
	for (int k = 0; words[k]; k++) {
		size_t n = strlen(all);

		if (s && strcmp(s, words[k]) == 0) {
			*i = k;
			return TT_OK;
		}
		snprintf(all + n, sizeof all - n, "%s%s", k ? ", " : "", words[k]);
	}
	near = s ? nearest(s, words) : NULL;
	if (near)
		return tt_doc_fail(v, false, err, "no %s \"%s\"; did you mean \"%s\"?", v->key, s, near);
	return tt_doc_fail(v, false, err, "\"%s\" must be one of: %s", v->key, all);
}
