/**
 * Example questions, as SQL for databases that "tracetool batch --to-db" writes.
 */
#ifndef TT_CMD_QUERY_EXAMPLES_H
#define TT_CMD_QUERY_EXAMPLES_H

#include <stddef.h>

struct query_example {
	const char *question, *sql;
	const char *none;             /* why there may be no rows */
	const char *left, *what;      /* column of the table capture with the number of rows missing from the answer, and the noun for these rows; or NULL */
};

extern const struct query_example query_examples[];
extern const size_t query_nexamples;

#endif
