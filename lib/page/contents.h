/**
 * The tables and words of a report's page, made of a model; report_page.h makes the page of them.
 */
#ifndef TT_PAGE_CONTENTS_H
#define TT_PAGE_CONTENTS_H

#include <stdbool.h>

struct tt_arena;
struct tt_err;
struct tt_loss;
struct tt_model;
struct tt_page_search;
struct tt_page_word;
struct tt_pass_opts;
struct tt_report;
struct tt_views;

/* The needs of the run: enum tt_needs. */
unsigned tt_page_needs(void);

/*
 * Begin the search for causes, which runs beside the making of other tables and of timelines where there is a thread for it; it lies in ${a}. NULL: ${err}.
 * Its view is another one than ${view} where it has a thread of its own.
 */
struct tt_page_search *tt_page_search_begin(struct tt_arena *a, const struct tt_model *m, struct tt_views *view, struct tt_err *err);
struct tt_views *tt_page_search_view(const struct tt_page_search *s);
void tt_page_search_free(struct tt_page_search *s);

struct tt_page_fill_opts {
	const struct tt_loss *loss;
	const struct tt_pass_opts *pass;
	bool redact;                  /* leave out what says where it was made */
};

/* Make all tables and notes of the page at the end of ${r}; waits for the search. */
void tt_page_fill(struct tt_views *view, struct tt_page_search *s, const struct tt_page_fill_opts *o, struct tt_report *r);

/* The words that the page explains, ended by one without a name: at most TT_PAGE_WORDS. */
enum { TT_PAGE_WORDS = 32 };
void tt_page_words(struct tt_page_word *to);

/* True if the file ${path} begins as pages do, or is not there: no other file is replaced. */
bool tt_page_may_replace(const char *path);

#endif
