/**
 * Misspellings: finds the word that the user probably meant.
 */
#ifndef TT_BASE_SPELLING_H
#define TT_BASE_SPELLING_H

#include <stddef.h>

/* Return the distance of two words: 1 if ${word} is a beginning of ${candidate}, else the edits; SIZE_MAX: not a misspelling. */
size_t tt_word_distance(const char *word, const char *candidate);

/**
 * tt_nearest_word(word, value):
 * Return that of the words value(0), value(1), ... which ${word} most likely misspells or begins; NULL if no word is similar.
 */
const char *tt_nearest_word(const char *word, const char *(*value)(size_t i));

#endif
