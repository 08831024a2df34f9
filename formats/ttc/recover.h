/**
 * Makes a whole capture of what a killed program left: the files of its recording, and its ring.
 */
#ifndef TT_TTC_RECOVER_H
#define TT_TTC_RECOVER_H

#include "model/format.h"

struct ttc;

/* One file of the recording. */
struct ttc_part {
	struct tt_capture cap;
	struct tt_src *src;
	struct ttc *m;
};

/* Open the capture ${path} with its ring. The caller must close it, also after an error. */
int ttc_part_open(struct tt_env *env, const char *path, struct ttc_part *p, struct tt_err *err);
void ttc_part_close(struct ttc_part *p);

/* Sort the readers of ${n} parts into ${m} by their place in the rotation. Refuse files of other recordings, and repeated files. */
int ttc_parts_order(const struct ttc_part *p, struct ttc **m, size_t n, struct tt_err *err);

/* Write everything that the ${n} readers have to ${out}, and print that; with ${remove_ring} then remove the ring. */
int ttc_write_capture(struct tt_env *env, struct ttc *const *m, size_t n, const char *out, bool remove_ring, struct tt_err *err);

/* The result of a recovery. */
struct ttc_mended {
	bool ring;                    /* true: there was a ring */
	bool running;                 /* true: the program still runs, so nothing was done */
};

/**
 * ttc_recover(env, path, what, err):
 * If the capture ${path} has a ring whose program has ended, replace the capture by the joined one and remove the ring.
 * Errors: those of reading and writing; the capture and the ring are then unchanged.
 */
int ttc_recover(struct tt_env *env, const char *path, struct ttc_mended *what, struct tt_err *err);

#endif
