/**
 * What a page embeds for its scripts, read back: elements of data are base64 of zlib of JSON, as browsers inflate them; and what no page may hold.
 */
#ifndef TESTS_PAGE_KIT_H
#define TESTS_PAGE_KIT_H

#include <jansson.h>
#include <zlib.h>

#include "base/buf.h"
#include "check.h"

/* The bytes of an element of data whose begin has ${attribute}, as they stand in ${page}; NULL: there is no such element. */
static inline const char *
page_element(const struct tt_buf *page, const char *attribute, size_t *n)
{
	for (const char *p = page->p, *end = p + page->n; p; p = memmem(p, (size_t)(end - p), "<script", 7)) {
		const char *close = memchr(p, '>', (size_t)(end - p)), *at;

		if (!close || !(at = memmem(p, (size_t)(close - p), attribute, strlen(attribute)))) {
			p++;
			continue;
		}
		*n = (size_t)((const char *)memmem(close, (size_t)(end - close), "</script>", 9) - close - 1);
		return close + 1;
	}
	return NULL;
}

static inline int
page_digit(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The JSON of an element of data; the caller frees it. NULL, and a failed check: it is not there, or is none. */
static inline json_t *
page_json(const struct tt_buf *page, const char *attribute)
{
	enum { MOST = 4 << 20 };
	size_t n = 0, m = 0;
	const char *text = page_element(page, attribute, &n);
	uint8_t *packed = malloc(n + 4);
	char *json = malloc(MOST);
	uLongf size = MOST - 1;
	unsigned bits = 0, have = 0;
	json_error_t error;
	json_t *v;

	if (!CHECK(text != NULL && n > 0) || !packed || !json) {
		free(packed);
		free(json);
		return NULL;
	}
	for (size_t i = 0; i < n && text[i] != '='; i++) {
		CHECK(page_digit(text[i]) >= 0);
		bits = bits << 6 | (unsigned)page_digit(text[i]);
		have += 6;
		if (have >= 8)
			packed[m++] = (uint8_t)(bits >> (have -= 8));
	}
	CHECK_EQ_INT(uncompress((Bytef *)json, &size, packed, m), Z_OK);
	json[size] = '\0';
	v = json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
	if (!CHECK(v != NULL))
		printf("\t%s: %.200s\n", error.text, json);
	free(packed);
	free(json);
	return v;
}

/* The number at place ${i} of an array. */
static inline int64_t
page_int(const json_t *array, size_t i)
{
	const json_t *v = json_array_get(array, i);

	CHECK(json_is_integer(v));
	return json_integer_value(v);
}

/* Names that would end their place in a page, were they written as they are. */
#define PAGE_HOSTILE "</script><script>alert(1)</script><!--\"'&\x01\xff\xe2\x80\xa8"

/* A page holds such names only as data or escaped: no element but those of data, and no quote that ends an attribute. */
static inline void
page_check(const struct tt_buf *page)
{
	static const char *const never[] = { "alert(1)</", "<script>alert", "<!--", "\x01", "\xff" };

	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		CHECK(!page->n || memmem(page->p, page->n, never[i], strlen(never[i])) == NULL);
}

/*
 * Elements are closed in order, values are quoted, and each & begins an entity; what scripts and styles have is taken as it is. Returns NULL, or where
 * it is wrong.
 */
static inline const char *
page_malformed(struct tt_buf *page)
{
	static const char *const alone[] = { "br", "col", "meta", "input", "!doctype", "!DOCTYPE" };
	char open[64][16];
	unsigned depth = 0;

	for (const char *p = tt_buf_string(page); *p; p++) {
		if (*p == '&' && strspn(p + 1, "#abcdefghijklmnopqrstuvwxyz0123456789") != strcspn(p + 1, ";"))
			return p;
		if (*p != '<')
			continue;
		const bool ends = p[1] == '/';
		const char *name = p + 1 + ends;
		const size_t n = strcspn(name, " />\n");
		char word[16] = "", quote = 0;

		if (n == 0 || n >= sizeof word)
			return p;
		memcpy(word, name, n);
		for (p = name + n; *p && (quote || *p != '>'); p++) {
			if (*p == '"')
				quote ^= '"';
			else if (*p == '<')
				return p;
		}
		if (!*p)
			return name;
		bool is_alone = p[-1] == '/';
		for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
			is_alone = is_alone || strcmp(alone[i], word) == 0;
		if (ends && (depth == 0 || strcmp(open[--depth], word) != 0))
			return name;
		if (!ends && !is_alone) {
			if (depth == 64)
				return name;
			memcpy(open[depth++], word, sizeof word);
			if (strcmp(word, "script") == 0 || strcmp(word, "style") == 0) {
				char close[20];

				snprintf(close, sizeof close, "</%s>", word);
				if (!(p = strstr(p, close)))
					return name;
				p--;
			}
		}
	}
	return depth ? "(the end)" : NULL;
}

/* How often ${part} stands in it. */
static inline unsigned
page_count(struct tt_buf *page, const char *part)
{
	unsigned n = 0;

	for (const char *p = tt_buf_string(page); (p = strstr(p, part)) != NULL; p += strlen(part))
		n++;
	return n;
}

#endif
