/**
 * The messages of the processes of a batch to the parent: one per datagram of a socket pair, some with a descriptor.
 *
 * The parent believes no length: a message that does not add up is an error of the child it came from.
 * Both ends are one program, so numbers are in the machine's own order.
 */
#ifndef TT_BATCH_WIRE_H
#define TT_BATCH_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tt_wire_kind {
	TT_WIRE_ARCHIVE = 1,          /* the file is an archive: body = its format */
	TT_WIRE_OTHER,                /* the file is not a capture: body = what it is */
	TT_WIRE_MEMBER,               /* a capture, with its descriptor: key, index, size, hash; body = why it is cut */
	TT_WIRE_MEMBER_END,           /* the end of a member that was streamed: index, size, hash; body = why it is cut */
	TT_WIRE_SAME,                 /* a capture that has a result already: key, index, size, hash */
	TT_WIRE_RESULT,               /* a capture's result: hash and size of a file; body */
	TT_WIRE_COMPLAINT,            /* key = which kind; body = a line for people, empty where it is only counted */
	TT_WIRE_END,                  /* the archive's end: body = its record */
	TT_WIRE_ALIVE,                /* size = bytes taken from the file so far */
	TT_WIRE_RING,                 /* body = the ring that a capture names: answered with tt_wire_give() */
	TT_WIRE_KINDS
};

enum tt_wire_flag {
	TT_WIRE_STREAM = 1,           /* the descriptor is a pipe; MEMBER_END follows */
	TT_WIRE_CUT = 2,              /* damage in the archive, or a limit, ended the member early */
	TT_WIRE_LIMIT = 4,            /* with TT_WIRE_CUT: the reason was a limit */
	TT_WIRE_SLOT = 8,             /* from this bit on: the slot the capture uses (8 bits) */
};

struct tt_wire {
	uint32_t kind, flags;
	uint64_t index, size, hash;
	const char *key, *body;       /* no NUL after them */
	size_t nkey, nbody;
};

/* A datagram of a Unix socket is no longer than its send buffer: 208 KiB unless the system says otherwise. */
#define TT_WIRE_MAX ((size_t)192 << 10)
#define TT_WIRE_KEY_MAX ((size_t)32 << 10)

/**
 * tt_wire_parse(p, n, w, err):
 * Read the message of ${n} bytes at ${p}, which ${w} points into. TT_E_DAMAGED if it is none.
 */
int tt_wire_parse(const void *p, size_t n, struct tt_wire *w, struct tt_err *err);

/**
 * tt_wire_send(sock, w, fd, err):
 * Send, with descriptor ${fd} unless it is -1. Waits if the other end is slow to read. TT_E_LIMIT: too long.
 */
int tt_wire_send(int sock, const struct tt_wire *w, int fd, struct tt_err *err);

/**
 * tt_wire_receive(sock, buf, w, fd, got, err):
 * Receive a message without waiting, into the TT_WIRE_MAX bytes at ${buf}. *${fd} is the descriptor that came
 * with it, the caller's to close, or -1. *${got}: there was one. TT_END: the other end is closed.
 */
int tt_wire_receive(int sock, void *buf, struct tt_wire *w, int *fd, int *got, struct tt_err *err);

/**
 * tt_wire_give(sock, what, fd, err), tt_wire_take(sock, what, fd, err):
 * The parent's answer to TT_WIRE_RING: a byte ${what}, with the descriptor ${fd} unless it is -1. Giving does not wait: a process that does not take what
 * it asked for is TT_E_DAMAGED. Taking waits; *${fd} is the caller's to close, or -1.
 */
int tt_wire_give(int sock, unsigned what, int fd, struct tt_err *err);
int tt_wire_take(int sock, unsigned *what, int *fd, struct tt_err *err);

#endif
