/**
 * Coverage: how often each line of a program ran, as the runtime counted its statements.
 *
 * Collected with TT_NEEDS_COVERAGE; TT_COVERAGE events are joined after the last. A method may come several times: a
 * generic one once for each instance the runtime compiled, known by (assembly, token); and every method once per
 * capture where several are read. All of these are one method here, under the name that came first, and what they ran
 * is added up. Recorders that write counts repeatedly have each statement several times under the same process
 * and id: then the highest count is used. A line ran as often as the most frequent of its statements, in each of
 * the methods that have code on it, added up.
 *
 * Source: Mono's profiler.h (MonoProfilerCoverageData) and, of the events, tracetool-mlpd(7). A statement is a
 * sequence point: (IL offset, count, line, column); events tell the offset from the statement before. Lines 0 and
 * 0xfeefee (hidden) are not lines.
 *
 * Threads: one writer, then any number of readers.
 */
#ifndef TT_COLLECT_COVER_H
#define TT_COLLECT_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"

struct tt_cover_method {
	const char *assembly, *class, *name, *signature;
	const char *file;             /* "" unknown */
	uint32_t line;                /* its first line; 0 unknown */
	uint32_t in_assembly, in_class;       /* numbers, in order of name */
	uint64_t entries;             /* how often its first statement ran */
	uint64_t statements, statements_hit;
};

/* A method's code on a line. */
struct tt_cover_at {
	uint32_t method, file, line;
	uint64_t hits;
};

struct tt_cover_line {
	uint32_t file, line;
	uint64_t hits;
};

/* The result, at the end. All in order: methods by assembly, class, name; places by method; lines by file. */
struct tt_cover_sum {
	const char *const *file;      /* in order of name */
	size_t nfile;
	const struct tt_cover_method *method;
	size_t nmethod;
	const struct tt_cover_at *at;
	size_t nat;
	const struct tt_cover_line *line;
	size_t nline;
	const bool *has_lines;        /* by capture: true if it has statements with line numbers; NULL: no capture has coverage */
};

TT_COLLECTED_AS(tt_cover_sum, TT_COLLECTS_COVER);

#endif
