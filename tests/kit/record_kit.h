/**
 * What tests of the recorders' core share: opening a recording, a slow sink, threads that record, damage that the reader reports.
 */
#ifndef TT_TESTS_RECORD_KIT_H
#define TT_TESTS_RECORD_KIT_H

#include "check.h"
#include "ttc_kit.h"

/* What is waited for comes at once, but where the machine does something else. */
enum { PATIENCE_MS = 60000 };

static char why[256];

static inline bool
opened(const struct rec_options *o)
{
	int rc = rec_open(o, why);

	if (rc != 0)
		printf("rec_open: %s\n", why);
	return CHECK_EQ_INT(rc, 0);
}

static inline uint64_t
damage(const struct ttc_result *r)
{
	return r->loss.e[TT_LOST_CUT].n + r->loss.e[TT_LOST_SYNC].n + r->loss.e[TT_LOST_DAMAGED].n +
	    r->loss.e[TT_LOST_MISSING].n + r->loss.e[TT_LOST_FILES].n + r->loss.e[TT_LOST_UNKNOWN].n + (r->rc != TT_OK);
}

/* The ring files of this process in /dev/shm. */
static inline unsigned
rings(void)
{
	char mine[40];
	unsigned n = 0;
	DIR *d = opendir("/dev/shm");
	struct dirent *e;

	snprintf(mine, sizeof mine, "tracetool-%d-", (int)getpid());
	while (d && (e = readdir(d)))
		n += strncmp(e->d_name, mine, strlen(mine)) == 0;
	if (d)
		closedir(d);
	return n;
}

/* A sink of so many bytes a second; 0: none at all until it is let go. */
static _Atomic long sink_rate;

static inline long
slow_write(void *arg, int fd, const void *p, size_t n)
{
	(void)arg;
	long rate = sink_rate;
	size_t some = n < 16384 ? n : 16384;

	if (rate == 0) {
		while ((rate = sink_rate) == 0)
			usleep(1000);
	}
	if (rate > 0)
		usleep((useconds_t)(some * 1000000 / (size_t)rate));
	return plat_write(fd, p, rate < 0 ? n : some);
}

struct maker { uint64_t made, native, bytes; unsigned long n; const uint64_t *key; };

static inline void *
make_events(void *arg)
{
	struct maker *m = arg;
	struct rec_thread *t = rec_thread();

	if (!t)
		return NULL;
	m->native = plat_thread_self();
	uint64_t bytes = 7;
	struct rec_value v = { .type = TTC_U64, .size = 8, .p = &bytes };
	for (unsigned long i = 0; i < m->n; i++) {
		rec_begin(t, rec_now(), m->key[2 + i % 5]);
		rec_begin_args(t, rec_now(), m->key[9], &v, 1);
		rec_alloc(t, rec_now(), m->key[0], 40);
		rec_end(t, rec_now(), m->key[9]);
		rec_end(t, rec_now(), m->key[2 + i % 5]);
		m->made += 5;
		m->bytes += 40;
	}
	return NULL;
}

#endif
