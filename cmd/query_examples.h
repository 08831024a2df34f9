/**
 * Questions that people ask, as SQL for databases that "tracetool batch --to-db" writes.
 */
#ifndef TT_CMD_QUERY_EXAMPLES_H
#define TT_CMD_QUERY_EXAMPLES_H

#include <stddef.h>

/* left: the column of capture that counts rows which the answer is without, and what they are; NULL: it is without none. */
struct query_example { const char *question, *sql, *left, *what; };

extern const struct query_example query_examples[];
extern const size_t query_nexamples;

#endif
