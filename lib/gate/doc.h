/**
 * JSON documents that people write: reading them strictly, with line and column in every complaint.
 *
 * jansson reads the text; it keeps no places, so a place is looked for in the text when it is asked for. Places of an array's elements, asked
 * for in their order, take one walk over the text together. Private to lib/gate.
 */
#ifndef TT_GATE_DOC_H
#define TT_GATE_DOC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* The text from ${at} on has this place in the file: it is a piece of it, or something was cut out before it. */
struct tt_doc_place { size_t at; unsigned line, column; };

struct tt_doc {
	const char *path;             /* what complaints begin with */
	const char *text;             /* borrowed */
	size_t n;
	const struct tt_doc_place *place;     /* borrowed, in their order; NULL: the text is the file */
	size_t nplace;
	json_t *root;
	size_t charged;               /* bytes counted for the tree */
	struct tt_arena *a;           /* texts are copied to */
	struct {                      /* the element whose place was found last: the search for a later one begins there */
		const json_t *array;  /* NULL: none yet */
		size_t index, at;
	} found;
	struct tt_doc_place counted;  /* the byte whose line and column were counted last */
};

/* One value in a document; the root has no ${up}. On the stack of whoever reads. */
struct tt_node_at {
	struct tt_doc *doc;
	const struct tt_node_at *up;
	const char *key;              /* in an object; else NULL: */
	size_t index;                 /* in an array */
	json_t *json;                 /* NULL: there is none */
};

/* Parse ${n} bytes of JSON; TT_E_USAGE with the place of the fault. Free with tt_doc_free(). */
int tt_doc_parse(struct tt_doc *d, const char *text, size_t n, const char *path, struct tt_arena *a, struct tt_err *err);

/* The same of text, any value, that has the ${nplace} places ${place} in its file, the first of them at 0. */
int tt_doc_parse_part(struct tt_doc *d, const char *text, size_t n, const struct tt_doc_place *place, size_t nplace, const char *path, struct tt_arena *a,
    struct tt_err *err);
void tt_doc_free(struct tt_doc *d);

struct tt_node_at tt_doc_root(struct tt_doc *d);
struct tt_node_at tt_doc_member(const struct tt_node_at *of, const char *key);
struct tt_node_at tt_doc_element(const struct tt_node_at *of, size_t i);

/* Line and column, from 1, of a value, or with ${key} of the key before it. */
void tt_doc_place(const struct tt_node_at *v, bool key, unsigned *line, unsigned *column);

/* The byte behind the value ${v} in v->doc->text. */
size_t tt_doc_end(const struct tt_node_at *v);

/* "budget.json:7:13: " and the message; always TT_E_USAGE. */
int tt_doc_fail(const struct tt_node_at *v, bool key, struct tt_err *err, const char *fmt, ...) TT_PRINTF(4, 5);

/* Complain about keys of the object ${v} that are not in ${keys}, which ends with NULL, naming the nearest. */
int tt_doc_keys(const struct tt_node_at *v, const char *const *keys, struct tt_err *err);

/*
 * Typed reading. Nothing there: the value is left as it is. ${what} ends the complaint: "must be ${what}". Texts are
 * copied to d->a, without NUL inside.
 */
int tt_doc_object(const struct tt_node_at *v, struct tt_err *err);
int tt_doc_array(const struct tt_node_at *v, size_t *n, struct tt_err *err);
int tt_doc_text(const struct tt_node_at *v, const char **s, struct tt_err *err);
int tt_doc_count(const struct tt_node_at *v, uint64_t *n, struct tt_err *err);
int tt_doc_bool(const struct tt_node_at *v, bool *b, struct tt_err *err);
/* A member that is one of ${words}, which ends with NULL; *${i} is its place. */
int tt_doc_word(const struct tt_node_at *v, const char *const *words, int *i, struct tt_err *err);

#endif
