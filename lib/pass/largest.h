/**
 * The largest shares of a capture, in two short tables: capture_allocations and capture_markers. The first screen prints the tables, and the report page puts
 * their first rows into words, so both name the same place and the same figure (tracetool-tables(7)).
 */
#ifndef TT_PASS_LARGEST_H
#define TT_PASS_LARGEST_H

struct tt_pass_table;
struct tt_report;
struct tt_views;

extern const struct tt_pass_table tt_table_most_allocated, tt_table_most_time;

/*
 * Add the table of the sites that allocate most, or of the markers with the most self time outside waits, to ${r}; add nothing if there are no rows. Both
 * need TT_NEEDS_CALLS; errors stay in ${r}.
 */
void tt_most_allocated(struct tt_views *view, struct tt_report *r);
void tt_most_time(struct tt_views *view, struct tt_report *r);

#endif
