/**
 * Questions that people ask, as SQL for databases that "tracetool batch --to-db" writes.
 */
#ifndef TT_CMD_QUERY_EXAMPLES_H
#define TT_CMD_QUERY_EXAMPLES_H

#include <stddef.h>

struct query_example { const char *question, *sql; };

extern const struct query_example query_examples[];
extern const size_t query_nexamples;

#endif
