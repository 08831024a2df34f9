/**
 * Shared by the files of the .mlpd reader: buffers.c (index), mlpd_reader.c (header, chunks), mlpd_decode.c (events), category.c (assemblies) and
 * mlpd_scrub.c (copies).
 */
#ifndef TT_MLPD_MLPD_H
#define TT_MLPD_MLPD_H

#include "io/window.h"
#include "mlpd/layout.h"
#include "model/format.h"

struct tt_def;

/* One buffer of the file. */
struct mlpd_unit {
	uint64_t at;          /* offset of its 48-byte header */
	uint64_t tid;
	uint64_t len;         /* bytes of its events in the file */
};

/* The kinds of texts in events. */
enum mlpd_text {
	MLPD_TEXT_CLASS, MLPD_TEXT_METHOD, MLPD_TEXT_MEMBER /* a method of the class before it */, MLPD_TEXT_TYPES /* a method's parameters */,
	MLPD_TEXT_IMAGE, MLPD_TEXT_ASSEMBLY, MLPD_TEXT_DOMAIN, MLPD_TEXT_FILE, MLPD_TEXT_ID, MLPD_TEXT_THREAD, MLPD_TEXT_ROOT, MLPD_TEXT_FUNCTION,
	MLPD_TEXT_HELPER, MLPD_TEXT_COUNTER, MLPD_TEXT_OWN_COUNTER /* the program's, or its section */, MLPD_TEXT_VALUE,
};

/* The texts taken from events, in order, and whether there was memory for them. */
struct mlpd_texts {
	struct mlpd_text_at { const uint8_t *p; uint32_t len; enum mlpd_text what; } *v;
	size_t n, cap;
	int rc;
};

struct mlpd {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_capture *cap;
	unsigned version, major, minor;
	uint64_t mask;        /* mask of pointers: 2^32-1 in captures of 32-bit processes */
	int64_t zero;         /* event clock at ts = 0 */
	uint64_t first;       /* offset of the first buffer */
	bool extracts_bits;   /* true: the processor has a fast instruction to gather bits */
	struct mlpd_texts *texts;     /* texts noted by take_text(); NULL: not noted */

	/* Position in order. */
	uint64_t at, seq;
	struct mlpd_unit *unit;       /* the index; NULL on input that cannot seek */
	size_t nunit, capunit, next;
	struct tt_loss found;         /* losses found while building the index; reported with the first chunk */
	bool found_given;

	struct tt_window win;

	/* A buffer longer than TT_CHUNK_MAX, which is decoded in windows. */
	struct mlpd_unit big;
	uint64_t big_state[4];
	struct tt_batch scratch;
};

/* Elements of the state of decoding at the start of a chunk. */
enum { MLPD_CLASS_NAME_BYTES = 512 };         /* maximum bytes of a class name that is looked up; longer names are cut */
enum { MLPD_S_TIME, MLPD_S_PTR, MLPD_S_OBJ, MLPD_S_METHOD };

/**
 * mlpd_decode(m, bytes, n, at, tid, state, more, b, used, err):
 * Decode ${n} bytes of events, followed by TT_CHUNK_PAD readable zero bytes, into ${b}; updates ${state}. ${more}: the buffer continues after these bytes, so
 * an incomplete last event is not damage. *${used}: the length of the complete events. Damage goes to b->loss.
 */
int mlpd_decode(const struct mlpd *m, const uint8_t *bytes, size_t n, uint64_t at, uint64_t tid, uint64_t state[4],
    bool more, struct tt_batch *b, size_t *used, struct tt_err *err);

/*
 * mlpd_index() builds an index from the headers alone, for input that can seek: the places of buffers; their earliest time base is the zero of the capture.
 * For other input mlpd_survey() finds the zero: any buffer may have it, as a thread that records little writes its first buffer late.
 */
int mlpd_index(struct mlpd *m, struct tt_err *err);
int mlpd_survey(void *m, struct tt_err *err);

/* Find the next buffer, from the index or the input. Bytes skipped before it are counted in ${loss}. TT_END: no more buffers. */
int mlpd_next_unit(struct mlpd *m, struct mlpd_unit *u, struct tt_loss *loss, struct tt_err *err);

/* Go back to the first buffer. */
int mlpd_rewind(struct mlpd *m, struct tt_err *err);

/**
 * mlpd_plain_class(to, cap, s, n):
 * Write the part of the class name ${s}, of ${n} bytes, that all spellings share to ${to}, of ${cap} bytes: without arities, type arguments and array ranks,
 * and with '.' before nested classes. Return its length.
 */
size_t mlpd_plain_class(char *to, size_t cap, const char *s, size_t n);

/* tt_format.scrub of this format. */
int mlpd_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err);

/* tt_capture.category and tally_name of this format. */
int mlpd_category(const struct tt_capture *cap, const struct tt_def *marker, const char **name, struct tt_err *err);
const char *mlpd_tag_name(unsigned tag);

#endif
