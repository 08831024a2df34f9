/* Tests of formats/recorder/core/pass.c and limit.c: bytes on the disk, size limits, the flight recorder. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "record_kit.h"

/* What fsync() was asked for: all that is written, file by file, and a sink that cannot do it is left alone. */
TEST(what_is_written_is_brought_to_the_disk)
{
	struct rec_options o = { .path = check_path("p.ttc"), .overwrite = true, .chunk = 4096, .poll_ms = 1, .part_ms = 5, .rotate_size = 50000,
		.rotate_keep = 2 };
	struct rec_stats s;

	for (int to = 0; to < 3; to++) {
		uint64_t begin = 0, key;
		o.no_sync = to == 1;
		o.path = to == 2 ? "/dev/null" : check_path("p.ttc");
		if (to == 2)
			o.rotate_size = 0;
		if (!CHECK_EQ_INT(rec_open(&o, why), 0))
			return;
		key = rec_def_marker(0, 1, 0, "m");
		for (rec_stats(&s); s.files < 3 && begin < 20000; rec_stats(&s), begin++) {
			for (int i = 0; i < 50; i++) {
				rec_begin(rec_thread(), rec_now(), key);
				rec_end(rec_thread(), rec_now(), key);
			}
			usleep(100);
		}
		CHECK_EQ_INT(rec_flush(PATIENCE_MS), 0);
		rec_stats(&s);
		for (int i = 0; to == 0 && s.synced_b < s.written_b && i < PATIENCE_MS; i++, rec_stats(&s))
			usleep(1000);
		CHECK_EQ_INT(s.synced_b, to == 0 ? s.written_b : 0);
		CHECK_EQ_INT(s.error, 0);
		CHECK_EQ_INT(rec_close(why), 0);
	}
}

TEST(size_limit_ends_the_capture_below_it)
{
	struct rec_options o = {
		.path = check_path("m.ttc"), .ring = 2u << 20, .max_size = 500000, .poll_ms = 1
	};
	struct rec_stats s;
	struct ttc_result r;
	struct stat st;
	uint64_t key[10];

	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	struct maker m = { .n = 300000, .key = key };
	make_events(&m);
	/* Recording is off before the writer says why. */
	rec_stats(&s);
	for (int i = 0; i < PATIENCE_MS && s.finish == 0; i++, rec_stats(&s))
		usleep(1000);
	CHECK(!s.on);
	CHECK_EQ_INT(s.finish, TTC_F_MAX_SIZE);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK(stat(o.path, &st) == 0 && st.st_size <= 500000 && st.st_size > 300000);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.end_mark, 1);
	CHECK_EQ_INT(r.loss.e[TT_LOST_STOPPED].n, 1);
}

enum { TURN = 64, PACES = 4 };

static struct { _Atomic unsigned turn; uint64_t key, base; } paced;

/* Threads take turns of 64 steps. Every step has a zone of the first thread, every second one of the second thread, every fourth one of the third, ... */
static void *
make_paced(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	struct rec_thread *t = rec_thread();

	for (uint64_t step = 0; rec_on(); step += TURN) {
		while (rec_on() && atomic_load(&paced.turn) % PACES != me)
			sched_yield();
		for (uint64_t i = step; i < step + TURN; i++)
			if (i % (1u << me) == 0) {
				rec_begin(t, paced.base + i * 10, paced.key);
				rec_end(t, paced.base + i * 10 + 5, paced.key);
			}
		atomic_fetch_add(&paced.turn, 1);
	}
	return NULL;
}

/* At the limit all threads end at one time, however many events each has, and from the least limit on there are some of each. */
TEST(size_limit_ends_all_threads_at_one_time)
{
	for (uint64_t max = 64u << 10; max <= 1024u << 10; max *= 2) {
		struct rec_options o = { .path = check_path("me.ttc"), .overwrite = true, .max_size = max, .poll_ms = 1, .part_ms = 60000 };
		struct ttc_result r;
		struct stat st;
		pthread_t id[PACES];
		uint64_t most = 0;

		if (!opened(&o))
			return;
		paced.key = rec_def_marker(0, 1, 0, "m");
		paced.base = rec_now();
		atomic_store(&paced.turn, 0);
		for (uintptr_t i = 0; i < PACES; i++)
			pthread_create(&id[i], NULL, make_paced, (void *)i);
		for (int i = 0; i < PACES; i++)
			pthread_join(id[i], NULL);
		CHECK_EQ_INT(rec_close(why), 0);
		CHECK(stat(o.path, &st) == 0 && st.st_size <= (off_t)max && st.st_size > (off_t)max / 2);
		ttc_read(o.path, NULL, 0, 0, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.end_mark, 1);
		CHECK_EQ_INT(r.loss.e[TT_LOST_STOPPED].n, 1);
		CHECK_EQ_INT(r.loss.e[TT_LOST_DROPPED].n, 0);
		for (uint64_t i = 0; i < r.threads; i++)
			most = r.sum[i].zones > most ? r.sum[i].zones : most;
		/* A thread's zones are those of all steps up to the last one, but for a turn and a few records that are cut together. */
		unsigned ends = 0;
		for (unsigned pace = 0; pace < PACES; pace++)
			for (uint64_t i = 0; i < r.threads; i++)
				ends += llabs((long long)(r.sum[i].zones << pace) - (long long)most) <= TURN + (16 << pace);
		if (!CHECK_EQ_INT(ends, PACES))
			for (uint64_t i = 0; i < r.threads; i++)
				printf("  %llu zones\n", (unsigned long long)r.sum[i].zones);
	}
}

/* Where the limit comes among the names of a game: the last of them had no room, and the end has. */
TEST(size_limit_may_come_among_definitions)
{
	for (uint64_t max = 64u << 10; max < 80u << 10; max += 1021) {
		struct rec_options o = { .path = check_path("md.ttc"), .overwrite = true, .ring = 4u << 20, .max_size = max, .poll_ms = 1 };
		struct ttc_result r;
		struct stat st;
		char name[200];

		if (!opened(&o))
			return;
		for (int i = 0; i < 3000; i++) {
			snprintf(name, sizeof name, "marker %d with the long name of some method of some class", i);
			rec_def_marker(0, 1, 0, name);
		}
		rec_begin(rec_thread(), rec_now(), rec_def_marker(0, 1, 0, "m"));
		rec_flush(PATIENCE_MS);
		CHECK_EQ_INT(rec_close(why), 0);
		CHECK(stat(o.path, &st) == 0 && st.st_size <= (off_t)max && st.st_size > (off_t)max / 2);
		ttc_read(o.path, NULL, 0, 0, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.end_mark, 1);
		CHECK_EQ_INT(r.loss.e[TT_LOST_STOPPED].n, 1);
	}
}

static pthread_barrier_t turn;

/* Turns of a chunk or two, so that chunks of all threads stand side by side. */
static void *
make_in_turns(void *arg)
{
	for (int i = 0; i < 25; i++) {
		pthread_barrier_wait(&turn);
		make_events(arg);
	}
	return NULL;
}

/* Where the limit comes while a flight recorder writes, threads that had no chunk in the file yet are not missing. */
TEST(size_limit_of_a_flight_recorder_is_no_damage)
{
	for (uint64_t max = 64u << 10; max < 90u << 10; max += 5003) {
		struct rec_options o = { .path = check_path("mf.ttc"), .overwrite = true, .ring = 1u << 20, .chunk = 4096, .max_size = max,
			.keep_ms = 60000, .poll_ms = 1 };
		struct maker m[20] = { 0 };
		struct ttc_result r;
		pthread_t id[20];
		uint64_t key[10];

		if (!opened(&o))
			return;
		ttc_keys(key, 10);
		pthread_barrier_init(&turn, NULL, 20);
		for (int i = 0; i < 20; i++) {
			m[i].n = 250;
			m[i].key = key;
			pthread_create(&id[i], NULL, make_in_turns, &m[i]);
		}
		for (int i = 0; i < 20; i++)
			pthread_join(id[i], NULL);
		pthread_barrier_destroy(&turn);
		CHECK_EQ_INT(rec_close(why), 0);
		ttc_read(o.path, NULL, 0, 0, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.loss.e[TT_LOST_STOPPED].n, 1);
	}
}

TEST(flight_recorder_keeps_the_last_part_and_all_names)
{
	struct rec_options o = {
		.path = check_path("f.ttc"), .overwrite = true, .ring = 1u << 20, .chunk = 4096, .keep_ms = 60000, .poll_ms = 1
	};
	struct ttc_result r;
	struct stat st;
	uint64_t key[10];

	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	struct rec_thread *t = rec_thread();
	rec_begin(t, rec_now(), key[9]);
	struct maker m = { .n = 20000, .key = key };
	for (int i = 0; i < 20; i++) {
		make_events(&m);
		usleep(5000);
	}
	CHECK(stat(o.path, &st) == 0 && st.st_size < 20000);
	rec_dump();
	CHECK_EQ_INT(rec_flush(PATIENCE_MS), 0);
	CHECK(stat(o.path, &st) == 0 && st.st_size > 300000);
	for (int i = 0; i < 20; i++) {
		make_events(&m);
		usleep(5000);
	}
	/* Ends are events, too: those below need room, which the writer makes when it gets to run. */
	struct rec_stats room;
	for (rec_stats(&room); room.free < room.total / 8; rec_stats(&room))
		usleep(1000);
	m.n = 1;
	make_events(&m);
	rec_end(t, rec_now(), key[9]);
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, key[9], &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.end_mark, 1);
	CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], 10);
	CHECK_EQ_INT(r.all.open, 0);
	CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
	CHECK(r.all.events > 50000 && r.all.events < m.made);
	CHECK(r.gaps >= 1);
}
