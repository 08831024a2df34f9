/**
 * The map file of --rename: old names of the first side and the new names of the second.
 *
 * One pair a line: OLD, a tab, NEW. A line may begin with "thread" or "category" and a tab, and is then about one of these instead of a marker. Empty lines and
 * lines that begin with '#' are skipped. A marker is named with or without its argument list; without, the list is kept.
 */
#ifndef TT_DIFF_RENAME_H
#define TT_DIFF_RENAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

enum tt_rename_kind { TT_RENAME_MARKER, TT_RENAME_THREAD, TT_RENAME_CATEGORY, TT_RENAME_KINDS };

struct tt_rename_line {
	const char *from, *to;
	unsigned line;
	uint8_t kind;
	bool used;                    /* true: something had this name */
};

struct tt_rename {
	struct tt_env *env;
	struct tt_rename_line *v;     /* sorted by kind and name */
	size_t n, cap;
	struct tt_arena text;
};

/**
 * tt_rename_read(r, env, path, err):
 * Read the file. Free with tt_rename_free() also after an error.
 * Errors: TT_E_USAGE with path and line: no TAB or more than three fields, an empty name, an unknown kind, one name given twice. TT_E_IO.
 */
int tt_rename_read(struct tt_rename *r, struct tt_env *env, const char *path, struct tt_err *err);

/* Like tt_rename_read(), for the ${n} bytes at ${text}; errors name no path. */
int tt_rename_parse(struct tt_rename *r, struct tt_env *env, const char *text, size_t n, struct tt_err *err);
void tt_rename_free(struct tt_rename *r);

/* The new name for ${name}, or ${name} itself. NULL: ${err}. Valid as long as ${r} and ${name}. */
const char *tt_rename(struct tt_rename *r, enum tt_rename_kind kind, const char *name, struct tt_err *err);

#endif
