/**
 * Output files that are either complete or not written at all.
 *
 * A named file is written under a temporary name in the same directory and
 * renamed into place by tt_sink_commit(); tt_sink_abort() (also after any error,
 * or by the signal clean-up list) leaves what was there before. "-" is standard
 * output, written as it comes. The suffix chooses compression: .gz .xz .zst .bz2
 * .lz4; compressed output is cut into blocks of 1 MiB that are compressed by
 * ${env->jobs} threads and written in order, so the bytes do not depend on -j.
 * gzip blocks are joined into one member (raw deflate blocks, one CRC): readers
 * that stop at the first member see everything. The other codings are written
 * as concatenated frames, which their tools all read.
 *
 * A file keeps its permissions when it is replaced; a symbolic link stays and the
 * file it leads to is replaced; a file that may not be written is not replaced
 * either. Other than regular files (/dev/null, a FIFO) are written directly. All
 * messages name the path. Once a write has failed, every later call returns the
 * same error. SIGPIPE and SIGXFSZ must be ignored by the program to get EPIPE and
 * EFBIG here; EPIPE is TT_E_IO with tt_err.sys == EPIPE.
 *
 * Threads: one writer, who also writes what the compressing threads have done.
 */
#ifndef TT_IO_SINK_H
#define TT_IO_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/env.h"

struct tt_forms;
struct tt_sink;

/**
 * tt_sink_open(env, path, sink, err):
 * Open ${path} for output ("-": standard output, never compressed).
 * Errors: TT_E_IO with path and errno.
 */
int tt_sink_open(struct tt_env *env, const char *path, struct tt_sink **sink, struct tt_err *err);

/* Open a sink that keeps its bytes in memory, where tt_sink_mem_data() shows them. For tests and small files. */
int tt_sink_open_mem(struct tt_env *env, struct tt_sink **sink, struct tt_err *err);
const char *tt_sink_mem_data(const struct tt_sink *sink, size_t *n);

/* Append ${n} bytes; 0: only return the error of an earlier write. ENOSPC, EDQUOT, EFBIG, EIO: TT_E_IO naming the path. */
int tt_sink_write(struct tt_sink *sink, const void *p, size_t n, struct tt_err *err);

/**
 * tt_sink_set_packets(sink, forms, stamps, err):
 * Declare, before the first write, that each write is whole fields of Perfetto's message Trace. With ${forms}, which the sink borrows, output whose name
 * asks for no compression is compressed as packets that hold packets (TracePacket.compressed_packets: Perfetto's
 * protos/perfetto/trace/trace_packet.proto); then *${stamps} is true: tt_sink_write_stamps() may be used, too.
 */
int tt_sink_set_packets(struct tt_sink *sink, const struct tt_forms *forms, bool *stamps, struct tt_err *err);

/* Append packets as ${n} bytes of runs of stamps (packet.h). */
int tt_sink_write_stamps(struct tt_sink *sink, const void *p, size_t n, struct tt_err *err);

/* Declare that the output is a database of SQLite: commit then removes files that SQLite left beside an older database of this name. */
void tt_sink_set_database(struct tt_sink *sink);

/**
 * tt_sink_flush_and_shrink(sink, err):
 * Write the buffered bytes, and free the sink's memory and threads: for one of many outputs, if few or no bytes follow
 * before its commit.
 */
int tt_sink_flush_and_shrink(struct tt_sink *sink, struct tt_err *err);

/**
 * tt_sink_commit(sink, err):
 * Flush, close and rename into place, then free the sink; on failure the
 * temporary is removed, the old file stays, and the sink is freed in any case.
 */
int tt_sink_commit(struct tt_sink *sink, struct tt_err *err);

/* Commit the ${n} sinks at ${sink} in order if ${rc} is TT_OK; abort all from the first failure on. Entries may be NULL. Returns the first error. */
int tt_sink_commit_all(struct tt_sink **sink, size_t n, int rc, struct tt_err *err);

/* Give up: remove the temporary, free the sink. NULL is fine. */
void tt_sink_abort(struct tt_sink *sink);

/* Fail because the folder of an output does not exist; the message lacks the path. */
int tt_fail_folder(struct tt_err *err);

/**
 * tt_sink_unlink_all():
 * Unlink the temporaries of all open sinks of the process (not of its parent).
 * Async-signal-safe: for the handler of a fatal signal.
 */
void tt_sink_unlink_all(void);

/**
 * tt_sink_sweep_output(path):
 * Unlink temporaries of output ${path}, and of its numbered outputs NAME-001.SUFFIX, that killed runs left: if no process here has the process id in the
 * temporary's name, and nobody holds the lock that every writer has on its temporary, also on other machines and in containers. If files cannot be locked,
 * temporaries stay.
 */
void tt_sink_sweep_output(const char *path);

/*
 * Return the suffix of ${path}, before any compression suffix ("a.json.gz" -> ".json"), with its length in *${n}: no
 * NUL ends it. NULL: there is no suffix.
 */
const char *tt_path_suffix(const char *path, size_t *n);

#endif
