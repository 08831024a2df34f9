/**
 * Many files, many processes; the contract is in many.h.
 */
#include "batch/many.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "batch/child.h"
#include "batch/wire.h"

#define TICK_MS 200
#define KILL_AFTER_NS INT64_C(1000000000)     /* between asking a process to stop and making it */
#define LINES_PER_KIND 10

/* Kinds of failure whose lines are counted and cut, per archive, and over all files that are none. */
static const char *const whys[] = { "damaged", "unsupported", "limit", "memory", "io", "crashed", "timeout",
	"interrupted", "other" };
#define NWHY (sizeof whys / sizeof whys[0])

struct said { uint64_t n[NWHY]; };

/* An archive: its unpacker, and its captures that are underway. */
struct arch {
	size_t file;
	struct proc *unpacker;        /* NULL: ended */
	unsigned underway;            /* captures handed over and not ended */
	unsigned leave;               /* given and not used */
	unsigned char busy[256];      /* slots that have been given, or whose capture has not ended */
	bool told_end;
	bool streams;                 /* its unpacker writes into a pipe, as fast as the other end reads */
	struct tt_buf record;         /* the body of its line, until its captures have ended */
	unsigned parts;               /* shards that share it; 0: one */
	struct said said;
};

/* A capture out of an archive, waiting for a process. */
struct ready {
	struct ready *next;
	struct arch *arch;
	struct tt_buf key, cut;
	uint64_t index, size, hash;
	uint32_t flags;
	int fd;
	bool ended;                   /* streamed, and all of it has been written already */
};

enum role { ROLE_FILE, ROLE_UNPACKER, ROLE_MEMBER };

struct proc {
	struct proc *next;
	pid_t pid;
	int sock, pidfd;
	enum role role;
	size_t file;
	struct arch *arch;            /* of unpackers and members */
	struct ready *what;           /* of members */
	struct tt_buf result;         /* its body */
	uint64_t size, hash;
	bool has_result, exited;
	int64_t heard_ns;             /* when it began, or gave a sign of life */
	int64_t kill_ns;              /* when it was asked to stop; 0: it was not */
	bool timeout;
	int status;
	uint64_t bytes;               /* of its file, taken so far */
	unsigned parts;               /* shards that share the file; 0: one */
};

struct many {
	struct tt_env *env;
	const struct tt_many_opts *o;
	struct tt_many_sum sum;
	struct proc *procs;
	size_t nproc;
	unsigned analysing, unpacking;
	struct ready *first, **last;
	size_t next_file;
	struct pollfd *poll;
	size_t cappoll;
	struct said said;
	struct tt_buf line;
	int64_t tick_ns;
	char *wire;                   /* TT_WIRE_MAX */
	bool stopping;
};

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const struct tt_many_file *
file_of(const struct many *m, size_t i)
{
	return &m->o->file[i];
}

/* --- results --------------------------------------------------------------------- */

static void
say(struct many *m, const char *fmt, ...) TT_PRINTF(2, 3);

static void
say(struct many *m, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (m->o->say)
		m->o->say(m->o->arg, text);
}

static size_t
why_index(const char *why)
{
	size_t i = 0;

	while (i + 1 < NWHY && strcmp(whys[i], why) != 0)
		i++;
	return i;
}

/* Tell a failure, unless enough of its kind were told. */
static void
say_failure(struct many *m, struct said *s, const char *key, const char *why, const char *detail)
{
	if (s->n[why_index(why)]++ < LINES_PER_KIND)
		say(m, "%s: %s%s%s", key, why, detail[0] ? ": " : "", detail);
}

/* At the end: what was not told. */
static void
say_rest(struct many *m, const struct said *s, const char *where)
{
	for (size_t i = 0; i < NWHY; i++) {
		if (s->n[i] > LINES_PER_KIND)
			say(m, "%s: %llu more lines of the kind \"%s\"", where,
			    (unsigned long long)(s->n[i] - LINES_PER_KIND), whys[i]);
	}
}

static int
put_line(struct many *m, struct tt_err *err)
{
	return m->o->line(m->o->arg, m->line.p, m->line.n, err);
}

static int
check_failures(struct many *m, struct tt_err *err)
{
	if (m->o->failures_max == UINT64_MAX || m->sum.failed + m->sum.damaged <= m->o->failures_max)
		return TT_OK;
	return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more than %llu captures failed or are damaged: given up",
	    (unsigned long long)m->o->failures_max);
}

/* Write a capture's line, and count it. A body that is no JSON is the doing of a process gone wild. */
static int
capture_line(struct many *m, const struct tt_result_id *id, const struct tt_buf *body, struct said *said,
    struct tt_err *err)
{
	struct tt_buf instead = { 0 };
	struct tt_result r = { 0 };
	int rc;

	m->line.n = 0;
	rc = tt_result_compose(&m->line, id, body->p, body->n, err);
	if (rc == TT_OK && tt_result_load(m->line.p, m->line.n - 1, &r, err) != TT_OK) {
		rc = tt_one_failed(&instead, "failed", "crashed", "its result is not understood", 28, err);
		m->line.n = 0;
		if (rc == TT_OK)
			rc = tt_result_compose(&m->line, id, instead.p, instead.n, err);
		tt_buf_free(&instead);
		if (rc == TT_OK)
			rc = tt_result_load(m->line.p, m->line.n - 1, &r, err);
	}
	if (rc != TT_OK)
		return rc;
	m->sum.captures++;
	m->sum.ok += strcmp(r.outcome, "ok") == 0;
	m->sum.damaged += strcmp(r.outcome, "damaged") == 0;
	m->sum.failed += strcmp(r.outcome, "failed") == 0;
	if (strcmp(r.outcome, "ok") != 0)
		say_failure(m, said, r.key, r.why, r.detail);
	m->sum.spooled += (uint64_t)json_integer_value(json_object_get(r.doc, "spooled")) +
	    (uint64_t)json_integer_value(json_object_get(r.doc, "handed"));
	tt_result_free(&r);
	rc = put_line(m, err);
	return rc == TT_OK ? check_failures(m, err) : rc;
}

static void
fill_id(const struct many *m, size_t file, const char *type, struct tt_result_id *id)
{
	const struct tt_many_file *f = file_of(m, file);

	*id = (struct tt_result_id){ .key = f->key, .nkey = strlen(f->key), .type = type, .by = m->o->by,
		.file_size = f->size, .file_mtime_ns = f->mtime_ns };
}

/* --- processes ---------------------------------------------------------------------- */

static int
start(struct many *m, struct proc *p, int in, const char *key, size_t nkey, struct tt_shard shard, struct tt_err *err)
{
	struct tt_child c = { .env = m->env, .o = m->o, .in = in, .member = p->role == ROLE_MEMBER, .file = p->file,
		.size = p->what && !(p->what->flags & TT_WIRE_STREAM) ? p->what->size : UINT64_MAX,
		.shard = shard, .key = key, .nkey = nkey };
	pid_t parent = getpid();
	int s[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) != 0)
		return tt_fail_sys(err, errno, "cannot make a socket");
	p->pid = fork();
	if (p->pid < 0) {
		close(s[0]);
		close(s[1]);
		return tt_fail_sys(err, errno, "cannot start a process");
	}
	if (p->pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
			_exit(4);
		c.sock = s[1];
		tt_child(&c);
	}
	close(s[1]);
	p->sock = s[0];
	p->pidfd = pidfd_open(p->pid, 0);
	p->heard_ns = now_ns();
	p->next = m->procs;
	m->procs = p;
	m->nproc++;
	if (p->pidfd >= 0)
		return TT_OK;
	return tt_fail_sys(err, errno, "cannot watch a process");
}

static struct proc *
new_proc(struct many *m, enum role role, size_t file, struct tt_err *err)
{
	struct proc *p = tt_mem_alloc(&m->env->mem, sizeof *p, err);

	if (p) {
		p->role = role;
		p->file = file;
		p->sock = p->pidfd = -1;
	}
	return p;
}

static void
free_ready(struct many *m, struct ready *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	tt_buf_free(&r->key);
	tt_buf_free(&r->cut);
	tt_mem_free(&m->env->mem, r, sizeof *r);
}

static void
free_proc(struct many *m, struct proc *p)
{
	for (struct proc **at = &m->procs; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			m->nproc--;
			break;
		}
	}
	if (p->sock >= 0)
		close(p->sock);
	if (p->pidfd >= 0)
		close(p->pidfd);
	free_ready(m, p->what);
	tt_buf_free(&p->result);
	tt_mem_free(&m->env->mem, p, sizeof *p);
}

/* Why a process ended without telling, as an outcome. */
static int
put_death(struct many *m, const struct proc *p, struct tt_buf *body, struct tt_err *err)
{
	char text[200] = "";
	const char *why = "crashed";

	if (p->timeout || (WIFSIGNALED(p->status) && WTERMSIG(p->status) == SIGXCPU)) {
		why = "timeout";
		snprintf(text, sizeof text, "over %g s; raise --capture-time", (double)m->o->capture_ns / 1e9);
	} else if (m->stopping) {
		why = "interrupted";
	} else if (WIFSIGNALED(p->status)) {
		snprintf(text, sizeof text, "its process died of signal %d (%s)", WTERMSIG(p->status),
		    sigdescr_np(WTERMSIG(p->status)));
	} else {
		snprintf(text, sizeof text, "its process ended with status %d and no result", WEXITSTATUS(p->status));
	}
	return tt_one_failed(body, "failed", why, text, strlen(text), err);
}

/* --- archives ------------------------------------------------------------------------- */

/* Captures of this archive that may be underway: enough to keep the jobs busy that fall to it, and one more. */
static unsigned
leave_of(const struct many *m)
{
	unsigned open = m->unpacking ? m->unpacking : 1;

	return 1 + (m->o->jobs + open - 1) / open;
}

static void
give_leave(struct many *m, struct arch *a)
{
	while (a->unpacker && a->underway + a->leave < leave_of(m)) {
		unsigned char slot = 0;

		while (a->busy[slot] && slot < 255)
			slot++;
		if (a->busy[slot] || send(a->unpacker->sock, &slot, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
			return;
		a->busy[slot] = 1;
		if (a->leave == 0)
			a->unpacker->heard_ns = now_ns();     /* it may have been waiting for this */
		a->leave++;
	}
}

/* The archive's line, when its last capture has ended. */
static int
end_archive(struct many *m, struct arch *a, struct tt_err *err)
{
	struct tt_result_id id;
	struct tt_result r = { 0 };
	int rc;

	if (a->unpacker || a->underway > 0)
		return TT_OK;
	fill_id(m, a->file, "archive", &id);
	id.part = a->parts ? m->o->shard.index : 0;
	id.parts = a->parts;
	m->line.n = 0;
	rc = tt_result_compose(&m->line, &id, a->record.p, a->record.n, err);
	if (rc == TT_OK)
		rc = tt_result_load(m->line.p, m->line.n - 1, &r, err);
	if (rc == TT_OK && strcmp(r.outcome, "ok") != 0 && r.detail[0])
		say_failure(m, &a->said, r.key, r.why, r.detail);
	if (rc == TT_OK)
		m->sum.spooled += (uint64_t)json_integer_value(json_object_get(r.doc, "spooled"));
	tt_result_free(&r);
	if (rc == TT_OK)
		rc = put_line(m, err);
	say_rest(m, &a->said, id.key);
	m->sum.files++;
	tt_buf_free(&a->record);
	tt_mem_free(&m->env->mem, a, sizeof *a);
	return rc;
}

static int
became_archive(struct many *m, struct proc *p, struct tt_err *err)
{
	struct arch *a;

	if (p->role != ROLE_FILE || p->has_result)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message out of place");
	a = tt_mem_alloc(&m->env->mem, sizeof *a, err);
	if (!a)
		return err->code;
	a->file = p->file;
	a->unpacker = p;
	a->parts = p->parts;
	p->arch = a;
	p->role = ROLE_UNPACKER;
	m->analysing--;
	m->unpacking++;
	give_leave(m, a);
	return TT_OK;
}

/* The member of an archive by its number, in a process or waiting. */
static struct ready *
find_member(const struct many *m, const struct arch *a, uint64_t index)
{
	for (struct proc *p = m->procs; p; p = p->next) {
		if (p->what && p->what->arch == a && p->what->index == index)
			return p->what;
	}
	for (struct ready *r = m->first; r; r = r->next) {
		if (r->arch == a && r->index == index)
			return r;
	}
	return NULL;
}

static int
take_text(struct tt_buf *b, const char *p, size_t n, struct tt_err *err)
{
	b->n = 0;
	return n ? tt_buf_add(b, p, n, err) : TT_OK;
}

static int
new_member(struct many *m, struct arch *a, const struct tt_wire *w, int fd, struct tt_err *err)
{
	const char *key = file_of(m, a->file)->key;
	size_t n = strlen(key);
	struct ready *r;
	int rc;

	/* A member's key is below its archive's, whatever the unpacker says. */
	if (fd < 0 || a->leave == 0 || w->nkey <= n || memcmp(w->key, key, n) != 0 || w->key[n] != '!') {
		if (fd >= 0)
			close(fd);
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message out of place");
	}
	r = tt_mem_alloc(&m->env->mem, sizeof *r, err);
	if (!r) {
		close(fd);
		return err->code;
	}
	r->arch = a;
	r->fd = fd;
	r->index = w->index;
	r->size = w->size;
	r->hash = w->hash;
	r->flags = w->flags;
	r->ended = !(w->flags & TT_WIRE_STREAM);
	a->leave--;
	a->underway++;
	a->streams = !r->ended;
	*m->last = r;
	m->last = &r->next;
	rc = take_text(&r->key, w->key, w->nkey, err);
	return rc == TT_OK ? take_text(&r->cut, w->body, w->nbody, err) : rc;
}

static int
end_of_stream(struct many *m, struct arch *a, const struct tt_wire *w, struct tt_err *err)
{
	struct ready *r = find_member(m, a, w->index);

	a->streams = false;
	/* Its process may have ended first: then nobody waits for this. */
	if (!r)
		return TT_OK;
	r->ended = true;
	r->size = w->size;
	r->hash = w->hash;
	r->flags = w->flags;
	return take_text(&r->cut, w->body, w->nbody, err);
}

static int
same_capture(struct many *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	struct tt_result_id id;

	fill_id(m, p->file, "capture", &id);
	id.key = w->key;
	id.nkey = w->nkey;
	id.has_content = true;
	id.size = w->size;
	id.hash = w->hash;
	m->sum.same++;
	if (p->role == ROLE_UNPACKER && p->arch->leave > 0) {
		p->arch->leave--;
		p->arch->busy[w->flags >> TT_WIRE_SLOT & 255] = 0;
	}
	if (p->role == ROLE_UNPACKER)
		give_leave(m, p->arch);
	else
		p->has_result = true;
	return m->o->same ? m->o->same(m->o->arg, &id, err) : TT_OK;
}

/* --- messages --------------------------------------------------------------------------- */

static int
other_file(struct many *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	struct tt_result_id id;
	struct tt_buf body = { 0 };
	int rc;

	if (p->role != ROLE_FILE || p->has_result)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message out of place");
	p->has_result = true;
	fill_id(m, p->file, "file", &id);
	rc = tt_buf_text(&body, "\"outcome\":\"skipped\",\"kind\":", err);
	if (rc == TT_OK)
		rc = tt_result_text(&body, w->body, w->nbody, err);
	m->line.n = 0;
	if (rc == TT_OK)
		rc = tt_result_compose(&m->line, &id, body.p, body.n, err);
	tt_buf_free(&body);
	return rc == TT_OK ? put_line(m, err) : rc;
}

static int
message(struct many *m, struct proc *p, const struct tt_wire *w, int fd, struct tt_err *err)
{
	bool unpacker = p->role == ROLE_UNPACKER;

	p->heard_ns = now_ns();
	if (w->kind == TT_WIRE_MEMBER && unpacker)
		return new_member(m, p->arch, w, fd, err);
	if (fd >= 0)
		close(fd);
	switch (w->kind) {
	case TT_WIRE_ARCHIVE:
		return became_archive(m, p, err);
	case TT_WIRE_OTHER:
		return other_file(m, p, w, err);
	case TT_WIRE_MEMBER_END:
		return unpacker ? end_of_stream(m, p->arch, w, err) : TT_OK;
	case TT_WIRE_SAME:
		return same_capture(m, p, w, err);
	case TT_WIRE_RESULT:
		if (unpacker || p->has_result)
			return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message out of place");
		p->has_result = true;
		p->size = w->size;
		p->hash = w->hash;
		return take_text(&p->result, w->body, w->nbody, err);
	case TT_WIRE_COMPLAINT:
		say(m, "%.*s", (int)w->nbody, w->body);
		return TT_OK;
	case TT_WIRE_END:
		if (!unpacker)
			return TT_OK;
		p->arch->told_end = true;
		return take_text(&p->arch->record, w->body, w->nbody, err);
	case TT_WIRE_ALIVE:
		if (w->size > p->bytes && w->size <= file_of(m, p->file)->size) {
			m->sum.bytes += w->size - p->bytes;
			p->bytes = w->size;
		}
		return TT_OK;
	default:
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a message out of place");
	}
}

/* Take all messages there are. What a process says wrongly ends it, not the run. */
static int
listen_to(struct many *m, struct proc *p, struct tt_err *err)
{
	for (;;) {
		struct tt_err why = { 0 };
		struct tt_wire w;
		int fd, got;
		int rc = tt_wire_receive(p->sock, m->wire, &w, &fd, &got, &why);

		if (rc == TT_END || (rc == TT_OK && !got))
			return TT_OK;
		if (rc == TT_OK)
			rc = message(m, p, &w, fd, &why);
		if (rc == TT_E_DAMAGED) {
			kill(p->pid, SIGKILL);
			return TT_OK;
		}
		if (rc != TT_OK) {
			*err = why;
			return rc;
		}
	}
}

/* --- ends --------------------------------------------------------------------------------- */

/* A capture whose archive was damaged under it is damaged, however well its first part could be read. */
static int
mark_cut(struct tt_buf *body, const struct ready *r, struct tt_err *err)
{
	static const char ok[] = "\"outcome\":\"ok\"";
	struct tt_buf b = { 0 };
	size_t skip = sizeof ok - 1;
	int rc;

	if (body->n >= skip && memcmp(body->p, ok, skip) == 0) {
		rc = tt_one_failed(&b, "damaged", "damaged", r->cut.p, r->cut.n, err);
	} else {
		/* "failed", "damaged": the archive's reason stands beside the capture's own. */
		skip = 0;
		rc = TT_OK;
	}
	if (rc == TT_OK && body->n > skip)
		rc = tt_buf_add(&b, body->p + skip, body->n - skip, err);
	if (rc == TT_OK && skip == 0) {
		rc = tt_buf_text(&b, ",\"cut\":", err);
		if (rc == TT_OK)
			rc = tt_result_text(&b, r->cut.p, r->cut.n, err);
	}
	tt_buf_free(body);
	*body = b;
	return rc;
}

static int
member_ended(struct many *m, struct proc *p, struct tt_err *err)
{
	struct ready *r = p->what;
	struct arch *a = r->arch;
	struct tt_result_id id;
	int rc = TT_OK;

	fill_id(m, p->file, "capture", &id);
	id.key = r->key.p;
	id.nkey = r->key.n;
	id.size = r->size;
	id.hash = r->hash;
	id.has_content = r->ended;
	if (p->has_result && !r->ended) {
		/* Its unpacker died: what was read is not all of it. */
		p->result.n = 0;
		rc = tt_one_failed(&p->result, "failed", "interrupted", "its unpacker died", 17, err);
	} else if (!p->has_result) {
		p->result.n = 0;
		rc = put_death(m, p, &p->result, err);
	} else if (r->flags & TT_WIRE_CUT) {
		rc = mark_cut(&p->result, r, err);
	}
	if (rc == TT_OK && !(r->flags & TT_WIRE_STREAM) && p->has_result)
		rc = tt_buf_printf(&p->result, err, ",\"handed\":%llu", (unsigned long long)r->size);
	if (rc == TT_OK && !m->stopping)
		rc = capture_line(m, &id, &p->result, &a->said, err);
	a->underway--;
	a->busy[r->flags >> TT_WIRE_SLOT & 255] = 0;
	give_leave(m, a);
	free_proc(m, p);
	m->analysing--;
	if (rc == TT_OK && !m->stopping)
		rc = end_archive(m, a, err);
	return rc;
}

static int
unpacker_ended(struct many *m, struct proc *p, struct tt_err *err)
{
	struct arch *a = p->arch;
	int rc = TT_OK;

	if (!a->told_end && !m->stopping) {
		a->record.n = 0;
		rc = put_death(m, p, &a->record, err);
	}
	m->sum.bytes += file_of(m, p->file)->size - p->bytes;
	a->unpacker = NULL;
	m->unpacking--;
	free_proc(m, p);
	return rc == TT_OK && !m->stopping ? end_archive(m, a, err) : rc;
}

static int
file_ended(struct many *m, struct proc *p, struct tt_err *err)
{
	struct tt_result_id id;
	int rc = TT_OK;

	fill_id(m, p->file, "capture", &id);
	id.size = p->size;
	id.hash = p->hash;
	id.has_content = p->has_result && p->hash != 0;
	if (!p->has_result)
		rc = put_death(m, p, &p->result, err);
	if (rc == TT_OK && p->result.n > 0 && !m->stopping)
		rc = capture_line(m, &id, &p->result, &m->said, err);
	m->sum.bytes += file_of(m, p->file)->size - p->bytes;
	m->sum.files++;
	m->analysing--;
	free_proc(m, p);
	return rc;
}

static int
ended(struct many *m, struct proc *p, struct tt_err *err)
{
	if (p->role == ROLE_MEMBER) {
		/* A streamed capture is judged when its unpacker has said how it ended, or is gone. */
		if (p->has_result && !p->what->ended && p->what->arch->unpacker)
			return TT_OK;
		return member_ended(m, p, err);
	}
	return p->role == ROLE_UNPACKER ? unpacker_ended(m, p, err) : file_ended(m, p, err);
}

/* --- work ------------------------------------------------------------------------------------ */

static int
start_member(struct many *m, struct tt_err *err)
{
	struct ready *r = m->first;
	struct proc *p = new_proc(m, ROLE_MEMBER, r->arch->file, err);
	int rc;

	if (!p)
		return err->code;
	m->first = r->next;
	if (!m->first)
		m->last = &m->first;
	p->arch = r->arch;
	p->what = r;
	m->analysing++;
	rc = start(m, p, r->fd, r->key.p, r->key.n, (struct tt_shard){ 1, 1 }, err);
	close(r->fd);
	r->fd = -1;
	return rc;
}

/* Is it a zip, whose members shards share? The one look the parent takes: four bytes. */
static bool
is_zip(int fd)
{
	unsigned char p[4];

	return pread(fd, p, 4, 0) == 4 && p[0] == 'P' && p[1] == 'K' && (p[2] == 3 || p[2] == 5 || p[2] == 7);
}

/* A file that cannot be opened is a failed capture. */
static int
cannot_open(struct many *m, size_t i, int sys, struct tt_err *err)
{
	struct tt_buf body = { 0 };
	struct tt_result_id id;
	const char *why = strerrordesc_np(sys);
	int rc = tt_one_failed(&body, "failed", "io", why, strlen(why), err);

	fill_id(m, i, "capture", &id);
	if (rc == TT_OK)
		rc = capture_line(m, &id, &body, &m->said, err);
	tt_buf_free(&body);
	m->sum.files++;
	m->sum.bytes += file_of(m, i)->size;
	return rc;
}

static int
start_file(struct many *m, struct tt_err *err)
{
	size_t i = m->next_file++;
	const struct tt_many_file *f = file_of(m, i);
	size_t n = strlen(f->key);
	bool owned = tt_shard_owns(&m->o->shard, f->key, n);
	struct tt_shard shard = { 1, 1 };
	struct proc *p;
	int fd, rc;

	if (owned && !m->o->verify && m->o->done && m->o->done(m->o->arg, i, f->key, n, NULL)) {
		m->sum.same++;
		m->sum.files++;
		m->sum.bytes += f->size;
		return TT_OK;
	}
	fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return owned ? cannot_open(m, i, errno, err) : TT_OK;
	if (m->o->shard.count > 1 && is_zip(fd)) {
		shard = m->o->shard;
	} else if (!owned) {
		close(fd);
		m->sum.files++;
		m->sum.bytes += f->size;
		return TT_OK;
	}
	p = new_proc(m, ROLE_FILE, i, err);
	if (!p) {
		close(fd);
		return err->code;
	}
	p->parts = shard.count > 1 ? shard.count : 0;
	m->analysing++;
	rc = start(m, p, fd, f->key, n, shard, err);
	close(fd);
	return rc;
}

/* Is a processor free? An unpacker needs one, unless it waits: for leave, or for who reads what it writes. */
static bool
has_room(const struct many *m)
{
	unsigned busy = m->analysing;

	for (const struct proc *p = m->procs; p; p = p->next)
		busy += p->role == ROLE_UNPACKER && p->arch->leave > 0 && !p->arch->streams;
	return busy < m->o->jobs;
}

/* May one more archive be opened? Any file may turn out to be one. */
static bool
may_open(const struct many *m)
{
	unsigned open = m->unpacking;

	for (const struct proc *p = m->procs; p; p = p->next)
		open += p->role == ROLE_FILE;
	return m->next_file < m->o->nfile && open < m->o->jobs;
}

/*
 * Captures at hand first, for they hold memory; then the next file. No more processes than there are jobs: beside
 * others the one that unpacks the largest archive would have but its share of a processor, and the run would end with
 * that process alone.
 */
static int
start_work(struct many *m, struct tt_err *err)
{
	int rc = TT_OK;

	while (rc == TT_OK && (m->first || may_open(m)) && has_room(m))
		rc = m->first ? start_member(m, err) : start_file(m, err);
	return rc;
}

/* Stop what takes too long. An unpacker that waits for leave is not late. */
static void
check_times(struct many *m, int64_t now)
{
	for (struct proc *p = m->procs; p; p = p->next) {
		bool waits = p->role == ROLE_UNPACKER && p->arch->leave == 0;

		if (p->exited)
			continue;
		if (p->kill_ns && now - p->kill_ns > KILL_AFTER_NS)
			kill(p->pid, SIGKILL);
		if (p->kill_ns || waits || m->o->capture_ns == 0 || now - p->heard_ns <= m->o->capture_ns)
			continue;
		p->timeout = true;
		p->kill_ns = now;
		kill(p->pid, SIGTERM);
	}
}

static int
wait_for_news(struct many *m, struct tt_err *err)
{
	size_t n = 0;

	if (tt_mem_grow(&m->env->mem, &m->poll, &m->cappoll, 2 * m->nproc + 1, sizeof *m->poll, err) != TT_OK)
		return err->code;
	for (struct proc *p = m->procs; p; p = p->next) {
		m->poll[n++] = (struct pollfd){ .fd = p->exited ? -1 : p->sock, .events = POLLIN };
		m->poll[n++] = (struct pollfd){ .fd = p->exited ? -1 : p->pidfd, .events = POLLIN };
	}
	if (poll(m->poll, n, TICK_MS) < 0 && errno != EINTR)
		return tt_fail_sys(err, errno, "cannot wait for processes");
	return TT_OK;
}

/* What a process that has exited still had to say, and its status. */
static int
reap(struct many *m, struct proc *p, struct tt_err *err)
{
	siginfo_t info;
	int rc;

	if (waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
		return TT_OK;
	rc = listen_to(m, p, err);
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	p->exited = true;
	return rc;
}

static int
hear_all(struct many *m, struct tt_err *err)
{
	size_t n = 0;
	int rc = TT_OK;

	/* New processes come to the front of the list: those polled are what was there, in its order. */
	for (struct proc *p = m->procs; p && rc == TT_OK; p = p->next, n += 2) {
		if (m->poll[n].revents & (POLLIN | POLLHUP | POLLERR))
			rc = listen_to(m, p, err);
		if (rc == TT_OK && m->poll[n + 1].revents)
			rc = reap(m, p, err);
	}
	/* Unpackers last: the ends of their streams come with them. */
	for (int pass = 0; pass < 2 && rc == TT_OK; pass++) {
		for (struct proc *p = m->procs, *next; p && rc == TT_OK; p = next) {
			next = p->next;
			if (p->exited)
				rc = ended(m, p, err);
		}
	}
	return rc;
}

static void
tick(struct many *m)
{
	int64_t now = now_ns();

	check_times(m, now);
	if (!m->o->tick || now - m->tick_ns < TICK_MS * INT64_C(1000000))
		return;
	m->tick_ns = now;
	m->sum.running = m->analysing;
	m->o->tick(m->o->arg, &m->sum);
}

/* End everything that runs, and wait for it. */
static void
stop_all(struct many *m)
{
	int64_t begun = now_ns();

	m->stopping = true;
	for (struct proc *p = m->procs; p; p = p->next)
		kill(p->pid, SIGTERM);
	while (m->procs) {
		int status;
		struct proc *p = m->procs;
		struct pollfd wait = { .fd = p->pidfd, .events = POLLIN };

		if (p->exited || p->pidfd < 0 || poll(&wait, 1, 20) != 0 || now_ns() - begun > KILL_AFTER_NS / 10) {
			if (!p->exited) {
				kill(p->pid, SIGKILL);
				while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
					;
			}
			free_proc(m, p);
		}
	}
	while (m->first) {
		struct ready *r = m->first;

		m->first = r->next;
		free_ready(m, r);
	}
}

int
tt_many(struct tt_env *env, const struct tt_many_opts *o, struct tt_many_sum *sum, struct tt_err *err)
{
	struct many m = { .env = env, .o = o };
	int rc = TT_OK;

	m.last = &m.first;
	m.wire = tt_mem_alloc(&env->mem, TT_WIRE_MAX, err);
	if (!m.wire)
		return err->code;
	for (size_t i = 0; i < o->nfile; i++)
		m.sum.total += o->file[i].size;
	while (rc == TT_OK) {
		rc = tt_stopped(env) ? tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped") : start_work(&m, err);
		if (rc != TT_OK || m.nproc == 0)
			break;
		rc = wait_for_news(&m, err);
		if (rc == TT_OK)
			rc = hear_all(&m, err);
		tick(&m);
	}
	stop_all(&m);
	say_rest(&m, &m.said, "files");
	tt_buf_free(&m.line);
	tt_mem_free(&env->mem, m.poll, m.cappoll * sizeof *m.poll);
	tt_mem_free(&env->mem, m.wire, TT_WIRE_MAX);
	*sum = m.sum;
	return rc;
}
