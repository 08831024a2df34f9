/**
 * Example questions, as SQL for databases that "tracetool batch --to-db" writes.
 */
#ifndef TT_CMD_QUERY_EXAMPLES_H
#define TT_CMD_QUERY_EXAMPLES_H

#include <stddef.h>

/* left: the column of table capture with the number of rows missing from the answer; what: what these are; NULL: none are missing. */
struct query_example { const char *question, *sql, *left, *what; };

extern const struct query_example query_examples[];
extern const size_t query_nexamples;

#endif
