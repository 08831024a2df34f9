/**
 * Removes temporaries that processes of a batch left.
 */
#ifndef TT_BATCH_SWEEP_H
#define TT_BATCH_SWEEP_H

/**
 * tt_batch_sweep(dir, pid):
 * Unlink the temporaries that process ${pid} left in the directory open as ${dir}, which must be sure that it makes
 * no more: it waits to be reaped. 0: those of processes that are no more, as tt_sink_sweep_output() does.
 */
void tt_batch_sweep(int dir, long pid);

#endif
