/**
 * The interface of recording to the operating system, implemented by platform_linux.c, crash_linux.c and platform_windows.c.
 *
 * After its first event, a thread calls nothing of this except rec_now().
 */
#ifndef TT_PLATFORM_H
#define TT_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the clock ----------------------------------------------------------------- */

extern bool rec_has_counter;      /* true if rec_now() reads the processor's own invariant counter */
uint64_t rec_now_slow(void);  /* the system's monotonic clock, in its ticks */

/**
 * rec_now():
 * Return the time in raw ticks: the processor's counter if it is invariant, else the system's monotonic clock. The reading is not ordered with the
 * surrounding instructions. Valid only after plat_init() (called by rec_open, or when the library is loaded).
 */
static inline uint64_t
rec_now(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(rec_has_counter, 1))
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__) && !defined(_WIN32)
	if (__builtin_expect(rec_has_counter, 1)) {
		uint64_t t;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
		return t;
	}
#endif
	return rec_now_slow();
}

/* One instant on three clocks; ticks and mono_ns were read at most ${apart} ticks apart. */
struct plat_instant { uint64_t ticks, mono_ns, wall_ns, apart; };
void plat_instant(struct plat_instant *i);

/*
 * Choose the clock. Call once, early at load, so that the counter's rate is known better when recording starts. TRACETOOL_CLOCK=system in the environment
 * selects the system's clock, for machines whose counters are worse than their processors promise.
 */
void plat_init(void);
/*
 * Set the ratio: ns = ticks * num / den. Returns enum ttc_clock. A rate that must be measured is known to 100 ppm, usually after less than a millisecond,
 * which suffices to distinguish good spans from bad ones; the recording's instants make it exact (struct ttc_rate). It is known better the longer ago
 * plat_init() was called; for TTC_CLOCK_TSC, ${num} is that time.
 */
unsigned plat_ratio(uint64_t *num, uint64_t *den);

#define PLAT_RATE_MAX_NS 50000000u   /* the longest measurement, even if a busy machine disturbs every reading of the clocks */

/* True if the rate between these instants is known to 100 ppm. ${step_ns}: the resolution of the monotonic clock. */
static inline bool
plat_rate_known(const struct plat_instant *a, const struct plat_instant *b, uint64_t step_ns)
{
	uint64_t ns = b->mono_ns - a->mono_ns;

	if (ns >= PLAT_RATE_MAX_NS)
		return true;
	return ns > 20000 * step_ns && (b->ticks - a->ticks) / 10000 > a->apart + b->apart;
}

/* --- memory all threads share and a reader can find after a crash ------------------- */

struct plat_map {
	void *p;
	size_t n;
	char path[512];               /* path of the file, or name of the mapping */
	void *handle;
};

/*
 * Make ${n} bytes of shared memory, reserved, touched if ${touch}, and readable by this user alone. Returns 0 or -errno; ${why} as in rec_open(): it may hold a
 * warning.
 */
int plat_map_make(struct plat_map *m, const char *dir, const char *capture, size_t n, bool touch, char why[256]);
/* Remove the memory, or with ${keep_memory} only its name. */
void plat_map_drop(struct plat_map *m, bool keep_memory);

/* --- files ---------------------------------------------------------------------------- */

/*
 * Create a file that only this user can read, locked until it is closed. Returns its descriptor or -errno: -EEXIST if the name is taken; with ${replace}, an
 * existing file is removed first, unless another recorder holds it: -EBUSY. A pipe or a device is opened as it is.
 */
int plat_create(const char *path, bool replace);
/* Create the file with ${n} bytes in it; if the system can, the file's name appears only once they are in it. */
int plat_create_begun(const char *path, bool replace, const void *p, size_t n);
/* Return 1 if the file has these ${n} bytes (at most 64) at ${at}, 0 if not, -errno if it cannot be read. */
int plat_has(const char *path, uint64_t at, const void *p, size_t n);
long plat_write(int fd, const void *p, size_t n);     /* returns the number of bytes, or -errno; repeats interrupted calls */
int plat_patch(int fd, uint64_t at, const void *p, size_t n);
int plat_truncate(int fd, uint64_t n);
int plat_sync(int fd);             /* fsync; 0 or -errno */
int plat_close(int fd);
int plat_unlink(const char *path);      /* regular files only */

/* --- threads ----------------------------------------------------------------------------- */

struct plat_thread { void *handle[2]; };
int plat_thread_start(struct plat_thread *t, void (*run)(void));
void plat_thread_join(struct plat_thread *t);
uint64_t plat_thread_self(void);      /* as the program names its threads: pthread_self, GetCurrentThreadId */
uint64_t plat_thread_kernel(void);
uint64_t plat_thread_ns(void);        /* processor time of the calling thread */
void plat_sleep_us(unsigned us);
/* A lock for rare paths, held only briefly; a waiting thread sleeps a little. A zeroed lock is free. */
struct plat_lock { atomic_flag taken; };
static inline bool
plat_try_lock(struct plat_lock *l)
{
	return !atomic_flag_test_and_set_explicit(&l->taken, memory_order_acquire);
}
static inline void
plat_lock(struct plat_lock *l)
{
	while (!plat_try_lock(l))
		plat_sleep_us(20);
}
static inline void
plat_unlock(struct plat_lock *l)
{
	atomic_flag_clear_explicit(&l->taken, memory_order_release);
}
/* Sleep as plat_sleep_us(), but return when the bell rings, or if it has rung before. Each bell has at most one sleeping thread. */
enum plat_bell { PLAT_BELL_WRITER, PLAT_BELL_SYNC, PLAT_BELLS };
void plat_nap_us(enum plat_bell b, unsigned us);
void plat_wake(enum plat_bell b);
/* Execute a memory barrier on all threads of the process. False: the system cannot, so the hot path must not rely on it. */
bool plat_barrier(void);
/* Call ${end} with a thread's writing end, if it has one, when the thread exits. */
void plat_thread_exit_hook(void (*end)(void *t));
void plat_thread_exit_arm(void *t);
/* Call ${child} in a forked child. */
void plat_fork_hook(void (*child)(void));
/*
 * Mono's crash handler allocates memory and forks. If the crash was inside the heap, its thread holds a lock of the heap, on which both would wait for ever
 * (glibc 2.36, Mono 6.8), and no signal except SIGKILL would end the process. plat_watch_abort() notes when the present handler of SIGABRT runs.
 * plat_end_stuck_crash(), called every few milliseconds on one thread, ends the process by SIGABRT once a fork has lasted ${max_fork_ms}, or that handler has
 * run for ${max_abort_ms}.
 */
void plat_watch_abort(void);
void plat_end_stuck_crash(unsigned max_fork_ms, unsigned max_abort_ms);
/* Keep this library loaded, as callbacks and thread destructors may come late. */
void plat_pin(void);

void *plat_alloc(size_t n);           /* zeroed pages, touched on demand; NULL */
void plat_free(void *p, size_t n);

uint64_t plat_pid(void);
void plat_random(void *p, size_t n);
const char *plat_os(void);            /* "Linux 6.1", "Windows" */
const char *plat_arch(void);
void plat_args(char *buf, size_t n);  /* the program's command line */
/* Write ${path} as an absolute path to ${full} of ${n} bytes; unchanged if the working directory is unknown, or if it does not fit. */
void plat_full(const char *path, char *full, size_t n);

/*
 * A thread-local variable that every event reads, with one instruction, while a call of the loader takes 2 to 3 ns. glibc reserves space for a few such bytes
 * in libraries that are loaded late; musl and others do not.
 */
#if defined(__GLIBC__)
#define REC_NEAR __attribute__((tls_model("initial-exec")))
#else
#define REC_NEAR
#endif

/* ThreadSanitizer does not understand the order that plain stores and a process-wide barrier establish. */
#if defined(__SANITIZE_THREAD__)
#define REC_BUSY_ORDER memory_order_seq_cst
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REC_BUSY_ORDER memory_order_seq_cst
#endif
#endif
#ifndef REC_BUSY_ORDER
#define REC_BUSY_ORDER memory_order_relaxed
#endif

#endif
