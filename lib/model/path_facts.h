/**
 * Facts of a capture that its path tells: "{date}/{device}/run" of 2026-11-20/pixel-6/run.
 */
#ifndef TT_MODEL_PATH_FACTS_H
#define TT_MODEL_PATH_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The most facts of one pattern. */
#define TT_PATH_FACTS_MAX 16

/* Texts inside the pattern and the path, not ended by a NUL. */
struct tt_path_fact { const char *key, *value; size_t nkey, nvalue; };

/**
 * tt_path_facts(pattern, path, fact):
 * The facts that ${path} tells by ${pattern}; returns how many there are, 0 if the path does not fit. Parts of the pattern between slashes fit as many parts
 * at the end of the path. {KEY} is any text of at least one byte without a slash, as short as possible;
 * "*" any text without a slash; all else is itself.
 */
size_t tt_path_facts(const char *pattern, const char *path, struct tt_path_fact fact[TT_PATH_FACTS_MAX]);

/* TT_E_USAGE unless ${pattern} names a fact at least, each key is a word, and there are no more than TT_PATH_FACTS_MAX. */
int tt_path_facts_check(const char *pattern, struct tt_err *err);

#endif
