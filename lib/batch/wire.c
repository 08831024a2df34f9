/**
 * Sends and receives messages, with open files, between the processes of a batch.
 */
#include "batch/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

struct head {
	uint32_t magic, kind, flags, nkey;
	uint64_t index, size, hash, nbody;
};

#define MAGIC 0x54547731u

int
tt_wire_parse(const void *p, size_t n, struct tt_wire *w, struct tt_err *err)
{
	const char *text = (const char *)p + sizeof(struct head);
	struct head h;

	memset(w, 0, sizeof *w);
	if (n < sizeof h)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message of %zu bytes has no head", n);
	memcpy(&h, p, sizeof h);
	if (h.magic != MAGIC || h.kind == 0 || h.kind >= TT_WIRE_KINDS)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message of no known kind");
	n -= sizeof h;
	if (h.nkey > TT_WIRE_KEY_MAX || h.nkey > n || h.nbody != n - h.nkey)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message whose lengths do not add up");
	if (memchr(text, '\0', n) || memchr(text, '\n', n))
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message with a NUL or a line's end in it");
	*w = (struct tt_wire){ .kind = h.kind, .flags = h.flags, .index = h.index, .size = h.size, .hash = h.hash,
		.key = text, .nkey = h.nkey, .body = text + h.nkey, .nbody = n - h.nkey };
	return TT_OK;
}

/* Room for the one descriptor that a message has. */
union control { struct cmsghdr align; char room[CMSG_SPACE(sizeof(int))]; };

static void
put_descriptor(struct msghdr *m, union control *to, int fd)
{
	struct cmsghdr *c;

	memset(to, 0, sizeof *to);
	m->msg_control = to->room;
	m->msg_controllen = sizeof to->room;
	c = CMSG_FIRSTHDR(m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
}

int
tt_wire_send(int sock, const struct tt_wire *w, int fd, struct tt_err *err)
{
	struct head h = { MAGIC, w->kind, w->flags, (uint32_t)w->nkey, w->index, w->size, w->hash, w->nbody };
	struct iovec iov[3] = { { &h, sizeof h }, { (void *)(uintptr_t)w->key, w->nkey }, { (void *)(uintptr_t)w->body, w->nbody } };
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = 3 };
	union control control;

	if (w->nkey > TT_WIRE_KEY_MAX || sizeof h + w->nkey + w->nbody > TT_WIRE_MAX)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "what there is to tell is longer than %zu bytes", TT_WIRE_MAX);
	if (fd >= 0)
		put_descriptor(&m, &control, fd);
	while (sendmsg(sock, &m, MSG_NOSIGNAL) < 0) {
		struct pollfd wait = { .fd = sock, .events = POLLOUT };

		if (errno == EAGAIN)
			poll(&wait, 1, -1);
		else if (errno != EINTR)
			return tt_fail_sys(err, errno, "cannot tell the parent");
	}
	return TT_OK;
}

/* The one descriptor of a message, or -1; more than one are closed. */
static int
take_descriptor(struct msghdr *m)
{
	int fd = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; (i + 1) * sizeof fd <= c->cmsg_len - CMSG_LEN(0); i++) {
			int one;

			memcpy(&one, CMSG_DATA(c) + i * sizeof one, sizeof one);
			if (fd >= 0)
				close(one);
			else
				fd = one;
		}
	}
	return fd;
}

int
tt_wire_receive(int sock, void *buf, struct tt_wire *w, int *fd, int *got, struct tt_err *err)
{
	union { struct cmsghdr align; char room[CMSG_SPACE(4 * sizeof(int))]; } control;
	struct iovec iov = { buf, TT_WIRE_MAX };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.room,
		.msg_controllen = sizeof control.room };
	ssize_t n;
	int rc;

	*fd = -1;
	*got = 0;
	do
		n = recvmsg(sock, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? TT_OK : errno == ECONNRESET ? TT_END : tt_fail_sys(err, errno, "cannot hear a child");
	*fd = take_descriptor(&m);
	if (*fd < 0 && (m.msg_flags & MSG_CTRUNC))
		return tt_fail_sys(err, EMFILE, "cannot take over the file of a process");
	if (n == 0 && *fd < 0)
		return TT_END;
	rc = m.msg_flags & MSG_TRUNC ?
	    tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message longer than %zu bytes", TT_WIRE_MAX) :
	    tt_wire_parse(buf, (size_t)n, w, err);
	if (rc != TT_OK && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	*got = rc == TT_OK;
	return rc;
}

int
tt_wire_give(int sock, unsigned what, int fd, struct tt_err *err)
{
	unsigned char byte = (unsigned char)what;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control;

	if (fd >= 0)
		put_descriptor(&m, &control, fd);
	while (sendmsg(sock, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		if (errno != EINTR)
			return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a process does not take what it asked for");
	return TT_OK;
}

int
tt_wire_take(int sock, unsigned *what, int *fd, struct tt_err *err)
{
	unsigned char byte = 0;
	struct iovec iov = { &byte, 1 };
	union control control;
	ssize_t n;

	for (;;) {
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room };
		struct pollfd wait = { .fd = sock, .events = POLLIN };

		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
		*fd = n > 0 ? take_descriptor(&m) : -1;
		*what = byte;
		if (n > 0)
			return TT_OK;
		if (n == 0)
			return tt_fail(err, TT_E_IO, TT_NOWHERE, "the parent is gone");
		if (errno == EAGAIN)
			poll(&wait, 1, -1);
		else if (errno != EINTR)
			return tt_fail_sys(err, errno, "cannot hear the parent");
	}
}
