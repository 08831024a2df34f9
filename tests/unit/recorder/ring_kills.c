/* Tests of recordings that end badly: programs that are killed, disks that are full. Children record here, so this process does not:
   a child of a process that has recorded itself records nothing. */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "record_kit.h"

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

/* Some twenty; ten times as many, where this process was not let run when it had to kill. ttc_recover_all() takes as many. */
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
		char *p = ttc_recover_all(file, nfile, &ncopy);
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
		_exit(rc == 0 ? 1 : rc != -EFBIG ? 2 : strstr(why, "ulimit) is lower; ring= makes it smaller, to 1536K at least") ? 0 : 3);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);

	/* A ring whose size nobody asked for becomes smaller. */
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct rlimit l = { 20000000, 20000000 };
		struct rec_options o = { .path = check_path("d.ttc"), .overwrite = true };
		setrlimit(RLIMIT_FSIZE, &l);
		int rc = rec_open(&o, why);
		_exit(rc != 0 ? 1 : !strstr(why, "ulimit") ? 2 : rec_close(why) != 0 ? 3 : 0);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);

	/* Nor is there one of 2 MiB, the smallest that is tried: that is told, and how small one may be. */
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct rlimit l = { 204800, 204800 };
		struct rec_options o = { .path = check_path("d.ttc"), .overwrite = true };
		setrlimit(RLIMIT_FSIZE, &l);
		int rc = rec_open(&o, why);
		_exit(rc != -EFBIG ? 1 : strstr(why, "ulimit) is lower; ring= makes it smaller, to 1536K at least") ? 0 : 2);
	}
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
