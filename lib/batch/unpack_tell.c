/**
 * Sends messages between an unpacker and its parent.
 */
#include "batch/unpacker.h"
#include "batch/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define ALIVE_BYTES (UINT64_C(8) << 20)
#define ALIVE_MEMBERS 4096

int
tt_unpack_tell(struct unpack *u, const struct tt_wire *w, int fd, struct tt_err *err)
{
	int rc = tt_wire_send(u->sock, w, fd, err);

	if (rc != TT_OK)
		u->gone = *err;
	return rc;
}

int
tt_unpack_complain(struct unpack *u, const char *kind, struct tt_err *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++) {
		if ((unsigned char)*p < 0x20)
			*p = '?';
	}
	int rc = tt_record_complain(&u->rec, kind, u->top_index, text, err);

	if (rc != TT_END && (rc != TT_OK || !tt_record_costs(kind)))
		return rc;
	/* Beyond the first few, the parent only counts them, because it may have to stop the batch. */
	return tt_unpack_tell(u, &(struct tt_wire){ .kind = TT_WIRE_COMPLAINT, .index = u->index, .key = kind, .nkey = strlen(kind),
	    .body = text, .nbody = rc == TT_END ? strlen(text) : 0 }, -1, err);
}

/* Tell the parent at intervals that the work goes on, and how far it is. */
int
tt_unpack_alive(struct unpack *u, struct tt_err *err)
{
	uint64_t raw = u->top && tt_src_info(u->file)->seekable ? tt_archive_ntaken(u->top->ar) : tt_src_info(u->file)->raw_at;

	if (raw < u->alive_at + ALIVE_BYTES && u->index < u->alive_index + ALIVE_MEMBERS)
		return TT_OK;
	u->alive_at = raw;
	u->alive_index = u->index;
	return tt_unpack_tell(u, &(struct tt_wire){ .kind = TT_WIRE_ALIVE, .size = raw }, -1, err);
}

/* Wait for a slot to send a capture in: *${slot}, whose descriptor is free. */
int
tt_unpack_await(struct unpack *u, unsigned *slot, struct tt_err *err)
{
	for (;;) {
		unsigned char c;
		ssize_t n = recv(u->sock, &c, 1, 0);

		if (n == 1) {
			*slot = c;
			return TT_OK;
		}
		if (tt_stopped(u->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (n == 0)
			return tt_fail(&u->gone, TT_E_IO, TT_NOWHERE, "the parent is gone");
		if (errno == EAGAIN) {
			struct pollfd wait = { .fd = u->sock, .events = POLLIN };

			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return tt_fail_sys(err, errno, "cannot hear the parent");
		}
	}
}
