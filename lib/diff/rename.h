/**
 * The map file of --rename: what the old side calls a thing, and what the new side calls it.
 *
 * One pair a line: OLD, a TAB, NEW. In front of them "thread" or "category" and a TAB say that it is one of these, and
 * not a marker. Empty lines and lines that begin with '#' are skipped. A marker is named by its full name or without
 * its argument list; without, the list is kept.
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
	bool used;                    /* something had this name */
};

struct tt_rename {
	struct tt_env *env;
	struct tt_rename_line *v;     /* by kind and name */
	size_t n, cap;
	struct tt_arena text;
};

/**
 * tt_rename_read(r, env, path, err):
 * Read the file. Free with tt_rename_free() also after an error.
 * Errors: TT_E_USAGE with path and line: no TAB or more than three fields, an empty name, an unknown kind, one name given twice. TT_E_IO.
 */
int tt_rename_read(struct tt_rename *r, struct tt_env *env, const char *path, struct tt_err *err);

/* The same of the ${n} bytes at ${text}, without a path in errors. */
int tt_rename_parse(struct tt_rename *r, struct tt_env *env, const char *text, size_t n, struct tt_err *err);
void tt_rename_free(struct tt_rename *r);

/* The new name for ${name}, or ${name} itself. NULL: ${err}. Text lives as long as ${r} and ${name}. */
const char *tt_rename(struct tt_rename *r, enum tt_rename_kind kind, const char *name, struct tt_err *err);

#endif
