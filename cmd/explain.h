/**
 * Definitions of words, for tracetool list.
 */
#ifndef TT_CMD_EXPLAIN_H
#define TT_CMD_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

struct tt_report;

/* Add the definitions of the ${n} words to ${r}, in the order of the definitions, and set found[i] of each word that has one. */
void explain_add(const char *const *word, size_t n, bool *found, struct tt_report *r);

/* The name of a definition that is most similar to ${word}; NULL: none is. */
const char *explain_nearest(const char *word);

/* The ${i}th word for completions; NULL after the last. */
const char *explain_word(size_t i);

#endif
