/**
 * Facts of captures in time: labels, and all else that a program reports about itself while it runs.
 *
 * A fact holds from when it is set until the same key is set again. A capture's own facts (tt_capture.meta) are the last values.
 */
#ifndef TT_MODEL_FACTS_H
#define TT_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;
struct tt_model;

#define TT_FACT_LABEL "label"         /* what the program does from now on */

struct tt_fact {
	int64_t ts, end;              /* on the common timeline; end: INT64_MAX where it holds to the end */
	uint32_t process;
	uint32_t order;               /* order among facts that were set at the same time */
	const char *key, *value;      /* text of the definition, borrowed */
	size_t nkey, nvalue;
};

struct tt_facts { struct tt_fact *f; size_t n; };

/* All facts of all captures, by time. Free them with the same ${mem}. */
int tt_facts_list(const struct tt_model *m, struct tt_mem *mem, struct tt_facts *facts, struct tt_err *err);
void tt_facts_free(struct tt_facts *facts, struct tt_mem *mem);

/**
 * tt_facts_find(facts, pattern, after, ts):
 * Find the first fact later than ${after} that ${pattern} matches; *${ts}: when it is set. The pattern is a glob of labels, or KEY=GLOB of the
 * values of another key that a capture has.
 */
bool tt_facts_find(const struct tt_facts *facts, const char *pattern, int64_t after, int64_t *ts);

/* The glob in ${pattern}: the part after KEY=, if ${pattern} begins with KEY=. */
const char *tt_fact_glob(const char *pattern);

#endif
