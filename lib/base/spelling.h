/**
 * Misspellings: finds the word that the user probably meant.
 */
#ifndef TT_BASE_SPELLING_H
#define TT_BASE_SPELLING_H

#include <stddef.h>

/* How far apart two words are: 1 for a beginning, else edits; SIZE_MAX: not a misspelling. */
size_t tt_word_distance(const char *word, const char *candidate);

#endif
