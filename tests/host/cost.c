/**
 * cost: measures what recording costs a game. No test: nothing here fails.
 *
 * usage: cost [SECONDS [FPS]]       60 seconds at 60 frames a second
 *
 * The game sends 28,000 events a frame in bursts, as games do, while the writer writes. Each figure stands beside what was
 * measured in the same frames, in turns:
 *	reads      two reads of the processor's counter
 *	system     two reads of the system's clock: what counts with TRACETOOL_CLOCK=system
 *	clock      two callbacks that only read it, found and called like ours
 *	pair       begin and end of plain zones, nested eight deep
 *	alloc      GC.Alloc: begin with its size, and end
 *	label      Profiler.BeginSample of 64 bytes of UTF-16 (32 characters) and its end: one of 16 texts (hot), one of 400
 *	           (cold), and 1,000 in turn
 * "hot" is over 16 markers, as a loop over objects has them; "cold" over 3,500 in no order, where host and recorder
 * alike wait for memory. Bursts in which the thread was switched out are left out and counted.
 *
 * worst: the slowest single callback of ours, beside the slowest of those that only read the counter.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "play.h"

static inline uint64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(__x86_64__)
#include <x86intrin.h>
static inline uint64_t
counter(void)
{
	return __rdtsc();
}
#else
static inline uint64_t
counter(void)
{
	return now_ns(CLOCK_MONOTONIC);
}
#endif

enum { MARKERS = 3500, PAIRS = 14000, BURST = 1000, HOT = 16, LABELS = 1000 };

static const struct unity_marker *marker[MARKERS], *alloc_marker, *label_marker;
static struct unity_marker *shadow[MARKERS];  /* the same, but whoever listens only reads the clock */
static uint16_t order[2][PAIRS];      /* which marker comes when: hot, cold */
static uint16_t label_text[LABELS][32];
static volatile uint64_t sink;
static double ns_per_tick;

static void UNITY_CALL
clock_only(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v, void *user)
{
	(void)m;
	(void)event;
	(void)n;
	(void)v;
	(void)user;
	sink = counter();
}

static void *
must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* --- what is measured: each function does ${n} of a thing, with the markers from ${o} on ------------------- */

/* Zones in bursts, nested as deep as eight. */
#define ZONES(begin, end) do { \
	for (unsigned i = 0; i + 8 <= n; i += 8) { \
		for (unsigned k = 0; k < 8; k++) \
			begin(o[i + k]); \
		for (unsigned k = 8; k-- > 0;) \
			end(o[i + k]); \
	} \
} while (0)

static void
do_reads(const uint16_t *o, unsigned n)
{
	(void)o;
	for (unsigned i = 0; i < n; i++) {
		sink = counter();
		sink = counter();
	}
}

static void
do_system(const uint16_t *o, unsigned n)
{
	(void)o;
	for (unsigned i = 0; i < n; i++) {
		sink = now_ns(CLOCK_MONOTONIC);
		sink = now_ns(CLOCK_MONOTONIC);
	}
}

static void
do_clock(const uint16_t *o, unsigned n)
{
#define CLOCK_BEGIN(i) engine_emit(shadow[i], UNITY_BEGIN, 0, NULL)
#define CLOCK_END(i) engine_emit(shadow[i], UNITY_END, 0, NULL)
	ZONES(CLOCK_BEGIN, CLOCK_END);
}

static void
do_pairs(const uint16_t *o, unsigned n)
{
#define BEGIN(i) engine_emit(marker[i], UNITY_BEGIN, 0, NULL)
#define END(i) engine_emit(marker[i], UNITY_END, 0, NULL)
	ZONES(BEGIN, END);
}

static void
do_allocs(const uint16_t *o, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t bytes = 32 + (o[i] & 0xfffu);
		struct unity_value v = { .type = UNITY_T_U32, .size = 4, .data = &bytes };

		engine_emit(alloc_marker, UNITY_BEGIN, 1, &v);
		engine_emit(alloc_marker, UNITY_END, 0, NULL);
	}
}

static inline void
label_zone(const uint16_t *text)
{
	int32_t object = 0;
	uint32_t category = 1;
	const struct unity_value v[] = {
		{ .type = UNITY_T_INSTANCE, .size = 4, .data = &object },
		{ .type = UNITY_T_TEXT16, .size = 64, .data = text },
		{ .type = UNITY_T_U32, .size = 4, .data = &category },
	};

	engine_emit(label_marker, UNITY_BEGIN, 3, v);
	engine_emit(label_marker, UNITY_END, 0, NULL);
}

static void
do_labels(const uint16_t *o, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		label_zone(label_text[o[i] % 400]);
}

static void
do_turns(const uint16_t *o, unsigned n)
{
	static unsigned next;

	(void)o;
	for (unsigned i = 0; i < n; i++, next = (next + 1) % LABELS)
		label_zone(label_text[next]);
}

/* The order of a frame's bursts turns from frame to frame. Together they make PAIRS pairs of ours. */
static struct job {
	const char *name;
	void (*run)(const uint16_t *, unsigned);
	bool cold;
	unsigned bursts;              /* a frame */
	unsigned events;              /* recorded of each */
	unsigned warm;                /* done before a burst is measured; 0: 16 */
	double ticks;
	uint64_t n, switched;
	double *burst;                /* ns each: for the median */
	unsigned nburst;
} jobs[] = {
	{ .name = "two counter reads", .run = do_reads, .bursts = 2 },
	{ .name = "two reads of the system's clock", .run = do_system, .bursts = 2 },
	{ .name = "two clock-only callbacks, hot", .run = do_clock, .bursts = 2 },
	{ .name = "begin + end, hot", .run = do_pairs, .bursts = 6, .events = 2 },
	{ .name = "GC.Alloc", .run = do_allocs, .bursts = 1, .events = 1 },
	{ .name = "64-byte label + end, hot", .run = do_labels, .bursts = 1, .events = 2 },
	{ .name = "two clock-only callbacks, cold", .run = do_clock, .cold = true, .bursts = 2 },
	{ .name = "begin + end, cold", .run = do_pairs, .cold = true, .bursts = 5, .events = 2 },
	{ .name = "64-byte label + end, 400 texts", .run = do_labels, .cold = true, .bursts = 1, .events = 2 },
	{ .name = "64-byte label + end, 1,000 in turn, again", .run = do_turns, .bursts = 1, .events = 2, .warm = LABELS },
};
enum { JOBS = sizeof jobs / sizeof *jobs, READS = 0, SYSTEM = 1, PLAIN = 3 };

static uint64_t made;                 /* events of ours */

static void
measure(struct job *j, unsigned at)
{
	const uint16_t *o = &order[j->cold][at % (PAIRS / BURST) * BURST];
	struct rusage u, w;
	uint64_t a, b;

	/* Warm what a burst in the middle of a frame's work has warm. */
	unsigned warm = j->warm ? j->warm : 16;
	j->run(o, warm);
	getrusage(RUSAGE_THREAD, &u);
	a = counter();
	j->run(o, BURST);
	b = counter();
	getrusage(RUSAGE_THREAD, &w);
	made += (uint64_t)(warm + BURST) * j->events;
	if (u.ru_nivcsw != w.ru_nivcsw) {
		j->switched++;
		return;
	}
	j->ticks += (double)(b - a);
	j->n += BURST;
	j->burst[j->nburst++] = (double)(b - a) * ns_per_tick / BURST;
}

static double *more;                   /* by frame: what a hot pair takes beyond two reads of the system's clock, ns */
static unsigned nmore;

/*
 * Bursts of one frame are milliseconds apart, so what makes the machine slower for a while makes all of them slower: a difference is taken of the
 * bursts of a frame, all of them, and of the frames' differences the median. Few frames are disturbed between two bursts.
 */
static void
measure_frame(unsigned f)
{
	const struct job pair = jobs[PLAIN], system = jobs[SYSTEM];

	for (unsigned i = 0; i < JOBS; i++) {
		struct job *j = &jobs[(i + f) % JOBS];

		for (unsigned k = 0; k < j->bursts; k++)
			measure(j, f + i + k);
	}
	double pairs = (double)(jobs[PLAIN].n - pair.n), reads = (double)(jobs[SYSTEM].n - system.n);
	if (pairs > 0 && reads > 0)
		more[nmore++] = ((jobs[PLAIN].ticks - pair.ticks) / pairs - (jobs[SYSTEM].ticks - system.ticks) / reads) * ns_per_tick;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* --- the slowest ------------------------------------------------------------------------------------------- */

struct slow {
	uint64_t worst, over_1us, over_10us, over_100us, n;
};

static void
took(struct slow *s, uint64_t ticks)
{
	double us = (double)ticks * ns_per_tick / 1000;

	s->n++;
	s->over_1us += us > 1;
	s->over_10us += us > 10;
	s->over_100us += us > 100;
	if (ticks > s->worst)
		s->worst = ticks;
}

/* ${n} pairs, each callback timed, in turns with callbacks that only read the clock. */
static void
time_each(struct slow *ours, struct slow *theirs, unsigned n)
{
	uint64_t a, b;

	for (unsigned i = 0; i < n; i++) {
		const struct unity_marker *m = marker[order[0][i]], *c = shadow[order[0][i]];

		a = counter();
		engine_emit(m, UNITY_BEGIN, 0, NULL);
		b = counter();
		took(ours, b - a);
		a = counter();
		engine_emit(c, UNITY_BEGIN, 0, NULL);
		b = counter();
		took(theirs, b - a);
		a = counter();
		engine_emit(m, UNITY_END, 0, NULL);
		b = counter();
		took(ours, b - a);
		a = counter();
		engine_emit(c, UNITY_END, 0, NULL);
		b = counter();
		took(theirs, b - a);
	}
}

/* --- one thread and two ------------------------------------------------------------------------------------- */

static _Atomic unsigned waiting;
static unsigned party;

/* Processor time of 60 bursts on this thread. */
static void *
busy_thread(void *arg)
{
	uint64_t *cpu_ns = arg, a;

	engine_thread("Cost", "Busy");
	do_pairs(order[0], BURST);
	waiting++;
	while (waiting < party)
		;
	a = now_ns(CLOCK_THREAD_CPUTIME_ID);
	for (unsigned i = 0; i < 60; i++) {
		do_pairs(order[0], PAIRS);
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	}
	*cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - a;
	return NULL;
}

static double
threads_ns(unsigned n)
{
	pthread_t t[4];
	uint64_t ns[4] = { 0 }, sum = 0;

	waiting = 0;
	made += (uint64_t)n * 2 * (BURST + 60 * PAIRS);
	party = n;
	for (unsigned i = 0; i < n; i++)
		pthread_create(&t[i], NULL, busy_thread, &ns[i]);
	for (unsigned i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		sum += ns[i];
	}
	return (double)sum / n / (60.0 * PAIRS);
}

/* --- the run -------------------------------------------------------------------------------------------------- */

static void
make_markers(void)
{
	static char name[MARKERS][24];
	uint64_t r = 88172645463325252u;

	for (unsigned i = 0; i < MARKERS; i++) {
		snprintf(name[i], sizeof name[i], "Cost.Marker %u", i);
		marker[i] = engine_marker(name[i], 1, 0);
		shadow[i] = must(malloc(sizeof *shadow[i]));
		*shadow[i] = *marker[i];
	}
	alloc_marker = engine_marker("GC.Alloc", 23, 0);
	label_marker = engine_marker("Profiler.Default", 24, UNITY_M_SCRIPT);
	for (unsigned i = 0; i < PAIRS; i++) {
		r ^= r << 13;
		r ^= r >> 7;
		r ^= r << 17;
		order[0][i] = (uint16_t)(i * 5 % HOT);
		order[1][i] = (uint16_t)(r % MARKERS);
	}
	for (unsigned i = 0; i < LABELS; i++) {
		for (unsigned k = 0; k < 32; k++)
			label_text[i][k] = (uint16_t)('a' + (i >> (k % 3 * 3)) % 26);
		label_text[i][0] = (uint16_t)('A' + i % 26);
		label_text[i][31] = (uint16_t)('0' + i / 40);
	}
}

/* When the recorder has its lists, those that only read the clock get theirs, laid out alike. */
static void
make_shadows(void)
{
	for (unsigned i = 0; i < MARKERS; i++) {
		struct engine_list *l = must(calloc(1, sizeof *l + sizeof *l->hook));

		l->n = 1;
		l->hook[0] = (struct engine_hook){ clock_only, NULL };
		shadow[i]->callbacks = l;
	}
}

static void
calibrate(void)
{
	uint64_t a = counter(), t = now_ns(CLOCK_MONOTONIC);

	nanosleep(&(struct timespec){ 0, 200000000 }, NULL);
	ns_per_tick = (double)(now_ns(CLOCK_MONOTONIC) - t) / (double)(counter() - a);
}

static double
idle_ns(void)
{
	enum { N = 2000000 };
	uint64_t a = counter();

	for (unsigned i = 0; i < N; i++)
		engine_frame();
	return (double)(counter() - a) * ns_per_tick / N;
}

/* What the host's own frame costs, to be taken off. */
static double
bare_frame_ns(void)
{
	return idle_ns();
}

static void
report(double idle, double bare, const struct slow *ours, const struct slow *theirs, double one, double two,
    const char *capture)
{
	struct tracetool_counts c = { .events = 0 };
	double reads = jobs[READS].ticks * ns_per_tick / (double)jobs[READS].n;
	double plain = jobs[PLAIN].ticks * ns_per_tick / (double)jobs[PLAIN].n;
	double system = jobs[SYSTEM].ticks * ns_per_tick / (double)jobs[SYSTEM].n;
	struct stat st = { .st_size = 0 };

	PLAY_CALL(tracetool_counts)(&c, sizeof c);
	stat(capture, &st);
	printf("| what | mean, ns | median, ns | by two reads | by a hot pair | bursts left out |\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < JOBS; i++) {
		struct job *j = &jobs[i];
		double mean = j->ticks * ns_per_tick / (double)j->n;

		qsort(j->burst, j->nburst, sizeof *j->burst, by_value);
		printf("| %s | %.1f | %.1f | %.2f | %.2f | %llu of %llu |\n", j->name, mean, j->burst[j->nburst / 2], mean / reads,
		    mean / plain, (unsigned long long)j->switched, (unsigned long long)(j->switched + j->nburst));
	}
	qsort(more, nmore, sizeof *more, by_value);
	if (getenv("TRACETOOL_CLOCK"))
		printf("\n| begin + end, hot: %.1f ns more than two reads of the system's clock, median of %u frames; %.1f by the means |\n",
		    more[nmore / 2], nmore, plain - system);
	printf("\n| single callback | worst, us | over 1 us | over 10 us | over 100 us | of |\n|---|---|---|---|---|---|\n");
	printf("| ours | %.1f | %llu | %llu | %llu | %llu |\n", (double)ours->worst * ns_per_tick / 1000,
	    (unsigned long long)ours->over_1us, (unsigned long long)ours->over_10us, (unsigned long long)ours->over_100us,
	    (unsigned long long)ours->n);
	printf("| clock only | %.1f | %llu | %llu | %llu | %llu |\n", (double)theirs->worst * ns_per_tick / 1000,
	    (unsigned long long)theirs->over_1us, (unsigned long long)theirs->over_10us,
	    (unsigned long long)theirs->over_100us, (unsigned long long)theirs->n);
	printf("\n| two threads at once | %.1f ns a pair beside %.1f for one: %.2f |\n", two, one, two / one);
	printf("| idle, a frame | %.1f ns more than the host's own %.1f |\n", idle - bare, bare);
	printf("| events | %llu made, %llu dropped; %lld bytes, %.2f an event |\n", (unsigned long long)made,
	    (unsigned long long)c.dropped, (long long)st.st_size, (double)st.st_size / (double)(made - c.dropped));
}

int
main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 60, fps = argc > 2 ? atof(argv[2]) : 60;
	unsigned frames = (unsigned)(seconds * fps) + 1;
	struct engine_opts o = { .callbacks = 2 };
	struct slow ours = { .n = 0 }, theirs = { .n = 0 };
	double bare, idle, one, two;
	char capture[512];
	uint64_t start;

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(capture, sizeof capture, "%s/tracetool-cost.ttc", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	unsetenv("TRACETOOL_CAPTURE");
	unsetenv("TRACETOOL_OPTIONS");
	calibrate();
	engine_start(&o);
	make_markers();
	for (unsigned i = 0; i < JOBS; i++)
		jobs[i].burst = must(calloc((size_t)frames * jobs[i].bursts, sizeof *jobs[i].burst));
	more = must(calloc(frames, sizeof *more));
	engine_thread("", "Main Thread");
	bare = bare_frame_ns();
	if (engine_load(play_plugin()) != 0)
		return 4;
	idle = idle_ns();
	if (PLAY_CALL(tracetool_start)(capture, "overwrite=yes") != TRACETOOL_OK || play_until(TRACETOOL_CAPTURING) != 0) {
		fprintf(stderr, "cost: no capture\n");
		return 4;
	}
	make_shadows();
	start = now_ns(CLOCK_MONOTONIC);
	for (unsigned f = 0; f + 1 < frames; f++) {
		uint64_t due = start + (uint64_t)(1e9 * (f + 1) / fps), now;

		engine_frame();
		measure_frame(f);
		time_each(&ours, &theirs, 200);
		made += 2 * 200 + 1;
		now = now_ns(CLOCK_MONOTONIC);
		if (now < due)
			nanosleep(&(struct timespec){ (time_t)((due - now) / 1000000000), (long)((due - now) % 1000000000) }, NULL);
	}
	one = threads_ns(1);
	two = threads_ns(2);
	PLAY_CALL(tracetool_stop)();
	play_until(TRACETOOL_IDLE);
	report(idle, bare, &ours, &theirs, one, two, capture);
	engine_unload(true);
	remove(capture);
	return 0;
}
