/**
 * The emitters there are: one line each.
 */
#include <string.h>

#include "base/option.h"
#include "emit/emit.h"
#include "io/sink.h"

extern const struct tt_emit tt_emit_chrome, tt_emit_perfetto, tt_emit_csv, tt_emit_pprof, tt_emit_folded, tt_emit_lcov, tt_emit_pdata,
    tt_emit_perf_test, tt_emit_sqlite;

const struct tt_emit *const tt_emits[] = {
	&tt_emit_chrome,
	&tt_emit_perfetto,
	&tt_emit_csv,
	&tt_emit_pprof,
	&tt_emit_folded,
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

static bool
has_suffix(const struct tt_emit *e, const char *s, size_t n)
{
	for (size_t i = 0; e->suffix[i]; i++)
		if (strlen(e->suffix[i]) == n && memcmp(e->suffix[i], s, n) == 0)
			return true;
	return false;
}

const struct tt_emit *
tt_emit_for_path(const char *path)
{
	size_t n;
	const char *suffix = tt_path_suffix(path, &n);

	for (size_t i = 0; suffix && tt_emits[i]; i++)
		if (has_suffix(tt_emits[i], suffix, n))
			return tt_emits[i];
	return NULL;
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
