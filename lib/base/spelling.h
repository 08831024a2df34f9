/**
 * Misspellings: finds the word that the user probably meant.
 */
#ifndef TT_BASE_SPELLING_H
#define TT_BASE_SPELLING_H

#include <stddef.h>

/* How far apart two words are: 1 for a beginning, else edits; SIZE_MAX: not a misspelling. */
size_t tt_word_distance(const char *word, const char *candidate);

/**
 * tt_nearest_word(word, value):
 * The one of value(0), value(1), ... that ${word} most likely misspells or begins; NULL if none is similar.
 */
const char *tt_nearest_word(const char *word, const char *(*value)(size_t i));

#endif
