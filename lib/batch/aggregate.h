/**
 * Batch totals: lines of results (result.h) folded into totals, groups, days and histograms.
 *
 * Totals are sums, largest values and histograms of integers: the order of lines does not matter, and parts
 * could be added up. Memory grows only with the number of groups and days, and both are capped: further ones
 * count in "(more)". Tables and columns are defined in tracetool-batch(1), FIGURES.
 */
#ifndef TT_BATCH_AGGREGATE_H
#define TT_BATCH_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_aggregate;
struct tt_env;
struct tt_err;
struct tt_pass_table;
struct tt_report;
struct tt_result;

/* ${group}: keys of facts to group captures by ("build", "device"), NULL-terminated; NULL: none. Borrowed. */
int tt_aggregate_new(struct tt_env *env, const char *const *group, struct tt_aggregate **a, struct tt_err *err);
void tt_aggregate_free(struct tt_aggregate *a);

int tt_aggregate_add(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err);

/*
 * The number of failures, and of what they are counted among: all captures (with files that could not be opened), all archives,
 * and lost members, which could not be read.
 */
/* `unended`: archives of which an unknown number of members was not read; `missing`: files of recordings that are missing between others. */
struct tt_aggregate_count { uint64_t captures, archives, lost, failures, unended, missing; };
struct tt_aggregate_count tt_aggregate_counted(const struct tt_aggregate *a);

/* Set the text that says what the figures lack, which becomes a column of the sums; borrowed. */
void tt_aggregate_set_missing(struct tt_aggregate *a, const char *missing);

/* Set the pattern that paths told facts by, which a note names if it fits none; NULL: none. Borrowed. */
void tt_aggregate_pattern(struct tt_aggregate *a, const char *pattern);

/* Id, title and columns of the ${i}th table; false after the last. */
bool tt_aggregate_table(size_t i, struct tt_pass_table *t);

/* Put the tables into ${r}. */
void tt_aggregate_report(const struct tt_aggregate *a, struct tt_report *r);

#endif
