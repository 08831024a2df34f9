/**
 * The evidence that a capture itself has of its layout: counts that only the right layout gives.
 *
 * Formats whose layout depends on the version of the program that wrote them have several layouts; some of these are known from descriptions alone. Messages
 * and sections have no length of their own there, so that a wrong layout soon reads nonsense: a part of the file (a block, a frame) then does not end where
 * its last message does. Readers count such parts while they read; no list of versions that somebody has tried is needed.
 *
 * A reader fills in the fields of a capture's struct tt_fit that are its own; its decoders count into those of the batch, which the run adds up in the order
 * of the file. The run adds what it matches and names, and settles the verdict at the end of the reading: tt_fit_verdict(). Plain data, no memory of its own.
 */
#ifndef TT_MODEL_FIT_H
#define TT_MODEL_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lengths.h"

/* How well the layout fits by which a capture was read; also the values of the fact "layout". */
enum tt_layout {
	TT_LAYOUT_FITS,               /* all that was read ends where it must */
	TT_LAYOUT_UNPROVEN,           /* the capture has nothing to measure it by */
	TT_LAYOUT_PARTLY,             /* most of it does; the rest is lost: damaged, or of unknown types; or definitions of markers or threads are missing */
	TT_LAYOUT_MISFIT,             /* most of it does not */
	TT_LAYOUT_FORCED,             /* no layout fits, and the capture was read because that was asked for */
	TT_LAYOUTS
};

/* Messages of one type that the reader does not know. They have no length, so each costs the rest of its part. ${lengths}: as the next bytes show. */
enum { TT_UNKNOWN_TYPES = 16 };
struct tt_unknown { uint32_t type; uint64_t n; struct tt_lengths lengths; };

/* Counts that decoders make of a chunk. */
struct tt_fit_count {
	uint64_t misfits;             /* parts that do not end where their last message does */
	uint64_t misfit_at;           /* offset of the first; only if misfits > 0 */
	uint64_t misfit_bytes;        /* bytes of the misfit parts, each from the place on that made no sense */
	uint64_t rest_bytes;          /* bytes of messages that the end of the input cuts */
	uint64_t earlier;             /* messages with a time before the recording; those of all others are within it, or lost */
	uint64_t names, bad_names;    /* names of definitions; those that are no text: not UTF-8, or with a NUL */
	uint64_t unknown_others;      /* messages of unknown types beyond TT_UNKNOWN_TYPES */
	unsigned nunknown;
	struct tt_unknown unknown[TT_UNKNOWN_TYPES];
};

/* One of several logs in a file, as its reader knows it. */
struct tt_fit_log {
	uint64_t at;                  /* offset of its header */
	uint32_t version;             /* as its header says it */
	bool forced;
	const char *layout;
	uint64_t parts, samples, bytes;       /* as in struct tt_fit */
	uint64_t lost;                /* losses that the reader itself found there: of blocks, not of what is in them */
	bool cut;
};

/* Counts of the run in one log. */
struct tt_fit_log_count {
	uint64_t messages, misfits, misfit_at, misfit_bytes, earlier, names, bad_names;       /* as in struct tt_fit_count */
	uint64_t lost, strays, noutlived, zones, markers, named_markers;
	bool cut;
};

struct tt_fit {
	/* by the reader */
	const char *layout;           /* the releases that have this layout; NULL: the format has one layout, and nothing is to be shown */
	const char *part, *message;   /* the format's words for a part and a message: "block", "message" */
	bool forced;
	bool unknown;                 /* true: the version is not known, so apparent damage may be another layout */
	/* Parts read that can show a layout: not those that end alike in every layout, or where the file is cut. ${samples}: the parts with samples. */
	uint64_t parts, samples;
	uint64_t bytes;               /* bytes of ${parts}; 0: not counted */
	uint64_t misfits, misfit_at;  /* parts that the reader found to end elsewhere before they were decoded; offset of the first */
	/* by decoders */
	struct tt_fit_count count;
	/* by the run: damage of all kinds but a cut end, by the ledger, and its first offset; ends of zones; markers and threads that were used */
	uint64_t lost, lost_at;
	uint64_t ends, matched_ends;
	uint64_t noutlived;           /* zones that did not end before the zone around them did */
	uint64_t markers, named_markers;
	uint64_t threads, named_threads;
	bool cut;
	/* The logs of a file that has several. The reader sets them at the end of the input, in the capture's arena; ${in_log} is the run's memory. */
	const struct tt_fit_log *log;
	size_t nlog;
	struct tt_fit_log_count *in_log;
	size_t nin_log, capin_log;
};

/* Add ${n} messages of the unknown type ${type} to ${c}. Returns the type's place; NULL: it is one of further types. */
struct tt_unknown *tt_fit_unknown(struct tt_fit_count *c, uint32_t type, uint64_t n);
/* Forget what a batch counted; cheap if it counted nothing. */
void tt_fit_reset(struct tt_fit_count *c);
/* Add what a batch counted, in the order of the file. */
void tt_fit_join(struct tt_fit_count *into, const struct tt_fit_count *from);

/* The evidence of log ${i} alone; threads are not counted. */
void tt_fit_of_log(const struct tt_fit *e, size_t i, struct tt_fit *of);
/* How well the layout fits. It is never TT_LAYOUT_FITS if anything was lost but a cut end. */
enum tt_layout tt_fit_verdict(const struct tt_fit *e);
/* Parts that do not end where they must, and the offset of the first. */
uint64_t tt_fit_misfits(const struct tt_fit *e, uint64_t *at);
/* True if names of definitions are text, but for a few: else numbers were taken for names. */
bool tt_fit_names_fit(const struct tt_fit_count *c);

#endif
