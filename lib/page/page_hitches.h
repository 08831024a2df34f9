/**
 * The frames that a page calls hitches: those with a cause in the table causes, which the page has under "Why frames are long". If causes are not looked for,
 * as in several captures, the worst frames take their place.
 *
 * Private to lib/page.
 */
#ifndef TT_PAGE_PAGE_HITCHES_H
#define TT_PAGE_PAGE_HITCHES_H

#include "out/table.h"

struct tt_frames;

enum { TT_PAGE_HITCHES = 1000 };      /* maximum number of hitches */

struct tt_page_hitches {
	bool worst;                   /* true: the frames are the worst ones, without causes */
	size_t n;
	struct tt_page_hitch {
		size_t frame;         /* index in tt_frames */
		uint64_t number;
		uint64_t of;          /* the column worst of its cause in the table causes, which identifies that cause */
		size_t rank;          /* row in the table of the worst frames, from 1; 0: not in that table */
	} of[TT_PAGE_HITCHES];        /* in the order of the frames */
};

/* Find the hitches among the frames ${from} to ${end} - 1 of one process in the tables of ${r}, into ${to}. */
void tt_page_hitches(struct tt_page_hitches *to, const struct tt_report *r, const struct tt_frames *f, size_t from, size_t end);

/* Write "<a href=...>": the start of a link to what the page says about the frame. Page scripts redirect it to the frame's details. */
void tt_page_hitch_link(const struct tt_page_hitch *h, struct tt_buf *out);

#endif
