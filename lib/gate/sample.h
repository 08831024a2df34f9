/**
 * Samples: what the gate keeps of one capture. The unit is the capture, never the frame. Captures of one process (A+B on the command line) are read in one run
 * and form one sample.
 */
#ifndef TT_GATE_SAMPLE_H
#define TT_GATE_SAMPLE_H

#include "gate/measure.h"

struct tt_model;

struct tt_fact { const char *key, *value; };

/* A part of the time or the allocations, by name: a change of the whole is explained by changes of its parts. */
struct tt_part {
	enum tt_about about;          /* TIME: self time of a marker; ALLOC: bytes at a site ("marker: class") */
	const char *name;
	bool framed;                  /* true: mean per whole frame, time only of the frame thread; false: sum over the whole capture */
	int64_t v;                    /* amount of time or bytes */
	int64_t count;                /* amount of calls or allocations, per frame or in all like v */
	int64_t work;                 /* for time per frame: the CPU-active part of v; else v */
};

/* One of the worst frames. */
struct tt_worst {
	uint64_t number;              /* frame number as counted by --frames */
	int64_t start_ns, dur_ns;
	int64_t cpu_ns, uncapped_ns;  /* -1: not known, or not capped */
	int64_t alloc_b, alloc_n;
	struct { const char *name; int64_t self_ns; } top[3];
	unsigned ntop;
	const struct tt_part *part;   /* parts of this frame, which --explain reads again; else NULL */
	size_t npart;
};

struct tt_sample {
	const char *name;             /* name as given: "a.ttc", "a.ttc+b.ttc" */
	const char *const *file;      /* the files joined in it; for a sample of a baseline none, because its files are not known */
	size_t files;
	const char *page;             /* in a batch: path of its page, within the folder of results; NULL: none */
	const char *session;          /* in a baseline: its session; else "" */
	const char *id;               /* identifies the recording, whatever its files are called; "": not known */
	struct tt_fact *fact;         /* facts of the capture's header, its metadata and --meta, sorted by key */
	size_t nfact;
	uint64_t frames;              /* number of whole frames analysed */
	int64_t cap_ns;               /* period at which they are capped, ns; 0: no cap */
	const char *shown;            /* what the player saw of capped frames (tt_shown_text()); NULL: not known, or no cap */
	int64_t editor;               /* tt_frames_editor_percent(); 0 if it is negative */
	bool empty;                   /* true: no event was recorded; no row has a figure, and it is not added to baselines */
	bool without;                 /* in a batch: true: it could not be read and has no figures */
	bool none;                    /* in a batch: true: there are no captures, and this sample is judged instead */
	bool damaged;
	const char *damage;           /* first entry of its loss ledger; else NULL */
	struct tt_value *value;       /* values, one for each measure */
	size_t nvalue;
	struct tt_part *part;         /* parts: per frame first; then by kind; then by amount, largest first */
	size_t npart;
	bool framed_alone;            /* true: from a baseline of an earlier version, without parts of the whole capture */
	bool predates_shown;          /* true: from an earlier version, which compared a frame's duration with limits, not the time for which it was shown */
	struct tt_worst *worst;       /* worst frames by duration, or as tt_sample_worst() says; largest first */
	size_t nworst;
	struct tt_worst *busiest;     /* worst frames by CPU-active time */
	size_t nbusiest;
	struct tt_worst *latest;      /* if capped: worst frames by uncapped time */
	size_t nlatest;
};

/* The worst frame by the time that ${x} measures; NULL: not known. */
const struct tt_worst *tt_sample_frame(const struct tt_sample *s, const struct tt_measure *x);

/* The time of frame ${w} that ${x} measures; *${what}: " of CPU-active time", " of uncapped time", or "" for wall time. */
int64_t tt_worst_time(const struct tt_worst *w, const struct tt_measure *x, const char **what);

/**
 * tt_sample_from(view, loss, x, n, s, a, err):
 * Make the sample ${s} from a finished run, seen through ${view}. It is allocated in ${a}, and no longer needs ${view}.
 */
int tt_sample_from(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n,
    struct tt_sample *s, struct tt_arena *a, struct tt_err *err);

/* The reason why a capture has no figures if it is shorter than what the budget skips. */
#define TT_NOTHING_LEFT "all of it is skipped"

/* Make the sample of a run without figures because of ${why}, except its losses and, if ${frameless}, its number of frames, 0. */
int tt_sample_without(const struct tt_model *m, const struct tt_loss *loss, bool frameless, const char *why, const struct tt_measure *x, size_t n,
    struct tt_sample *s, struct tt_arena *a, struct tt_err *err);

/**
 * tt_sample_worst(m, x, s):
 * Replace the worst frames of ${s}, the sample of ${m}, by those that are worst by the measure ${x}: for allocations, the frames that allocate most; for the
 * GPU, those with the longest GPU time. If ${x} is not about single frames, keep the longest frames. Markers are known only for frames that were in the lists
 * before.
 */
void tt_sample_worst(const struct tt_model *m, const struct tt_measure *x, struct tt_sample *s);

/* True if both samples are of the same recording. */
bool tt_sample_same(const struct tt_sample *a, const struct tt_sample *b);

/* Finds samples by recording; of several with one recording the first. */
struct tt_recordings {
	const struct tt_sample **by_id;
	size_t n;
};

int tt_recordings_init(struct tt_recordings *r, const struct tt_sample *list, size_t n, struct tt_arena *a, struct tt_err *err);
/* The sample made from the same recording as ${s}, or NULL. */
const struct tt_sample *tt_recordings_find(const struct tt_recordings *r, const struct tt_sample *s);

/* The value of fact ${key}, or NULL. */
const char *tt_sample_fact(const struct tt_sample *s, const char *key);

/* The needs of parts and worst frames, beside those of the measures. */
#define TT_SAMPLE_NEEDS (TT_NEEDS_CALLS | TT_NEEDS_FRAMES | TT_NEEDS_FRAMED)
#define TT_SAMPLE_PARTS 64            /* maximum number of parts of each of four kinds; of time per frame twice as many, if waits or the Editor take most */
#define TT_SAMPLE_WORST 5

/* How much of a sample to read; each level includes those before it. */
enum tt_sample_detail {
	TT_SAMPLE_HEAD,               /* name, recording, facts, frames, damage */
	TT_SAMPLE_FIGURES,            /* values */
	TT_SAMPLE_JUDGED,             /* parts, from which movers are made: what a baseline is read for */
	TT_SAMPLE_WHOLE,              /* worst frames */
};

struct tt_texts;
struct tt_sample_reader {
	const struct tt_measure *x;   /* the measures whose values are read, by key; values of others are ignored */
	size_t n;
	enum tt_sample_detail detail;
	struct tt_texts *texts;       /* shares equal texts between many samples; NULL: each sample has its own */
	struct tt_arena *a;           /* arena for everything else */
};

/**
 * Write and read a sample as a JSON object: in baselines, and in results that batch passes from its children to the gate. Values are stored by the measures'
 * keys; after tt_sample_parse() values without a key in the object are unknown. Its errors (TT_E_USAGE) do not name the place, which the caller adds. ${json}
 * is a jansson object.
 */
struct tt_json;
void tt_sample_put(struct tt_json *j, const char *key, const struct tt_sample *s, const struct tt_measure *x, size_t n);
int tt_sample_parse(const struct tt_sample_reader *rd, const void *json, struct tt_sample *s, struct tt_err *err);

#endif
