/* Tests of formats/recorder/core/ring.c: full rings drop whole events, pauses record nothing. */
#include "check.h"

#include <pthread.h>

#include "record_kit.h"

/* --- dropping --------------------------------------------------------------------------- */

/* What two threads make at full speed is written or counted as dropped, exactly. */
static void
drops_at(long rate, unsigned long n)
{
	struct rec_options o = {
		.path = check_path("r.ttc"), .overwrite = true, .ring = 2u << 20, .chunk = 16u << 10, .write = slow_write
	};
	struct maker m[2] = { 0 };
	struct ttc_result r;
	pthread_t id[2];
	uint64_t key[10], made = 0;

	sink_rate = -1;
	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	sink_rate = rate;
	for (int i = 0; i < 2; i++) {
		m[i].n = n;
		m[i].key = key;
		pthread_create(&id[i], NULL, make_events, &m[i]);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(id[i], NULL);
		made += m[i].made;
	}
	sink_rate = -1;
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, key[9], &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.all.events + r.loss.e[TT_LOST_DROPPED].n, made);
	CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
	CHECK_STR(r.text, "Marker 9 \xc3\xa9");
	printf("sink %ld B/s: %" PRIu64 " made, %" PRIu64 " written, %" PRIu64 " dropped, %" PRIu64 " gaps\n",
	    rate, made, r.all.events, r.loss.e[TT_LOST_DROPPED].n, r.gaps);
	if (rate == 0)
		CHECK(r.loss.e[TT_LOST_DROPPED].n > 0);
}

TEST(full_ring_drops_whole_events_and_counts_each)
{
	drops_at(0, 400000 / CHECK_SLOW);
	drops_at(1 << 20, 400000 / CHECK_SLOW);
	drops_at(20 << 20, 400000 / CHECK_SLOW);
	drops_at(-1, 400000 / CHECK_SLOW);
}

/* After drops the zones that are open are known again. */
TEST(zones_open_while_events_were_dropped_are_open_behind_it)
{
	struct rec_options o = {
		.path = check_path("r.ttc"), .overwrite = true, .ring = 1u << 20, .chunk = 4096, .write = slow_write
	};
	uint64_t key[10], made = 0;
	struct ttc_result r;

	sink_rate = -1;
	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	struct rec_thread *t = rec_thread();
	rec_begin(t, rec_now(), key[2]);
	rec_begin(t, rec_now(), key[3]);
	made = 2;
	CHECK_EQ_INT(rec_flush(PATIENCE_MS), 0);
	sink_rate = 0;
	for (int i = 0; i < 400000; i++, made += 2) {
		rec_begin(t, rec_now(), key[4]);
		rec_end(t, rec_now(), key[4]);
	}
	rec_end(t, rec_now(), key[3]);       /* dropped */
	rec_begin(t, rec_now(), key[5]);     /* dropped */
	sink_rate = -1;
	made += 2;
	CHECK_EQ_INT(rec_flush(PATIENCE_MS), 0);
	rec_begin(t, rec_now(), key[6]);
	rec_end(t, rec_now(), key[6]);
	rec_end(t, rec_now(), key[5]);
	rec_end(t, rec_now(), key[2]);
	made += 4;
	rec_close(why);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK(r.gaps >= 1);
	CHECK_EQ_INT(r.all.open, 0);
	CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
	CHECK_EQ_INT(r.all.events + r.loss.e[TT_LOST_DROPPED].n, made);
}

/* --- pauses ----------------------------------------------------------------------------------- */

TEST(nothing_is_recorded_in_a_pause_and_nothing_stands_open_behind_it)
{
	struct rec_options o = { .path = check_path("p.ttc"), .overwrite = true, .late = true };
	struct ttc_result r;
	uint64_t key[10];

	if (!opened(&o))
		return;
	ttc_keys(key, 9);
	struct rec_thread *t = rec_thread();
	rec_begin(t, rec_now(), key[2]);
	rec_begin(t, rec_now(), key[3]);
	rec_pause();
	rec_begin(t, rec_now(), key[4]);
	rec_single(t, rec_now(), key[4], NULL, 0);
	rec_end(t, rec_now(), key[4]);
	rec_end(t, rec_now(), key[3]);
	key[9] = rec_def_marker(0, 0, 0, "defined in a pause");
	rec_resume();
	rec_end(t, rec_now(), key[2]);
	rec_begin(t, rec_now(), key[9]);
	rec_end(t, rec_now(), key[9]);
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, key[9], &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.all.events, 4);
	CHECK_EQ_INT(r.loss.e[TT_LOST_DROPPED].n, 0);
	CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
	CHECK_EQ_INT(r.gaps, 1);
	CHECK_STR(r.text, "defined in a pause");
}

TEST(pauses_while_threads_record_tear_nothing)
{
	struct rec_options o = { .path = check_path("p.ttc"), .overwrite = true, .late = true, .chunk = 4096, .poll_ms = 1, .part_ms = 1 };
	struct maker m[3] = { 0 };
	struct ttc_result r;
	pthread_t id[3];
	uint64_t key[10], made = 0;

	if (!opened(&o))
		return;
	ttc_keys(key, 10);
	for (int i = 0; i < 3; i++) {
		m[i].n = 1000000 / CHECK_SLOW;
		m[i].key = key;
		pthread_create(&id[i], NULL, make_events, &m[i]);
	}
	for (int i = 0; i < 100; i++) {
		rec_pause();
		rec_resume();
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(id[i], NULL);
		made += m[i].made;
	}
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
	CHECK(r.all.events + r.loss.e[TT_LOST_DROPPED].n <= made);
	CHECK(r.all.events > 0);
}
