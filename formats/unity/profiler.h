/**
 * Shared by Unity's own captures, .raw and .data: versions, markers, values of samples, allocations, counters, categories, compiled code. formats/raw and
 * formats/data read the bytes of each form; producers/unity.h interprets names.
 *
 * Keys: a marker's is session << 32 | its id, or a hash if it has no id; labels, compiled code and categories have separate keys, UNITY_KEY_*. A session is
 * everything that follows one header; a .data file has one session.
 */
#ifndef TT_UNITY_PROFILER_H
#define TT_UNITY_PROFILER_H

#include <limits.h>
#include <pthread.h>

#include "base/map.h"
#include "model/capture.h"
#include "producers/unity.h"

struct tt_env;

#define UNITY_KEY_LABEL (UINT64_C(1) << 60)   /* | the marker's id, 16 bits, << 44 | a hash of the text */
#define UNITY_KEY_NAMED (UINT64_C(1) << 61)   /* | a hash; of a marker without an id */
#define UNITY_KEY_CODE (UINT64_C(1) << 62)    /* | begin of the code; for an address without a name, | the address */
#define UNITY_KEY_NATIVE (UINT64_C(3) << 61)
#define UNITY_ADDRESS ((UINT64_C(1) << 61) - 1)
#define UNITY_KEY_GPU (UINT64_C(1) << 63)     /* | key of a marker, for its zones on the GPU */
#define UNITY_KEY_CATEGORY(session, id) ((uint64_t)(session) << 32 | ((uint64_t)(id) + 1))
#define UNITY_COUNTER_LATER 0x400000u /* keys of counters have 32 bits: the id in the first session; counters of later sessions are numbered from here on */
#define UNITY_COUNTER_STATS 0xFFFF0000u       /* | place in the table of stats.c */
#define UNITY_COUNTER_GPU 0xFFFE0000u         /* | section */

#define UNITY_NO_MARKER UINT32_MAX
#define UNITY_MAIN_THREAD "Main Thread"       /* the engine's name for it */
#define UNITY_EVER TT_EVER                    /* of two definitions of a key, the later one in the file always applies */

enum { UNITY_MARKER_COUNTER = 0x80 };         /* a flag of markers */
enum { UNITY_ID_SLACK = 65536 };              /* maximum distance of a marker's id above the highest one defined */

/* --- version.c -------------------------------------------------------------------------------------------- */

/* The meaning of the version word of a file. */
struct unity_version {
	uint32_t word;
	uint8_t rank;                 /* order of versions, 1 to 12; 0: .data before 2017.3 */
	const char *raw, *data;       /* releases that write it, "2019.3 to 2021.1"; NULL: no release writes this form */
	const char *categories;       /* a release with the same built-in categories, for unity_category() */
};

/* True if ${word} may be a version word; these are dates. */
bool unity_is_word(uint32_t word);
/* Return the version with exactly this word, or NULL. */
const struct unity_version *unity_version(uint32_t word);
/* Return the latest version up to ${word}, whose layout it then has; NULL: ${word} precedes all versions. */
const struct unity_version *unity_version_near(uint32_t word);
/* Convert the five numbers of a release at ${p} (6000 3 9 2 1) to text (6000.3.9f1). False, with "": they are not a release. */
bool unity_release(const uint8_t *p, char *text, size_t size);
#define UNITY_LATEST "6000.5"

/*
 * Return the ${i}th version whose layout is tried for a file of version ${word}: the nearest first, then all others, the newest first. NULL: no more
 * versions. ${raw}: versions of .raw, else of .data.
 */
const struct unity_version *unity_candidate(uint32_t word, bool raw, unsigned i);

/* How well the beginning of a file fits a layout. */
struct unity_trial {
	uint64_t parts, misfits;      /* blocks or frames that can prove a layout; those that do not end where their last message or section does */
	struct unity_tried { uint64_t bytes, lost; } definitions, samples; /* bytes of the parts with definitions, and with samples; bytes that made no sense */
	bool names_fit;               /* names of definitions are text; see tt_fit_names_fit() */
	uint64_t alike;               /* bytes of the file that other layouts fit as well, with more bytes to come; 0: it alone fits, or everything was tried */
};
static inline uint64_t unity_trial_lost(const struct unity_trial *t) { return t->definitions.lost + t->samples.lost; }
static inline bool unity_trial_fits(const struct unity_trial *t) { return t->parts > 0 && t->misfits == 0 && unity_trial_lost(t) == 0 && t->names_fit; }
/* True if most of the parts, or most bytes of definitions or samples, make no sense, or if names are not text. */
bool unity_trial_is_poor(const struct unity_trial *t);
/* True if ${t} fits better than ${best}, which is that of the nearest version if ${nearest}: damage alone must not favour another layout. */
bool unity_trial_better(const struct unity_trial *t, const struct unity_trial *best, bool nearest);

/*
 * Report once how a file of version ${word} is read, unless as its own version, and refuse it if no layout fits. ${v}: the version that fits best, by ${t};
 * ${how}: how messages are laid out if the header says otherwise (", with packed messages"), else ""; *${forced}: no layout fits, and --force reads the file
 * nevertheless. Returns TT_OK, TT_E_UNKNOWN.
 */
int unity_settle_layout(struct tt_env *env, const char *file, uint32_t word, uint64_t at, const char *form, const char *release,
    const struct unity_version *v, const char *how, const struct unity_trial *t, bool *forced, struct tt_err *err);
enum { UNITY_VERSIONS = 17 };
/* Votes of engine markers with a known category: total, and number of markers whose category agrees with the built-in categories of each version. */
struct unity_votes { uint32_t total, n[UNITY_VERSIONS]; };
/*
 * Count the marker with the name of ${n} bytes at ${name} and category ${id}, if it may be one of these markers: its name begins with File, GC, LoadAssembly
 * or P.
 */
void unity_vote_of(struct unity_votes *v, const char *name, size_t n, unsigned id);
static inline void
unity_vote(struct unity_votes *v, const char *name, size_t n, unsigned id)
{
	if (n >= 8 && n <= 22 && (*name == 'P' || *name == 'G' || *name == 'F' || *name == 'L'))
		unity_vote_of(v, name, n, id);
}
/* Return the release whose built-in categories agree with most of these markers; ${categories} unless another agrees with more. */
const char *unity_categories_by(const struct unity_votes *v, const char *categories);

/* --- known.c: what definitions mean for decoding ------------------------------------------------------------- */

/* The defined markers that are more than zones. */
struct unity_markers {
	uint32_t ids;                 /* upper bound of the ids of markers */
	uint32_t alloc, collect;      /* GC.Alloc, GC.Collect; or UNITY_NO_MARKER */
	uint32_t label[2];            /* markers whose second value names the zone */
	bool counters;                /* true: a counter was defined, so the statistics array has stale values */
};
#define UNITY_MARKERS_NONE { UNITY_ID_SLACK, UNITY_NO_MARKER, UNITY_NO_MARKER, { UNITY_NO_MARKER, UNITY_NO_MARKER }, false }

struct unity_code { uint64_t start, end, since, number; };
/* By key: a value, and the place in the input where it was defined. */
struct unity_set {
	struct unity_known_row { uint64_t key, since; uint32_t value; } *v;
	size_t n, cap;
	struct tt_map at;             /* index in v by key */
};

/* Known definitions that do not fit into a chunk's head. The reader's next() adds to them, decoders look them up; both hold the lock. */
struct unity_known {
	struct tt_mem *mem;
	struct tt_arena arena;        /* memory of the texts */
	pthread_rwlock_t lock;
	bool complete;                /* true: the input is read again and everything is known, so "since" no longer applies */
	struct unity_set name;        /* hash of session and name -> marker; used only by next() */
	struct unity_set counter;     /* session << 32 | marker -> key of its values + 1; 0: not a counter */
	struct unity_set counter_of; /* identity of a counter -> key of its values, or number of such counters in a session; see known.c; used only by next() */
	uint32_t nlater;              /* number of counters with a key from UNITY_COUNTER_LATER on */
	struct unity_set category;    /* UNITY_KEY_CATEGORY -> place in text */
	const char **text;
	size_t ntext, captext;
	struct unity_code *code;      /* in sorted runs, see known.c */
	size_t ncode, capcode;
	/* By number of a marker or category: the name in its last definition. Used only by next(). */
	struct unity_id_names { struct unity_id_name { uint32_t name, epoch; } *v; size_t cap; } of_marker, of_category;
	uint32_t epoch;               /* a number keeps its name within an epoch; 0: names are not compared */
	bool renamed;                 /* true: a definition gave a number another name */
};
void unity_known_init(struct unity_known *k, struct tt_mem *mem);
void unity_known_free(struct unity_known *k);
/* Begin an epoch in which numbers may have other names, if names are compared. */
static inline void unity_next_epoch(struct unity_known *k) { k->epoch += k->epoch > 0; }

/* Take in a definition that was read with chunk ${seq}. ${kind}: that of a counter, by unity_counter_kind(); ${stats}: its unity_stats_counter(), or 0. */
int unity_know_marker(struct unity_known *k, struct unity_markers *s, uint32_t session, uint32_t id, unsigned flags, uint64_t kind, uint32_t stats,
    const uint8_t *name, size_t n, uint64_t seq, struct tt_err *err);
int unity_know_category(struct unity_known *k, uint32_t session, unsigned id, const uint8_t *name, size_t n, uint64_t seq, struct tt_err *err);
/* Compare the name of the category with that in its last definition. Names of markers are compared when they are taken in. */
int unity_note_category(struct unity_known *k, unsigned id, const uint8_t *name, size_t n, struct tt_err *err);
int unity_know_code(struct unity_known *k, uint64_t start, uint64_t size, uint64_t seq, struct tt_err *err);

/* Return the marker whose name has the hash ${name} (tt_seeded_text with 0), or UNITY_NO_MARKER. */
uint32_t unity_marker_named(const struct unity_known *k, uint32_t session, uint64_t name);

/* Record the ${n} bytes at ${name} as the probable complete name of marker ${id}; return the marker for the hash of such a name. */
int unity_know_longer(struct unity_known *k, uint32_t session, uint32_t id, const uint8_t *name, size_t n, uint64_t seq, struct tt_err *err);
uint32_t unity_marker_longer(const struct unity_known *k, uint32_t session, uint64_t name);
/* True if marker ${id} was a counter at chunk ${seq}. Call with the lock held for reading. */
bool unity_is_counter(const struct unity_known *k, uint32_t session, uint32_t id, uint64_t seq, uint32_t *counter);
/* Return the key of the first counter with the identity ${what}, or ${key}. */
uint32_t unity_counter_like(const struct unity_known *k, uint64_t what, uint64_t seq, uint32_t key);
/* Return the name of a category: the session's own, else the built-in one of the release ${categories}, else "". */
const char *unity_category_name(const struct unity_known *k, uint32_t session, unsigned id, uint64_t seq, const char *categories);
const struct unity_code *unity_code_at(const struct unity_known *k, uint64_t address, uint64_t seq);

/* --- one chunk being decoded ------------------------------------------------------------------------------------ */

struct unity_run {
	const struct unity_known *known;
	struct tt_batch *b;
	struct tt_err *err;
	uint64_t seq;
	uint32_t session;
	const char *categories;       /* see struct unity_version */
	bool locked;                  /* true: this decoder holds the lock of struct unity_known */
	bool stats, gpu[8];           /* true: this counter of the statistics array, or of the GPU section, was defined */
	uint64_t seen[64];            /* by hash: labels defined, and addresses named, in this chunk, + 1 */
};

static inline uint64_t
unity_key(const struct unity_run *r, uint32_t id)
{
	return (uint64_t)r->session << 32 | id;
}

/* Return the session of a marker's key; UINT32_MAX: the key has no session. */
static inline uint32_t unity_log_of(uint64_t key) { return key < UNITY_KEY_LABEL ? (uint32_t)(key >> 32) : UINT32_MAX; }

/* Take the lock of struct unity_known, once per chunk. */
static inline void
unity_lock(struct unity_run *r)
{
	if (!r->locked)
		pthread_rwlock_rdlock((pthread_rwlock_t *)(uintptr_t)&r->known->lock);
	r->locked = true;
}

/* End decoding a chunk: release the lock, and set the texts of its definitions. */
void unity_run_end(struct unity_run *r);

/* --- values.c: values of samples, allocations, labels -------------------------------------------------------------- */

/* Types of values, with the same numbers in both forms. */
enum unity_value_type {
	UNITY_V_INSTANCE = 1, UNITY_V_I32, UNITY_V_U32, UNITY_V_I64, UNITY_V_U64, UNITY_V_F32, UNITY_V_F64, UNITY_V_TEXT, UNITY_V_TEXT16,
	UNITY_V_VEC3, UNITY_V_BLOB, UNITY_V_GFX, UNITY_V_ENTITY,
};

/* Return the bytes of a value of ${type}; 0: they vary, or the type is unknown. */
unsigned unity_value_size(unsigned type);

struct unity_value {
	unsigned type;                /* enum unity_value_type */
	uint64_t bits;                /* bits of numbers and ids */
	const uint8_t *p;             /* bytes of the value */
	uint32_t n;
};

/* Convert a value to a number of the model. False: it is not a number. */
bool unity_number(const struct unity_value *v, enum tt_type *type, uint64_t *bits);
/* Find the *${bytes} that a value of GC.Alloc states. False: it states none. */
bool unity_alloc_bytes(const struct unity_value *v, uint64_t *bytes);
/* Add the value as an argument of the event at ${of}, after which only arguments follow. */
int unity_put_arg(struct unity_run *r, size_t of, const struct unity_value *v);

/* Add the id of the object that the sample concerns as an argument. */
int unity_put_id(struct unity_run *r, size_t of, const struct unity_value *v);

/* Add an allocation of the class ${key} in the zone at ${depth}; *${at}: its index among the events. */
int unity_alloc(struct unity_run *r, int64_t ts, uint64_t key, uint64_t bytes, size_t depth, size_t *at);
/*
 * Add the stack of the allocation at ${at}: ${n} addresses of 8 bytes at ${p}, innermost first; the model wants the outermost first. If other events follow
 * the allocation, the stack belongs to them and is lost.
 */
int unity_alloc_stack(struct unity_run *r, size_t at, const uint8_t *p, unsigned n);
/* Count a stack of ${n} addresses that belongs to a zone, and is not kept. */
void unity_stack_lost(struct unity_run *r, unsigned n);
/* Add a sampled value of a counter at ${ts}. */
int unity_counter_event(struct unity_run *r, int64_t ts, uint32_t counter, enum tt_type type, uint64_t bits);
/* Note that a zone of ${key}, begun at ${begin}, gave work ${id} to the GPU. ${is_next}: its time is noted next. */
int unity_gpu_anchor(struct unity_run *r, int64_t begin, uint64_t key, uint32_t id, bool is_next);
enum { UNITY_MAX_GPU_PARTS = 32 };            /* eight parts of drawing are known; up to this number others may exist, which count as "other" */
/* Add the time ${ns} of this work, in section ${section} of drawing. */
int unity_gpu(struct unity_run *r, int64_t ts, uint32_t id, unsigned section, uint64_t ns);

/*
 * For a zone of a marker whose second value (of ${n} at ${v}) names it, define that name and set *${key} to its key. *${named} is false if there is no such
 * value.
 */
int unity_label(struct unity_run *r, uint32_t id, const struct unity_value *v, size_t n, uint64_t *key, bool *named);
static inline bool
unity_is_label(const struct unity_markers *s, uint32_t id)
{
	return id == s->label[0] || id == s->label[1];
}

/* --- define.c: definitions ------------------------------------------------------------------------------------------ */

/* Add ${d} with the text that begins at ${at} in the batch's text buffer. */
int unity_text_def(struct unity_run *r, struct tt_def *d, size_t at);
/* Count a definition's name, of which ${whole} bytes are in the file, as evidence of the layout: a text that a NUL may end. */
void unity_count_name(struct unity_run *r, const char *name, size_t whole);
/* Define a marker. ${unit}: for a counter, Unity's number of the first value's unit. */
int unity_define_marker(struct unity_run *r, uint64_t key, uint32_t id, unsigned flags, unsigned category, const char *name, uint32_t n,
    unsigned unit);
/* Define the names of a marker's values, which begin at ${at} in the batch's text buffer, each ended by a NUL. */
int unity_define_args(struct unity_run *r, uint64_t key, size_t at);
/*
 * Return a hash of the properties that counters with the same name must share to be one counter across sessions: the name of the category ${in}, whose number
 * may differ, and the displayed unit; ${unit}: Unity's number of the unit.
 */
uint64_t unity_counter_kind(const char *in, unsigned unit, const char *name, size_t n);
int unity_define_counter(struct unity_run *r, uint32_t counter, enum tt_counter_unit unit, const char *name, size_t n, const char *section);
/* Define a category; ${color}: the engine's number of its colour. */
int unity_define_category(struct unity_run *r, unsigned id, unsigned color, const char *name, uint32_t n);
int unity_define_code(struct unity_run *r, uint64_t start, uint64_t size, const char *name, uint32_t n);
/* Define the class of allocations that have no marker. */
int unity_define_alloc(struct unity_run *r, uint64_t key);
/* Return the key of the method whose code contains ${address}, or of the address itself, named by its digits. 0: no memory. */
uint64_t unity_code_key(struct unity_run *r, uint64_t address);

/* Set what all captures of Unity's profiler share: producer, recorded kinds, interpretation of markers and counters. */
void unity_capture(struct tt_capture *cap);

/* Return the category of a marker, at report time. ${categories}: the categories of the marker's session. */
const char *unity_category_of(const struct tt_capture *cap, const struct tt_def *marker, const char *categories);

/* Return the key of values in the statistics array for the counter with this name and ${kind}; 0: the array does not have it. */
uint32_t unity_stats_counter(uint64_t kind, const char *name, size_t n);

/* stats.c: take the statistics array, ${n} numbers of 4 bytes at ${p}. ${stale}: counters have its values. */
int unity_stats(struct unity_run *r, int64_t ts, bool stale, const uint8_t *p, size_t n);

static inline uint32_t
unity_u16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t
unity_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
unity_u64(const uint8_t *p)
{
	return unity_u32(p) | (uint64_t)unity_u32(p + 4) << 32;
}

#endif
