/* Tests of formats/recorder/core/ring.c and formats/recorder/core/chunk_write.c: full rings, kills, full disks, forks, many threads. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "ttc_kit.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOW 4
#else
#define SLOW 1
#endif

/* What is waited for comes at once, but where the machine does something else. */
enum { PATIENCE_MS = 60000 };

static char why[256];

static bool
opened(const struct rec_options *o)
{
	int rc = rec_open(o, why);

	if (rc != 0)
		printf("rec_open: %s\n", why);
	return CHECK_EQ_INT(rc, 0);
}

static uint64_t
damage(const struct ttc_result *r)
{
	return r->loss.e[TT_LOST_CUT].n + r->loss.e[TT_LOST_SYNC].n + r->loss.e[TT_LOST_DAMAGED].n +
	    r->loss.e[TT_LOST_MISSING].n + r->loss.e[TT_LOST_UNKNOWN].n + (r->rc != TT_OK);
}

/* The ring files of this process in /dev/shm. */
static unsigned
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

/* --- what tests share ------------------------------------------------------------------------ */

/* A sink of so many bytes a second; 0: none at all until it is let go. */
static _Atomic long sink_rate;

static long
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

static pthread_barrier_t turn;

struct maker { uint64_t made, native, bytes; unsigned long n; const uint64_t *key; };

static void *
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

/*
 * Those that record in a forked child come first: a child of a process that has recorded itself records
 * nothing.
 */

/* --- killed ---------------------------------------------------------------------------------- */

/*
 * A child records counters 1, 2, 3, ... on two threads and notes in shared memory the last one whose
 * function has returned. It is killed at a random time; every noted one must be read, in one piece with
 * those before.
 */
struct shared { _Atomic uint64_t done[2]; _Atomic bool ready; };

static struct shared *share;
static uint64_t kill_key[12];

static void *
count_up(void *arg)
{
	size_t k = (size_t)(uintptr_t)arg;
	struct rec_thread *t = rec_thread();

	if (!t)
		return NULL;
	for (uint64_t i = 1;; i++) {
		struct rec_value v = { .type = TTC_U64, .size = 8, .p = &i };
		rec_begin(t, rec_now(), kill_key[3 + k]);
		rec_counter(t, rec_now(), kill_key[10 + k], &v);
		rec_end(t, rec_now(), kill_key[3 + k]);
		atomic_store(&share->done[k], i);
		/* Not so fast that events are dropped: this test is about those that were not. */
		if (i % 256 == 0) {
			struct rec_stats s;
			for (rec_stats(&s); s.free < s.total / 3; rec_stats(&s))
				usleep(200);
		}
	}
}

static void
child(const struct rec_options *o)
{
	pthread_t id;

	if (rec_open(o, why) != 0)
		_exit(9);
	ttc_keys(kill_key, 12);
	/* What a thread has said long ago, in a chunk it has not filled since. */
	struct rec_thread *idle = rec_thread_extra();
	rec_begin(idle, rec_now(), kill_key[3]);
	rec_end(idle, rec_now(), kill_key[3]);
	atomic_store(&share->ready, true);
	pthread_create(&id, NULL, count_up, NULL);
	count_up((void *)1);
	_exit(8);
}

/* Some twenty; ten times as many, where this process was not let run when it had to kill. ttc_recover() takes as many. */
enum { FILES = 800 };

/* The files of the recording, after a run; with ${take} they are removed. */
static size_t
files_of(const char *path[FILES], bool take)
{
	static char name[FILES][200];
	size_t n = 0;

	for (; n < FILES; n++) {
		char file[40];
		snprintf(file, sizeof file, n ? "k.%zu.ttc" : "k.ttc", n);
		snprintf(name[n], sizeof name[n], "%s", check_path(file));
		if (access(name[n], R_OK) != 0 || (take && remove(name[n]) != 0))
			break;
		path[n] = name[n];
	}
	return n;
}

static void
kills(unsigned n, bool slow)
{
	unsigned lost = 0, torn = 0, from_ring = 0, unlike = 0;
	uint64_t seed = 42, events = 0;
	char ring[256];
	const char *file[FILES];
	size_t nfile, most = 0;

	share = mmap(NULL, sizeof *share, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!CHECK(share != MAP_FAILED))
		return;
	for (unsigned i = 0; i < n; i++) {
		struct rec_options o = { .path = check_path("k.ttc"),
			.ring = 1u << 20,
			.chunk = i % 2 ? 4096 : 16384,
			.part_ms = i % 3 ? 5 : 1000,
			.rotate_size = i % 4 != 1 ? 0 : getenv("TT_SANITIZED") ? 20000 : 100000,
			.write = slow ? slow_write : NULL };
		struct ttc_result r;
		memset(share, 0, sizeof *share);
		sink_rate = 1 << 20;
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0)
			child(&o);
		while (!atomic_load(&share->ready) && waitpid(pid, NULL, WNOHANG) == 0)
			usleep(100);
		usleep((useconds_t)(ttc_random(&seed) % (slow ? 60000 : 30000)));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		nfile = files_of(file, false);
		ttc_how.then = file + 1;
		ttc_how.nthen = nfile - 1;
		ttc_read(file[0], NULL, 0, 0, &r);
		ttc_how.nthen = 0;
		most = nfile > most ? nfile : most;
		CHECK(nfile < FILES);
		torn += damage(&r) > 0;
		from_ring += r.from_ring > 0;
		events += r.all.events;
		/*
		 * Three events for each noted round, on either thread; the one that was being made may
		 * be there or not.
		 */
		uint64_t least = 3 * (atomic_load(&share->done[0]) + atomic_load(&share->done[1])) + 2;
		if (r.all.events + r.loss.e[TT_LOST_DROPPED].n < least || r.all.events > least + 6 ||
		    r.loss.e[TT_LOST_UNMATCHED].n > 0 || r.gaps > 0) {
			lost++;
			printf("kill %u: noted %" PRIu64 ", read %" PRIu64 ", dropped %" PRIu64
			       ", gaps %" PRIu64 "\n",
			    i, least, r.all.events, r.loss.e[TT_LOST_DROPPED].n, r.gaps);
		}
		/* The recovered capture stands alone. */
		struct ttc_result copy = { 0 };
		size_t ncopy;
		char *p = ttc_recover(file, nfile, &ncopy);
		if (p)
			ttc_read(NULL, p, ncopy, 0, &copy);
		unlike += !p || copy.all.events != r.all.events || copy.all.hash != r.all.hash ||
			  damage(&copy) > 0 || copy.from_ring > 0 ||
			  copy.loss.e[TT_LOST_DROPPED].n != r.loss.e[TT_LOST_DROPPED].n ||
			  copy.ndef[TT_DEF_MARKER] != r.ndef[TT_DEF_MARKER];
		free(p);
		/* What the kill leaves behind. */
		files_of(file, true);
		snprintf(ring, sizeof ring, "rm -f /dev/shm/tracetool-%d-*.ring", (int)pid);
		if (system(ring) != 0)
			printf("%s failed\n", ring);
	}
	CHECK_EQ_INT(lost, 0);
	CHECK_EQ_INT(torn, 0);
	CHECK_EQ_INT(unlike, 0);
	CHECK(from_ring > n / 2);
	printf("%u kills%s: %" PRIu64 " events read, %u joined with a ring, at most %zu files\n", n, slow ? ", slow sink" : "",
	    events, from_ring, most);
	munmap(share, sizeof *share);
}

TEST(killed_program_loses_no_published_event)
{
	kills(check_long() ? 400 : 20, false);
	kills(check_long() ? 100 : 5, true);
}

/* --- the disk -------------------------------------------------------------------------------- */

TEST(full_disk_stops_the_recording_and_nothing_else)
{
	uint64_t key[10];
	struct rec_stats s;
	struct ttc_result r;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit l = { 300000, 300000 };
		struct rec_options o = { .path = check_path("d.ttc"), .overwrite = true, .ring = 2u << 20, .chunk = 16384 };
		setrlimit(RLIMIT_FSIZE, &l);
		signal(SIGXFSZ, SIG_DFL);     /* would kill: must not be raised */
		o.ring_dir = "/dev/shm";
		/*
		 * The ring itself is over the limit: so it fails before anything is made, or the limit
		 * is not for it.
		 */
		int rc = rec_open(&o, why);
		_exit(rc == 0 ? 1 : rc == -EFBIG ? 0 : 2);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct rec_options o = {
			.path = check_path("d.ttc"), .overwrite = true, .ring = 2u << 20, .chunk = 16384, .poll_ms = 1
		};
		if (rec_open(&o, why) != 0)
			_exit(1);
		struct rlimit l = { 300000, 300000 };
		setrlimit(RLIMIT_FSIZE, &l);
		ttc_keys(key, 10);
		struct maker m = { .n = 200000, .key = key };
		make_events(&m);
		for (int i = 0; i < PATIENCE_MS && rec_on(); i++)
			usleep(1000);
		rec_stats(&s);
		make_events(&m);      /* silence */
		int rc = rec_close(why);
		_exit(s.on ? 2 : s.error != EFBIG ? 3 : s.finish != TTC_F_DISK ? 4 : rc != -EFBIG ? 5 : 0);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);
	ttc_read(check_path("d.ttc"), NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.loss.e[TT_LOST_STOPPED].n, 1);
	CHECK_EQ_INT(r.end_mark, -1);
	CHECK(r.all.events > 10000);
}

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
	drops_at(0, 400000 / SLOW);
	drops_at(1 << 20, 400000 / SLOW);
	drops_at(20 << 20, 400000 / SLOW);
	drops_at(-1, 400000 / SLOW);
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
		m[i].n = 1000000 / SLOW;
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

/* --- limits --------------------------------------------------------------------------------- */

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
	for (int i = 0; i < PATIENCE_MS && rec_on(); i++)
		usleep(1000);
	rec_stats(&s);
	CHECK(!s.on);
	CHECK_EQ_INT(s.finish, TTC_F_MAX_SIZE);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK(stat(o.path, &st) == 0 && st.st_size <= 500000 && st.st_size > 300000);
	ttc_read(o.path, NULL, 0, 0, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.end_mark, 1);
	CHECK_EQ_INT(r.loss.e[TT_LOST_STOPPED].n, 1);
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
	unsigned cycles = (check_long() ? 1000u : 60u) / SLOW, bad = 0;
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
	unsigned n = (check_long() ? 10000u : 1000u) / SLOW;
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
	if (heirs.step == 1 && n > 60000) {       /* a chunk that is sealed: those come first in a pass */
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
	struct rec_options o = { .path = check_path("h.ttc"), .ring = 8u << 20, .chunk = 65536, .part_ms = 1,
		.write = stopping_write };
	struct maker m = { .n = 20000, .key = heirs.key };
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
	make_events(&m);
	while (heirs.step != 2)
		usleep(100);
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

/* --- names ----------------------------------------------------------------------------------- */

static long
size_of(const char *name)
{
	struct stat st;

	return stat(check_path(name), &st) == 0 ? (long)st.st_size : -1;
}

static void
put_file(const char *name, const char *text)
{
	FILE *f = fopen(check_path(name), "w");

	if (!CHECK(f != NULL))
		return;
	fputs(text, f);
	fclose(f);
}

/* Record a zone to ${name}; what rec_open said of it is in ${why}. */
static void
record_to(const char *name, bool overwrite)
{
	struct rec_options o = { .path = check_path(name), .ring = 1u << 20, .chunk = 4096, .overwrite = overwrite };
	char closed[256];

	if (!opened(&o))
		return;
	uint64_t key = rec_def_marker(0, 1, 0, "m");
	rec_begin(rec_thread(), rec_now(), key);
	rec_end(rec_thread(), rec_now(), key);
	CHECK_EQ_INT(rec_close(closed), 0);
}

TEST(an_older_file_is_kept_and_that_is_told)
{
	put_file("old.ttc", "all I have");
	record_to("old.ttc", false);
	CHECK_STR(why, "old.ttc is kept; this capture goes to old.2.ttc");
	CHECK_STR(rec_path(), check_path("old.2.ttc"));
	record_to("old.ttc", false);
	CHECK_HAS(why, "old.3.ttc");
	CHECK_EQ_INT(size_of("old.ttc"), 10);
	CHECK(size_of("old.2.ttc") > 200 && size_of("old.3.ttc") > 200);
	record_to("old.ttc", true);
	CHECK_STR(why, "");
	CHECK(size_of("old.ttc") > 200);
	CHECK_EQ_INT(size_of("old.4.ttc"), -1);
	/* A name without our suffix; a link that leads nowhere is a name, too. */
	put_file("plain", "x");
	CHECK_EQ_INT(symlink("/nonexistent/x", check_path("plain.2")), 0);
	record_to("plain", false);
	CHECK_STR(rec_path(), check_path("plain.3"));
	CHECK_EQ_INT(size_of("plain"), 1);
}

/* Another recorder is here whoever has the lock; what we record is locked as long as we do. */
TEST(a_file_that_a_recorder_holds_is_never_replaced)
{
	struct rec_options o = { .path = check_path("held.ttc"), .ring = 1u << 20, .chunk = 4096 };

	if (!opened(&o))
		return;
	int fd = open(check_path("held.ttc"), O_RDWR);
	CHECK(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK_EQ_INT(flock(fd, LOCK_EX | LOCK_NB), 0);
	long before = size_of("held.ttc");
	record_to("held.ttc", true);
	CHECK_STR(why, "held.ttc is being written by another recorder; this capture goes to held.2.ttc");
	CHECK_EQ_INT(size_of("held.ttc"), before);
	close(fd);
	record_to("held.ttc", true);
	CHECK_STR(why, "");
}

/* A rotation steps over what has its names, holds its first file to the end, and takes away its own files only. */
TEST(a_rotation_spares_files_of_others)
{
	struct rec_options o = { .path = check_path("turn.ttc"), .ring = 1u << 20, .chunk = 4096, .poll_ms = 1, .part_ms = 1,
		.rotate_size = 10000, .rotate_keep = 3 };
	struct rec_stats s;

	put_file("turn.1.ttc", "not yours");
	put_file("turn.2.ttc", "");
	if (!opened(&o))
		return;
	CHECK_STR(why, "");
	uint64_t key = rec_def_marker(0, 1, 0, "m");
	bool first = false;
	rec_stats(&s);
	for (int i = 0; s.files < 6 && i < PATIENCE_MS; i++, rec_stats(&s)) {
		for (int k = 0; k < 50; k++) {
			rec_begin(rec_thread(), rec_now(), key);
			rec_end(rec_thread(), rec_now(), key);
		}
		if (s.files == 2 && !first) {
			int fd = open(check_path("turn.ttc"), O_RDWR);
			first = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;
			close(fd);
		}
		usleep(1000);
	}
	CHECK(first);
	CHECK_EQ_INT(rec_close(why), 0);
	rec_stats(&s);
	CHECK_EQ_INT(size_of("turn.1.ttc"), 9);
	CHECK_EQ_INT(size_of("turn.2.ttc"), 0);
	CHECK_EQ_INT(size_of("turn.ttc") + size_of("turn.1.2.ttc") + size_of("turn.2.2.ttc"), -3);
	char last[40];
	for (uint64_t i = s.files - 3; i < s.files; i++) {
		snprintf(last, sizeof last, "turn.%" PRIu64 ".ttc", i);
		CHECK(size_of(last) > 200);
	}
}

TEST(wrong_options_are_told)
{
	struct rec_options o = { .path = check_path("w.ttc"), .overwrite = true, .chunk = 5000 };

	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	CHECK_HAS(why, "5000");
	o.chunk = 0;
	o.ring = 100000;
	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	o.ring = (uint64_t)2 << 40;
	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	CHECK_HAS(why, "at most a terabyte");
	o.ring = 0;
	static const uint32_t chunks[] = { 256, 1u << 30 };
	for (int i = 0; i < 2; i++) {
		o.chunk = chunks[i];
		CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	}
	o.chunk = 0;
	o.threads = 1u << 20;
	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	CHECK_HAS(why, "65536");
	o.threads = 0;
	static char longest[4096];
	memset(longest, 'x', sizeof longest - 1);
	const char *const paths[] = { NULL, "", longest };
	for (int i = 0; i < 3; i++) {
		o.path = paths[i];
		CHECK(rec_open(&o, why) < 0);
		CHECK_HAS(why, "no path");
	}
	o.path = "/nonexistent/x.ttc";
	CHECK_EQ_INT(rec_open(&o, why), -ENOENT);
	CHECK_HAS(why, "/nonexistent/x.ttc");
	o.path = check_path("w.ttc");
	CHECK_EQ_INT(rec_open(&o, why), 0);
	CHECK_EQ_INT(rec_open(&o, why), -EBUSY);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK_EQ_INT(rings(), 0);
}
