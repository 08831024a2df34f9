/**
 * The undecoded bytes of an input: of a regular file, a pipe, memory, or a function that supplies bytes.
 *
 * Bytes pass through a window, so that a decoder can look at bytes before it
 * takes them. A pipe can be spooled to an unlinked temporary file, and is then
 * rewound like a file. src.c owns the struct, decoders read from it.
 *
 * Errors of a read stay: every later read past that byte returns the same error,
 * because the position of a pipe is not known after a failure.
 * Threads: one thread; any number may call tt_raw_pread() beside it.
 */
#ifndef TT_IO_RAW_H
#define TT_IO_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

/* Write up to ${n} bytes to ${p}: TT_OK means *${got} > 0; TT_END: there are no more bytes. */
typedef int tt_raw_supply(void *arg, void *p, size_t n, size_t *got, struct tt_err *err);

struct tt_raw {
	struct tt_env *env;
	int fd;                       /* owned; -1: memory, or a function */
	tt_raw_supply *supply;        /* the function that supplies bytes; NULL: no function */
	void *supply_arg;
	int spool;                    /* descriptor of the spool, or -1 */
	bool regular;                 /* true: a file that pread() works on */
	uint64_t base;                /* offset in the file of the input's byte 0 */
	uint64_t size;                /* bytes of the input when it was opened; UINT64_MAX: not known */
	uint64_t fetch_at;            /* offset in the input of the next byte to fetch */
	uint64_t nspooled;            /* bytes in the spool */
	uint8_t *buffer;              /* the window's memory; NULL for memory input */
	size_t buffer_size;           /* bytes of that memory; for a small file, its size */
	const uint8_t *win;
	size_t win_at, win_end;       /* range in win of the bytes fetched and not yet taken */
	bool from_start;              /* true: win[0] is the input's byte 0 */
	struct tt_err failed;         /* the error that every later read returns; code TT_OK: no error */
};

/* Begin at the current offset of ${fd}, which belongs to ${raw} from here on, also on failure. */
int tt_raw_open_fd(struct tt_raw *raw, struct tt_env *env, int fd, struct tt_err *err);
void tt_raw_open_mem(struct tt_raw *raw, struct tt_env *env, const void *p, size_t n);

/* Read bytes in order from ${supply}; the input cannot be rewound. */
int tt_raw_open_supply(struct tt_raw *raw, struct tt_env *env, tt_raw_supply *supply, void *arg, struct tt_err *err);

void tt_raw_close(struct tt_raw *raw);

/* Return the number of bytes taken so far. */
uint64_t tt_raw_ntaken(const struct tt_raw *raw);

/**
 * tt_raw_peek(raw, min, p, n, err):
 * Point *${p} at the *${n} bytes that come next, at least ${min} of them (up to
 * 4096) unless the input ends or fails before. TT_END: there is no byte.
 */
int tt_raw_peek(struct tt_raw *raw, size_t min, const uint8_t **p, size_t *n, struct tt_err *err);

/* Take all bytes that are left: TT_END with their number in *${total}; *${zeros} is cleared if one of them is not 0. */
int tt_raw_take_rest(struct tt_raw *raw, uint64_t *total, bool *zeros, struct tt_err *err);

/* Take ${n} of the bytes that tt_raw_peek() showed. */
void tt_raw_take(struct tt_raw *raw, size_t n);

/* Copy up to ${n} bytes to ${p} with at most one fetch: TT_OK means *${got} > 0. */
int tt_raw_read(struct tt_raw *raw, void *p, size_t n, size_t *got, struct tt_err *err);

/* As tt_src_pread(); for regular files and memory. */
int tt_raw_pread(const struct tt_raw *raw, uint64_t at, void *p, size_t n, size_t *got, struct tt_err *err);

/* True if tt_raw_rewind() is possible; start to spool so that it becomes possible; go back to byte 0. */
bool tt_raw_can_rewind(const struct tt_raw *raw);
int tt_raw_spool(struct tt_raw *raw, struct tt_err *err);
int tt_raw_rewind(struct tt_raw *raw, struct tt_err *err);

#endif
