/**
 * The ledger of everything lost, guessed or left out. An empty ledger means that nothing was.
 *
 * A struct tt_loss is plain data: each batch has one, and the ordered stage joins
 * it into the run's in file order, so the ledger does not depend on -j.
 */
#ifndef TT_MODEL_LOSS_H
#define TT_MODEL_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/setting.h"

enum tt_severity { TT_INFO, TT_NOTICE, TT_LOSS, TT_ERROR };

enum tt_loss_kind {
	TT_LOST_TEXT,             /* damaged, and its first bytes look as if it was transferred as text */
	TT_LOST_CUT,              /* the input ends inside a chunk */
	TT_LOST_CODING,           /* the compressed stream is cut or damaged */
	TT_LOST_SYNC,             /* bytes skipped to find the next chunk */
	TT_LOST_DAMAGED,          /* the rest of a chunk could not be decoded */
	TT_LOST_UNKNOWN,          /* an event of an unknown type: the rest of its chunk is skipped */
	TT_LOST_GARBAGE,          /* bytes after the end of the input's last part */
	TT_LOST_CHANGED,          /* the file changed while it was read */
	TT_LOST_DROPPED,          /* dropped by the recorder */
	TT_LOST_NOT_ENDED,        /* the producer did not end cleanly */
	TT_LOST_KILLED,           /* the producer did not end cleanly, but all that it recorded is there */
	TT_LOST_UNMATCHED,        /* ends without a begin, ignored */
	TT_LOST_POPPED,           /* zones without an end, closed with a zone around them */
	TT_LOST_SPANNING,         /* zones that end outside the zone or frame around their begin */
	TT_LOST_OPEN,             /* zones still open at the end of the capture */
	TT_LOST_DEPTH,            /* zones nested deeper than the stack limit */
	TT_LOST_CLOCK,            /* time ran backwards: taken as standing still */
	TT_LOST_NAMES,            /* keys without a definition */
	TT_LOST_PATHS,            /* calls, samples and allocations on paths beyond the limit, joined in "(more paths)" */
	TT_LOST_REUSED,           /* addresses used for several things: later ones count as the earlier */
	TT_LOST_VALUES,           /* values that an output could not hold (NaN, infinity, out of range) */
	TT_LOST_STACKS,           /* stacks cut by the recorder's depth limit */
	TT_LOST_MISSING,          /* places where chunks of a thread are missing, repeated or out of order */
	TT_LOST_STOPPED,          /* the recorder stopped before the program did */
	TT_LOST_SAMPLED,          /* allocations that were sampled and represent others */
	TT_LOST_ARGS,             /* zones written without their arguments */
	TT_LOST_NO_PLACE,         /* dropped by the recorder: of threads it had no place for */
	TT_LOST_ZONE_STACKS,      /* call stacks of zones, which the model has no place for */
	TT_LOST_NOTED,            /* texts and values that the recorder cut or left out; its message says which */
	TT_LOST_RING,             /* rings of recordings that only another user may read */
	TT_LOST_FILES,            /* files of a rotation that were not given, between those that were */
	TT_LOST_DEFINITIONS,      /* places where definitions are missing or damaged */
	TT_LOST_HEADER,           /* a header and what follows it contradict each other */
	TT_LOST_RUNNING,          /* the producer still runs: what it records from now on is not there */
	TT_LOST_OVERTAKEN,        /* chunks that the running producer moved while they were read */
	TT_LOST_SHORT,            /* parts of a flight recording that are shorter than was asked for */
	TT_LOST_PAUSED,           /* places where recording paused or something is missing: the format cannot say which */
	TT_LOST_SHARED,           /* covered methods that code of several domains ran, of which one was counted */
	TT_LOST_NESTED,           /* calls as deep as the recorder's limit: what they call was not recorded */
	TT_LOST_COUNTER_VALUES,   /* values of counters beside the first */
	TT_LOST_ALLOC_BYTES,      /* allocations whose bytes are missing or negative */
	TT_LOST_METADATA,         /* sets of values or instance ids of one sample, beside the first */
	TT_LOST_VALUE_TYPES,      /* values of samples whose type is unknown, has another size or, of a counter's, is no number */
	TT_LOST_BEGINS,           /* zones whose begin may be damaged, as other messages of their marker in the frame show */
	TT_LOST_ENDS,             /* ends whose marker is damaged; each is taken as the end of the innermost open zone */
	TT_LOST_GPU_TIMES,        /* times of the GPU that are longer than the time that passed until they were recorded */
	TT_LOST_KINDS
};

struct tt_loss_entry {
	uint64_t n;               /* occurrences or events; 0: nothing of the kind */
	uint64_t bytes;
	uint64_t first_at;        /* byte offset of the first, or TT_NOWHERE */
	const char *input;        /* of several inputs: the one the first is in */
	bool in_others;           /* true: another input has such losses, too */
	const struct tt_loss_words *words;    /* the format's words for it; NULL: the usual ones, or several formats have such losses */
	bool forced;              /* true: a version was read like another one because that was asked for, which may explain the damage */
};

/* The shortest part of a flight recording: ms that it has, and ms asked for (0: every part has all); advice that tells the size of ring needed. */
struct tt_loss_flight { uint64_t ms, asked_ms; char advice[144]; };

struct tt_loss {
	bool any;
	struct tt_loss_flight flight;
	/* The input of the losses added next. */
	bool forced;
	const struct tt_loss_words *words;    /* by kind */
	const char *input;        /* name of the input being read, if there are several; lives as long as the ledger */
	struct tt_loss_entry e[TT_LOST_KINDS];
};

/* A format's words for a kind of loss, by what it calls the parts of its files; NULL: as tt_loss_info has it. ${severity} counts if it is higher. */
struct tt_loss_words { const char *text, *advice; enum tt_severity severity; };

/* The fixed facts of a kind: id (for machines), severity, what to print, what to do. */
struct tt_loss_info {
	const char *id, *text, *advice;
	enum tt_severity severity;
	bool damage;              /* makes the exit code 3 */
	enum tt_setting raise;    /* the limit to raise, which the advice begins with */
};
extern const struct tt_loss_info tt_loss_info[TT_LOST_KINDS];

/* The facts of kind ${k} in a format's words; ${said}: these words, or NULL. */
struct tt_loss_info tt_loss_info_in_words(enum tt_loss_kind k, const struct tt_loss_words *said);
/* The facts of kind ${k} in the words of the format that has these losses. */
struct tt_loss_info tt_loss_info_of(const struct tt_loss *l, enum tt_loss_kind k);

/* Write the advice of ${i} as a sentence to ${room}, and return ${room}. */
#define TT_LOSS_ADVICE 200
const char *tt_loss_advice(const struct tt_loss_info *i, char room[TT_LOSS_ADVICE]);

void tt_loss_reset(struct tt_loss *l);
/* Count ${n} more losses of kind ${k}, of ${bytes} together; 0 does nothing. Counts saturate at 2^64 - 1. */
void tt_loss_add(struct tt_loss *l, enum tt_loss_kind k, uint64_t n, uint64_t bytes, uint64_t at);
/* Count one more part of a flight recording that has ${ms} of the ${asked_ms} asked for; a ring of ${room} bytes would hold all. */
void tt_loss_note_flight(struct tt_loss *l, uint64_t ms, uint64_t asked_ms, uint64_t room);
/* Add ${from} to ${into}. Losses that ${from} counted outside of any input belong to the input that ${into} names. */
void tt_loss_join(struct tt_loss *into, const struct tt_loss *from);

/* True if an entry of the ledger means that the input itself is damaged. */
bool tt_loss_damaged(const struct tt_loss *l);
/* The number of losses that are damage, but for cut ends; *${cut}: the input's or a log's end is cut. */
uint64_t tt_loss_count_damage(const struct tt_loss *l, bool *cut);

extern const char *const tt_severity_name[4];

#endif
