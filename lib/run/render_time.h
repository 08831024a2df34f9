/**
 * How long the render thread works in each frame of one capture, by its zones.
 *
 * Threads: one, the ordered stage. Memory: a byte for each thread, and 24 for each marker of the thread.
 */
#ifndef TT_RUN_RENDER_TIME_H
#define TT_RUN_RENDER_TIME_H

#include <stddef.h>
#include <stdint.h>

struct tt_batch;
struct tt_column;
struct tt_err;
struct tt_model;
struct tt_render_time;
struct tt_stack;

/* Begin for the frames ${first} to ${end} - 1 of ${m}, those of ${process}; times go to ${ns}, by frame. Free with tt_render_free() in any case. */
int tt_render_new(const struct tt_model *m, uint32_t process, size_t first, size_t end, struct tt_column *ns, struct tt_render_time **made, struct tt_err *err);
void tt_render_free(struct tt_render_time *r);

/* Add a chunk of any thread. ${before}: zones that its thread had open before it, if earlier chunks may be missing; or NULL. */
int tt_render_chunk(struct tt_render_time *r, const struct tt_batch *b, const struct tt_stack *before, struct tt_err *err);

/* After the last chunk: open zones last until the thread's last event. */
int tt_render_finish(struct tt_render_time *r, struct tt_err *err);

#endif
