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

enum { TT_PAGE_HITCHES = 1000 };      /* more are not looked for */

struct tt_page_hitches {
	bool worst;                   /* they are the worst frames, and have no cause */
	size_t n;
	struct tt_page_hitch {
		size_t frame;         /* place in tt_frames */
		uint64_t number;
		uint64_t of;          /* the column worst of its cause in the table causes */
		size_t rank;          /* row in the table of the worst frames, from 1; 0: it is not there */
	} of[TT_PAGE_HITCHES];        /* in order */
};

/* Put the hitches among the frames ${from} to ${end} - 1 of one process into ${to}, as the tables of ${r} list them. */
void tt_page_hitches(struct tt_page_hitches *to, const struct tt_report *r, const struct tt_frames *f, size_t from, size_t end);

/* "<a href=...>": the begin of a link to what is said of the frame, which page scripts lead to all that the page has of it. */
void tt_page_hitch_link(const struct tt_page_hitch *h, struct tt_buf *out);

#endif
