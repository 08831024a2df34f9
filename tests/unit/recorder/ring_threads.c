/* Tests of recorded threads: many that come and go, ids that are used again, forked children. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "record_kit.h"

/* --- coming and going ------------------------------------------------------------------------------ */

static _Atomic bool stop_all;

static void *
busy_thread(void *arg)
{
	const uint64_t *key = arg;
	uint64_t text = 1;
	struct rec_value v = { .type = TTC_TEXT8, .size = 8, .p = &text };

	while (!stop_all) {
		struct rec_thread *t = rec_thread();
		if (!t) {
			usleep(100);
			continue;
		}
		for (int i = 0; i < 200; i++) {
			rec_begin(t, rec_now(), key[2]);
			rec_single(t, rec_now(), key[4], &v, 1);
			rec_label(t, rec_now(), key[1], 0, &v, NULL, 0);
			rec_alloc(t, rec_now(), key[0], 8);
			rec_end(t, rec_now(), key[1]);
			rec_end(t, rec_now(), key[2]);
			rec_flow(t, rec_now(), 1, 5);
			text = 0x20202020u + (unsigned)i % 50;
		}
		rec_def_marker(0, 1, 0, "another");
		rec_meta("key", "value");
		usleep(20);
	}
	return NULL;
}

TEST(starting_and_stopping_under_load_leaves_nothing)
{
	struct rec_options o = { .path = check_path("s.ttc"), .overwrite = true, .ring = 1u << 20, .chunk = 4096, .poll_ms = 1 };
	unsigned cycles = (check_long() ? 1000u : 60u) / check_slow(), bad = 0;
	static const uint64_t key[] = { 1, 2, 3, 4, 5 };
	struct ttc_result r;
	pthread_t id[3];

	stop_all = false;
	for (int i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, busy_thread, (void *)(uintptr_t)key);
	for (unsigned i = 0; i < cycles; i++) {
		if (!opened(&o))
			break;
		usleep(1000 + i % 7 * 300);
		bad += rec_close(why) != 0;
		if (i % 10 == 0) {
			ttc_read(o.path, NULL, 0, 0, &r);
			bad += damage(&r) > 0 || r.end_mark != 1;
			if (damage(&r))
				printf("cycle %u: %" PRIu64 " damaged\n", i, damage(&r));
		}
	}
	stop_all = true;
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	CHECK_EQ_INT(bad, 0);
	CHECK_EQ_INT(rings(), 0);
}

static void *
short_thread(void *arg)
{
	const uint64_t *key = arg;
	struct rec_thread *t = rec_thread();

	for (int i = 0; t && i < 3; i++) {
		rec_begin(t, rec_now(), key[2]);
		rec_end(t, rec_now(), key[2]);
	}
	return NULL;
}

TEST(many_threads_come_and_go)
{
	struct rec_options o = {
		.path = check_path("t.ttc"), .ring = 1u << 20, .chunk = 4096, .poll_ms = 1, .threads = 40
	};
	unsigned n = (check_long() ? 10000u : 1000u) / check_slow();
	uint64_t key[10];
	struct rec_stats s;
	struct ttc_result r;

	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	for (unsigned i = 0; i < n; i += 10) {
		pthread_t id[10];
		for (int k = 0; k < 10; k++)
			pthread_create(&id[k], NULL, short_thread, key);
		for (int k = 0; k < 10; k++)
			pthread_join(id[k], NULL);
		for (rec_stats(&s); s.free < s.total / 2; rec_stats(&s))
			usleep(500);
		/* Places in the table are free again. */
		CHECK_EQ_INT(rec_flush(PATIENCE_MS), 0);
	}
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.all.events + r.loss.e[TT_LOST_DROPPED].n, 6 * n);
	CHECK_EQ_INT(r.loss.e[TT_LOST_DROPPED].n, 0);
}

/* --- one id, two threads ------------------------------------------------------------------- */

/*
 * The writer has taken what is sealed and is writing it when a thread ends and another begins under the same id. Of the
 * second nothing may stand in the file before the end of the first.
 */
static struct {
	uint64_t key[12], native[2];
	pthread_t first;
	_Atomic int step;             /* 1: the writer is to stop within a pass, 2: it has, 3: it may go on */
	pthread_barrier_t begun, end;
} heirs;

static long
stopping_write(void *arg, int fd, const void *p, size_t n)
{
	(void)arg;
	if (heirs.step == 1 && n > 7000) {        /* a chunk that is sealed: those come first in a pass */
		heirs.step = 2;
		while (heirs.step != 3)
			usleep(100);
	}
	return plat_write(fd, p, n);
}

static void *
heir(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;
	struct rec_thread *t = rec_thread();

	heirs.native[i] = plat_thread_self();
	rec_begin(t, rec_now(), heirs.key[3 + i]);
	pthread_barrier_wait(&heirs.begun);
	pthread_barrier_wait(&heirs.end);
	rec_end(t, rec_now(), heirs.key[3 + i]);
	return NULL;
}

TEST(a_thread_that_inherits_an_id_is_written_behind_its_forerunner)
{
	struct rec_options o = { .path = check_path("h.ttc"), .ring = 8u << 20, .chunk = 8192, .part_ms = 1,
		.write = stopping_write };
	struct maker m = { .n = 2000, .key = heirs.key };
	struct ttc_result r;
	pthread_t second;

	pthread_barrier_init(&heirs.begun, NULL, 2);
	pthread_barrier_init(&heirs.end, NULL, 2);
	if (!opened(&o))
		return;
	ttc_keys(heirs.key, 12);
	pthread_create(&heirs.first, NULL, heir, (void *)0);
	pthread_barrier_wait(&heirs.begun);
	rec_flush(PATIENCE_MS);
	heirs.step = 1;
	/* On a slow machine most of a chunk is written as parts before it is full: so until one is not. */
	while (heirs.step != 2)
		make_events(&m);
	pthread_barrier_wait(&heirs.end);
	pthread_join(heirs.first, NULL);
	pthread_create(&second, NULL, heir, (void *)1);
	pthread_barrier_wait(&heirs.begun);
	heirs.step = 3;
	rec_flush(PATIENCE_MS);
	pthread_barrier_wait(&heirs.end);
	pthread_join(second, NULL);
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.strays, 0);
	if (heirs.native[0] != heirs.native[1])
		printf("the system gave no id twice\n");
}

/* --- definitions ----------------------------------------------------------------------------------- */

static _Atomic int nheld, nreleased;
static _Atomic bool no_more_names;

/* What a busy machine does to a thread: it stands still anywhere in the recorder. */
static void
stand_still(int number)
{
	int n = ++nheld;

	(void)number;
	while (nreleased < n)
		sched_yield();
}

static void *
define_long_names(void *arg)
{
	char name[4000];

	(void)arg;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	for (int i = 0; i < 5000 && !no_more_names; i++)
		rec_def_marker(0, 1, 0, name);
	while (!no_more_names)
		usleep(100);
	return NULL;
}

TEST(a_counter_has_its_name_whatever_another_thread_is_in_the_middle_of)
{
	struct rec_options o = { .path = check_path("n.ttc"), .overwrite = true, .ring = 64u << 20 };
	struct sigaction a = { .sa_handler = stand_still };
	struct ttc_result r;
	pthread_t id;

	if (!opened(&o))
		return;
	sigaction(SIGUSR1, &a, NULL);
	no_more_names = false;
	pthread_create(&id, NULL, define_long_names, NULL);
	nheld = nreleased = 0;
	for (int i = 1; i <= 300; i++) {
		pthread_kill(id, SIGUSR1);
		while (nheld < i)
			sched_yield();
		rec_def_counter(rec_def_marker(0, 1, 0, "a counter"), 3, "a counter", "a section");
		nreleased = i;
		usleep(20);
	}
	no_more_names = true;
	pthread_join(id, NULL);
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.ndef[TT_DEF_COUNTER], 300);
	CHECK_EQ_INT(r.nameless_counters, 0);
}

TEST(a_forked_child_records_nothing_and_spoils_nothing)
{
	struct rec_options o = { .path = check_path("c.ttc"), .ring = 1u << 20, .chunk = 16384 };
	struct ttc_result r;
	uint64_t key[10];
	int status;

	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	struct rec_thread *t = rec_thread();
	rec_begin(t, rec_now(), key[2]);
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 100000; i++) {
			rec_begin(t, rec_now(), key[3]);
			rec_end(t, rec_now(), key[3]);
		}
		rec_end(t, rec_now(), key[2]);
		rec_def_marker(0, 1, 0, "child");
		short_thread(key);
		bool on = rec_on();
		_exit(on || rec_close(why) != 0 || rec_open(&o, why) == 0);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);
	rec_end(t, rec_now(), key[2]);
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.all.events, 2);
	CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], 10);
}
