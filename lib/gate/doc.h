/**
 * JSON documents that people write: strict reading, with line and column in every error message.
 *
 * jansson parses the text but keeps no places; these are searched in the text on request. Asking for the places of an array's elements in order scans the text
 * only once. Private to lib/gate.
 */
#ifndef TT_GATE_DOC_H
#define TT_GATE_DOC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* The place in the file of the text from offset ${at} on. The text is a part of the file, or parts were cut out before ${at}. */
struct tt_doc_place { size_t at; unsigned line, column; };

struct tt_doc {
	const char *path;             /* file name that error messages begin with */
	const char *text;             /* borrowed */
	size_t n;
	const struct tt_doc_place *place;     /* borrowed, sorted; NULL: the text is the whole file */
	size_t nplace;
	json_t *root;
	size_t charged;               /* bytes of memory charged for the tree */
	struct tt_arena *a;           /* strings are copied to this arena */
	struct {                      /* the array element found last: the search for a later one starts there */
		const json_t *array;  /* NULL: none yet */
		size_t index, at;
	} found;
	struct tt_doc_place counted;  /* the byte whose line and column were computed last */
};

/* A value in a document; the root has no ${up}. Lives on the stack of the reading function. */
struct tt_node_at {
	struct tt_doc *doc;
	const struct tt_node_at *up;
	const char *key;              /* key of a member; NULL for an array element */
	size_t index;                 /* index of an array element */
	json_t *json;                 /* the value; NULL: absent */
};

/* Parse ${n} bytes of JSON; TT_E_USAGE with the place of an error. Free with tt_doc_free(). */
int tt_doc_parse(struct tt_doc *d, const char *text, size_t n, const char *path, struct tt_arena *a, struct tt_err *err);

/* Like tt_doc_parse(), for any value that is a part of a file: ${place} has the ${nplace} places of its pieces, the first at offset 0. */
int tt_doc_parse_part(struct tt_doc *d, const char *text, size_t n, const struct tt_doc_place *place, size_t nplace, const char *path, struct tt_arena *a,
    struct tt_err *err);
void tt_doc_free(struct tt_doc *d);

struct tt_node_at tt_doc_root(struct tt_doc *d);
struct tt_node_at tt_doc_member(const struct tt_node_at *of, const char *key);
struct tt_node_at tt_doc_element(const struct tt_node_at *of, size_t i);

/* Get line and column, from 1, of a value; with ${key}, of the key before it. */
void tt_doc_place(const struct tt_node_at *v, bool key, unsigned *line, unsigned *column);

/* The offset in v->doc->text after the value ${v}. */
size_t tt_doc_end(const struct tt_node_at *v);

/* Fail with "budget.json:7:13: " and the message; always returns TT_E_USAGE. */
int tt_doc_fail(const struct tt_node_at *v, bool key, struct tt_err *err, const char *fmt, ...) TT_PRINTF(4, 5);

/* Fail if the object ${v} has keys that are not in ${keys}, ended by NULL, and name the most similar one. */
int tt_doc_keys(const struct tt_node_at *v, const char *const *keys, struct tt_err *err);

/*
 * Typed reading. If the value is absent, the output is unchanged. ${what} completes the error message "must be ${what}". Strings are copied to d->a; they must
 * not contain NUL.
 */
int tt_doc_object(const struct tt_node_at *v, struct tt_err *err);
int tt_doc_array(const struct tt_node_at *v, size_t *n, struct tt_err *err);
int tt_doc_text(const struct tt_node_at *v, const char **s, struct tt_err *err);
int tt_doc_count(const struct tt_node_at *v, uint64_t *n, struct tt_err *err);
int tt_doc_bool(const struct tt_node_at *v, bool *b, struct tt_err *err);
/* Read a member that is one of ${words}, ended by NULL; *${i}: its index. */
int tt_doc_word(const struct tt_node_at *v, const char *const *words, int *i, struct tt_err *err);

#endif
