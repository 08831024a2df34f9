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

/* The needs of the page (enum tt_needs), for the run. */
unsigned tt_page_needs(void);

/*
 * Start the search for causes, which runs in parallel with other tables and timelines if a thread is available, with a view other than ${view}; its state is
 * allocated in ${a}. NULL: ${err}.
 */
struct tt_page_search *tt_page_search_begin(struct tt_arena *a, const struct tt_model *m, struct tt_views *view, struct tt_err *err);
struct tt_views *tt_page_search_view(const struct tt_page_search *s);
void tt_page_search_free(struct tt_page_search *s);

struct tt_page_fill_opts {
	const struct tt_loss *loss;
	const struct tt_pass_opts *pass;
	bool redact;                  /* true: omit what tells where the page was made */
};

/* Append all tables and notes of the page to ${r}; waits for the search. */
void tt_page_fill(struct tt_views *view, struct tt_page_search *s, const struct tt_page_fill_opts *o, struct tt_report *r);

/* The maximum number of words that the page explains; the list ends with a word without a name. */
enum { TT_PAGE_WORDS = 32 };
void tt_page_words(struct tt_page_word *to);

/* True if the file ${path} does not exist, or begins as pages do: other files are not replaced. */
bool tt_page_may_replace(const char *path);

#endif
