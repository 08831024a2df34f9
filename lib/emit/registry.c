/**
 * The list of emitters: one line each.
 */
#include <string.h>

#include "base/option.h"
#include "emit/emit.h"
#include "codec/block.h"
#include "io/pack.h"
#include "io/sink.h"
#include "sys/sys.h"

extern const struct tt_emit tt_emit_chrome, tt_emit_perfetto, tt_emit_csv, tt_emit_pprof, tt_emit_folded, tt_emit_firefox,
    tt_emit_lcov, tt_emit_pdata, tt_emit_perf_test, tt_emit_sqlite;

const struct tt_emit *const tt_emits[] = {
	&tt_emit_chrome,
	&tt_emit_perfetto,
	&tt_emit_csv,
	&tt_emit_pprof,
	&tt_emit_folded,
	&tt_emit_firefox,
	&tt_emit_lcov,
	&tt_emit_pdata,
	&tt_emit_perf_test,
	&tt_emit_sqlite,
	NULL,
};

const struct tt_emit *
tt_emit_named(const char *name)
{
	for (size_t i = 0; tt_emits[i]; i++)
		if (strcmp(tt_emits[i]->name, name) == 0)
			return tt_emits[i];
	return NULL;
}

/* Return the length of the longest suffix of ${e} that the ${n} bytes at ${path} end with, or 0. */
static size_t
match(const struct tt_emit *e, const char *path, size_t n)
{
	size_t longest = 0;

	for (size_t i = 0; e->suffix[i]; i++) {
		const size_t len = strlen(e->suffix[i]);

		if (len > longest && len <= n && memcmp(path + n - len, e->suffix[i], len) == 0)
			longest = len;
	}
	return longest;
}

/* Return the length of ${path} without the suffix of a compression. */
static size_t
plain_length(const char *path)
{
	const struct tt_coding *coding = tt_pack_coding(path);

	return strlen(path) - (coding ? strlen(coding->suffix) : 0);
}

const struct tt_emit *
tt_emit_among(const struct tt_emit *const *list, const char *path)
{
	const struct tt_emit *found = NULL;
	const size_t n = plain_length(path);
	size_t longest = 0;

	for (size_t i = 0; list[i]; i++) {
		const size_t len = match(list[i], path, n);

		if (len > longest) {
			longest = len;
			found = list[i];
		}
	}
	/* A dot that begins a file name does not begin a suffix. */
	return found && n > longest && !tt_sys_is_separator(path[n - longest - 1]) ? found : NULL;
}

const struct tt_emit *
tt_emit_for_path(const char *path)
{
	return tt_emit_among(tt_emits, path);
}

const char *
tt_emit_suffix(const struct tt_emit *e, const char *path, size_t *n)
{
	const size_t end = plain_length(path), len = match(e, path, end);

	if (len == 0 || len == end || tt_sys_is_separator(path[end - len - 1]))
		return tt_path_suffix(path, n);
	*n = len;
	return path + end - len;
}

unsigned
tt_emit_needs(const struct tt_emit *e, const struct tt_emit_opts *o)
{
	return e->needs_for ? e->needs_for(o) : e->needs;
}

const char *
tt_emit_missing(const struct tt_emit *e)
{
	return e->missing ? e->missing() : NULL;
}

const struct tt_option *
tt_emit_option(const struct tt_emit *e, const char *name)
{
	for (const struct tt_option *o = e->option; o && o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}
