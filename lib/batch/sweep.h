/**
 * Removes temporaries that processes of a batch left.
 */
#ifndef TT_BATCH_SWEEP_H
#define TT_BATCH_SWEEP_H

/**
 * tt_batch_sweep(dir, pid):
 * Unlink the temporaries that process ${pid} left in the directory open as ${dir}. The process must have ended, and not been reaped, so that
 * it makes no more. 0: unlink those of all processes that no longer exist, as tt_sink_sweep_output() does.
 */
void tt_batch_sweep(int dir, long pid);

#endif
