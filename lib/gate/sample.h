/**
 * Samples: what the gate keeps of one capture. The capture is the sample, never the frame.
 *
 * Captures of one process (A+B on the command line) are read in one run and are one sample.
 */
#ifndef TT_GATE_SAMPLE_H
#define TT_GATE_SAMPLE_H

#include "gate/measure.h"

struct tt_model;

struct tt_fact { const char *key, *value; };

/* Time or allocation by name: what a change of the whole is made of. */
struct tt_part {
	enum tt_about about;          /* TIME: self time of a marker; ALLOC: bytes at a site ("marker: class") */
	const char *name;
	bool framed;                  /* of the whole frames, divided by their number; time of the frame thread alone. Else of all in all */
	int64_t v;                    /* amount */
	int64_t count;                /* amount: calls or allocations, the same way */
	int64_t work;                 /* of time per frame: the part of v that is CPU-active; else v */
};

/* One of the worst frames. */
struct tt_worst {
	uint64_t number;              /* as --frames counts */
	int64_t start_ns, dur_ns;
	int64_t cpu_ns, uncapped_ns;  /* -1: not known, or frames are not capped */
	int64_t alloc_b, alloc_n;
	struct { const char *name; int64_t self_ns; } top[3];
	unsigned ntop;
	const struct tt_part *part;   /* of this frame alone: what --explain reads once more; else NULL */
	size_t npart;
};

struct tt_sample {
	const char *name;             /* as given: "a.ttc", "a.ttc+b.ttc" */
	const char *const *file;      /* that are joined in it; of a baseline none, its files are not known */
	size_t files;
	const char *page;             /* of a batch: the page made of it, among the files made of captures; NULL: there is none */
	const char *session;          /* of a baseline the session it belongs to; else "" */
	const char *id;               /* of the recording, the same whatever its files are called; "": not known */
	struct tt_fact *fact;         /* by key: of the capture's header, its metadata and --meta */
	size_t nfact;
	uint64_t frames;              /* whole frames looked at */
	int64_t cap_ns;               /* the time that they are capped at; 0: they are not */
	const char *shown;            /* what the player saw of capped frames (tt_shown_text()); NULL: not known, or they are not */
	int64_t editor;               /* tt_frames_editor(); 0 for none */
	bool empty;                   /* no event was recorded: no row has a figure, and no baseline wants it */
	bool without;                 /* of a batch: it could not be read, and has no figures */
	bool none;                    /* of a batch: there is no capture at all, and this one is judged in their place */
	bool damaged;
	const char *damage;           /* what the ledger says first of it, else NULL */
	struct tt_value *value;       /* one for each measure */
	size_t nvalue;
	struct tt_part *part;         /* framed ones first, then by about, then by amount, largest first */
	size_t npart;
	bool framed_alone;            /* of a baseline of an earlier version: nothing is known in all */
	bool predates_shown;          /* the same: frames over a limit were counted by how long they lasted, not by how long they were shown */
	struct tt_worst *worst;       /* by duration, or as tt_sample_worst() says; largest first */
	size_t nworst;
	struct tt_worst *busiest;     /* by CPU-active time */
	size_t nbusiest;
	struct tt_worst *latest;      /* of capped frames, by uncapped time */
	size_t nlatest;
};

/* The worst frame by the time that ${x} measures. NULL: none is known. */
const struct tt_worst *tt_sample_frame(const struct tt_sample *s, const struct tt_measure *x);

/* That time of a frame, and *${what} it is: " of CPU-active time", " of uncapped time", or "" for wall time. */
int64_t tt_worst_time(const struct tt_worst *w, const struct tt_measure *x, const char **what);

/**
 * tt_sample_from(view, loss, x, n, s, a, err):
 * Make the sample ${s} from a finished run, seen through ${view}. Everything lies in ${a}; ${view} is not needed afterwards.
 */
int tt_sample_from(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n,
    struct tt_sample *s, struct tt_arena *a, struct tt_err *err);

/* Why a capture has no figures whose length is shorter than what the budget skips. */
#define TT_NOTHING_LEFT "all of it is skipped"

/* The same for a run that gives no figures, for the reason ${why}, but what it lost, and if ${frameless} that nothing in it is a frame. */
int tt_sample_without(const struct tt_model *m, const struct tt_loss *loss, bool frameless, const char *why, const struct tt_measure *x, size_t n,
    struct tt_sample *s, struct tt_arena *a, struct tt_err *err);

/**
 * tt_sample_worst(m, x, s):
 * Replace the worst frames of ${s}, the sample of ${m}, by those that are worst by the measure ${x}: for a measure of
 * allocations, the frames that allocate most; of the GPU, those that keep it busy longest; of nothing in single frames,
 * the longest. Markers are known only for frames that were in the list before.
 */
void tt_sample_worst(const struct tt_model *m, const struct tt_measure *x, struct tt_sample *s);

/* True for samples of the same recording. */
bool tt_sample_same(const struct tt_sample *a, const struct tt_sample *b);

/* Samples by recording; of several the first. */
struct tt_recordings {
	const struct tt_sample **by_id;
	size_t n;
};

int tt_recordings_init(struct tt_recordings *r, const struct tt_sample *list, size_t n, struct tt_arena *a, struct tt_err *err);
/* The sample made from the same recording as ${s}, or NULL. */
const struct tt_sample *tt_recordings_find(const struct tt_recordings *r, const struct tt_sample *s);

/* The value of fact ${key}, or NULL. */
const char *tt_sample_fact(const struct tt_sample *s, const char *key);

/* The needs of runs beside the measures, for parts and worst frames. */
#define TT_SAMPLE_NEEDS (TT_NEEDS_CALLS | TT_NEEDS_FRAMES | TT_NEEDS_FRAMED)
#define TT_SAMPLE_PARTS 64            /* of each kind kept; there are four, and of time per frame twice as many where waits or the Editor lead */
#define TT_SAMPLE_WORST 5

/* The parts of a sample to read; each has what those before it have. */
enum tt_sample_detail {
	TT_SAMPLE_HEAD,               /* name, recording, facts, frames, damage */
	TT_SAMPLE_FIGURES,            /* values */
	TT_SAMPLE_JUDGED,             /* parts, which movers are made of: what a baseline is asked for */
	TT_SAMPLE_WHOLE,              /* worst frames */
};

struct tt_texts;
struct tt_sample_reader {
	const struct tt_measure *x;   /* values by their keys; samples have no others */
	size_t n;
	enum tt_sample_detail detail;
	struct tt_texts *texts;       /* of many samples: keeps texts that they have in common; NULL: each has its own */
	struct tt_arena *a;           /* everything else lies in it */
};

/**
 * A sample as a JSON object and back: what baselines hold and what batch hands from its children to the gate. The
 * values are by the measures' keys; tt_sample_parse() leaves those without one unknown. Its errors (TT_E_USAGE) do
 * not say where: callers do. ${json} is a jansson object.
 */
struct tt_json;
void tt_sample_put(struct tt_json *j, const char *key, const struct tt_sample *s, const struct tt_measure *x, size_t n);
int tt_sample_parse(const struct tt_sample_reader *rd, const void *json, struct tt_sample *s, struct tt_err *err);

#endif
