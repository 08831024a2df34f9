/**
 * A model made by hand, and an emitter run over it into memory: for tests and fuzz targets.
 *
 *	struct kit k;
 *	kit_init(&k);
 *	kit_marker(&k, 1, "A:B ()");
 *	t = kit_thread(&k, 0x10, "Main");
 *	kit_begin(&k, "chrome");
 *	kit_chunk(&k, t, slices, n);          (with what was put into k.batch before)
 *	text = kit_finish(&k, &n);
 *	kit_free(&k);
 *
 * Whatever fails ends the program: what is tested here is not failing.
 */
#ifndef TT_EMIT_KIT_H
#define TT_EMIT_KIT_H

#include "emit/chrome.h"
#include "emit/csv.h"

#define KIT_FILES 1024

struct kit {
	struct tt_env env;
	struct tt_loss loss;
	struct tt_model m;
	struct tt_capture cap[2], *caps[2];
	struct tt_emit_opts o;        /* to be set between kit_init and kit_begin; own is set there to ... */
	struct tt_chrome_opts chrome; /* ... this ... */
	struct tt_csv_opts csv;       /* ... or this */
	enum tt_names_form names;
	struct tt_batch batch;        /* rare events and allocations of the next chunk */
	const struct tt_emit *emit;
	void *state;
	struct tt_sink *sink[KIT_FILES];      /* in order of opening */
	char *path[KIT_FILES];
	size_t nfile;
	struct tt_buf log;            /* lines that were logged */
};

/* One capture ("dir/test.mlpd"); set k->m.ncap to 2 for another ("second.mlpd"). */
void kit_init(struct kit *k);
void kit_free(struct kit *k);

void kit_def(struct kit *k, uint32_t process, const struct tt_def *d);
void kit_marker(struct kit *k, uint64_t key, const char *name);
void kit_class(struct kit *k, uint64_t key, const char *name);
struct tt_thread *kit_thread(struct kit *k, uint32_t process, uint64_t tid, const char *name);

/* A node of the tree with its counts; ${parent} 0 is the root. */
uint32_t kit_node(struct kit *k, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint64_t n, int64_t total,
    int64_t self);

/* Append to k->batch an event, rare or not, and what follows it. */
struct tt_event *kit_event(struct kit *k, enum tt_kind kind, int64_t ts, uint64_t val);
void kit_text_arg(struct kit *k, const char *s, size_t n);
void kit_alloc(struct kit *k, int64_t ts, uint64_t class, uint64_t bytes);

/* Names are resolved and the emitter begins. */
void kit_begin(struct kit *k, const char *emit);
/* One chunk through chunk, rare and write; k->batch is emptied. */
void kit_chunk(struct kit *k, const struct tt_thread *t, const struct tt_slice *s, size_t n);
/* The end; the first file, with a NUL behind it. Good until kit_free. */
const char *kit_finish(struct kit *k, size_t *n);
/* File ${i} as text. */
const char *kit_file(struct kit *k, size_t i, size_t *n);

/**
 * kit_fuzz(k, emit, p, n):
 * Names, threads, paths, zones and events made of the ${n} bytes at ${p}, given to ${emit}; ${k} is initialised and
 * holds the output afterwards, the caller frees it. The first byte chooses options.
 */
void kit_fuzz(struct kit *k, const char *emit, const uint8_t *p, size_t n);

/* --- strict readers; each returns NULL, or what is wrong ----------------- */

/* RFC 4180 with LF: quotes balanced, valid UTF-8 without NUL, as many fields in each record as in the first (${columns}). */
const char *kit_check_csv(const char *p, size_t n, char sep, size_t columns);

/* `frame;frame COUNT`: valid UTF-8, no control characters, a count of digits that is not 0, no stack twice in a row. */
const char *kit_check_folded(const char *p, size_t n);

/*
 * Perfetto's trace: whole messages of fields that are known, texts of valid UTF-8 without NUL, names that were sent before they are
 * used and only once, tracks that were described before, times of 63 bits.
 */
const char *kit_check_trace(const char *p, size_t n);

/* What is in a profile, for sums. */
struct kit_profile {
	size_t nsample, ntype, nstring, nfunction, nlocation;
	int64_t sum[8];               /* of each value */
	char types[256];              /* "wall/nanoseconds calls/count" */
	char shown[64];               /* default_sample_type */
	size_t deepest;
};
/* Everything pprof checks when it reads, and valid UTF-8; labels of distinct keys. ${out} may be NULL. */
const char *kit_check_profile(const char *p, size_t n, struct kit_profile *out);

#endif
