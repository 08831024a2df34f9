/**
 * Rows of a query as a table of a report.
 */
#ifndef TT_SQL_QUERY_ROWS_H
#define TT_SQL_QUERY_ROWS_H

#include "sql/db.h"

struct tt_report;

/**
 * tt_db_report_rows(q, none, r, err):
 * Add a table with all rows of ${q} to ${r}. Columns whose names end with _ns or _bytes are times or sizes. ${none}: a text that explains why there may be
 * no rows. Errors: those of the query; TT_E_USAGE for more columns than a table can have.
 */
int tt_db_report_rows(struct tt_db_query *q, const char *none, struct tt_report *r, struct tt_err *err);

#endif
