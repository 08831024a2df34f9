/**
 * Frames in detail: every zone and allocation that some of the frames of a capture have, for the report page's timeline and hierarchy.
 *
 * Which frames: the worst, those of the median, p95 and p99, more of the longest, and others evenly spaced; in this order, as far as their data fit into the
 * page. They are TT_DETAILS_MIN, or as many as there is room for by the zones and allocations that are expected. Each has a block of its own, which page
 * scripts inflate when it is looked at: base64 of zlib of numbers (details.c has the layout). The frames are chosen by wall time before the events are read.
 * If the worst turn out to be others, as in capped captures, the input is read once more for them. The run puts their zones aside; the blocks are made of
 * them after it.
 *
 * Memory: the blocks, TT_SORTER_BYTES (io/sorter.h) twice for sorting, and the numbers of one frame twice.
 * Disk: 40 bytes for each zone and allocation in chosen frames.
 */
#ifndef TT_PAGE_DETAILS_H
#define TT_PAGE_DETAILS_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/map.h"
#include "io/sorter.h"

struct tt_emit;
struct tt_env;
struct tt_model;
struct tt_views;

enum { TT_DETAILS_MIN = 64, TT_DETAILS = 1024 };    /* number of frames: the minimum, and the maximum */

struct tt_details {
	uint64_t max_bytes;           /* bytes for all blocks; 0: unlimited. Set before the run */
	struct tt_detail {
		size_t frame;         /* index in tt_frames */
		struct tt_buf text;   /* the block in base64; empty: it did not fit */
	} detail[TT_DETAILS];         /* the most important first */
	size_t nchosen;               /* frames chosen of those that exist */
	size_t n;                     /* 0: there are no frames, or several captures have some */
	atomic_size_t nmax_blocks;    /* maximum number of frames with a block, because zones that lie in all of them would take too long */
	size_t median;                /* which of them is the median frame */

	/* Names that blocks refer to by number, in order of first use. The key of a thread is its index. */
	uint32_t process;
	struct tt_details_name { uint64_t key; enum tt_details_kind { TT_DETAILS_ZONE, TT_DETAILS_CLASS, TT_DETAILS_THREAD } kind; } *name;
	size_t nname, capname;
	struct tt_map name_index;     /* finds indices in name */
	struct tt_mem *mem;
	struct tt_sorter recs;        /* zones and allocations of these frames, from the run until the blocks are made */
	uint32_t thread;              /* index of the frames' thread */
};

/*
 * The emitter that fills a struct tt_details during a run, except for the blocks. Its options are that struct, zero except for room. Only for a run without
 * other emitters.
 */
extern const struct tt_emit tt_page_details;

/* Make the blocks, after the run. Errors: TT_E_NOMEM, TT_E_LIMIT, and those of reading back (io/spool.h). */
int tt_details_make(struct tt_details *d, const struct tt_model *m, struct tt_err *err);
void tt_details_free(struct tt_details *d);

/* The number of frames that have a block. */
size_t tt_details_nshown(const struct tt_details *d);

/*
 * Write all blocks as data elements for page scripts; nothing if no frame has a block. ${command}: the command that prints the tables of a frame, whose number
 * is appended.
 */
int tt_details_put(const struct tt_details *d, struct tt_views *view, const char *command, struct tt_buf *out, struct tt_err *err);

/* Append ${text} to ${out} as data of a page: zlib, then base64. */
int tt_page_pack(const struct tt_buf *text, struct tt_buf *out, struct tt_err *err);

/*
 * Like tt_page_pack(), if the result takes at most ${most} bytes (0: unlimited). Otherwise write nothing; *${done}, less than the length of ${text}, is how
 * much would have fit.
 */
int tt_page_pack_up_to(const struct tt_buf *text, uint64_t most, size_t *done, struct tt_buf *out, struct tt_err *err);

#endif
