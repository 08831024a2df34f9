/**
 * Shared by the files of the .mlpd reader: reader.c (header, index, chunks), decode.c (events) and category.c (assemblies).
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
	uint64_t len;         /* bytes of its events that are in the file */
};

struct mlpd {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_capture *cap;
	unsigned version, major, minor;
	uint64_t mask;        /* mask of pointers: 2^32-1 in captures of 32-bit processes */
	int64_t zero;         /* event clock at ts = 0 */
	uint64_t first;       /* offset of the first buffer */
	bool quick;           /* the processor has a fast instruction to gather bits */

	/* in-order position */
	uint64_t at, seq;
	struct mlpd_unit *unit;       /* the index; NULL on input that cannot seek */
	size_t nunit, capunit, next;
	struct tt_loss found;         /* losses found while building the index; reported with the first chunk */
	bool found_given;

	struct tt_window win;

	/* a buffer longer than TT_CHUNK_MAX is decoded in windows */
	struct mlpd_unit big;
	uint64_t big_state[4];
	struct tt_batch scratch;
};

/* The state of decoding at the start of a chunk. */
enum { MLPD_S_TIME, MLPD_S_PTR, MLPD_S_OBJ, MLPD_S_METHOD };

/**
 * mlpd_decode(m, bytes, n, at, tid, state, more, b, used, err):
 * Decode ${n} bytes of events, followed by TT_CHUNK_PAD readable zero bytes, into ${b}; updates ${state}. ${more}: the buffer continues after these bytes, so
 * an incomplete last event is no damage. *${used}: the length of the complete events. Damage goes to b->loss.
 */
int mlpd_decode(const struct mlpd *m, const uint8_t *bytes, size_t n, uint64_t at, uint64_t tid, uint64_t state[4],
    bool more, struct tt_batch *b, size_t *used, struct tt_err *err);

/* tt_capture.category and tally_name of this format. */
int mlpd_category(const struct tt_capture *cap, const struct tt_def *marker, const char **name, struct tt_err *err);
const char *mlpd_tag_name(unsigned tag);

#endif
