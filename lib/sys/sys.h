/**
 * The calls that the program makes of the system: files, folders, the machine, the terminal, this process. Nothing else in lib, formats and cmd names a header
 * of the system beyond C11 and pthread, but for what runs other processes (lib/batch, lib/trial, the sandbox), which other systems do not have yet.
 *
 * posix.c is for every Unix, linux.c has what only Linux has, files_windows.c and process_windows.c are for Windows 10 1903 and
 * later.
 *
 * Paths are UTF-8. Files are descriptors. Calls that fail return -1 (or what is said) and set errno, on Windows, too; none is repeated after EINTR, because a
 * run that is asked to stop looks then. A file that is open for reading never keeps others from writing, replacing or removing it.
 *
 * Threads: any, but for two that use one descriptor's own place (tt_sys_read, tt_sys_write).
 */
#ifndef TT_SYS_SYS_H
#define TT_SYS_SYS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest path, with its NUL. */
enum { TT_PATH_BYTES = 4096 };

/* --- open files -------------------------------------------------------------------- */

enum tt_open_how {
	TT_OPEN_READ = 1,
	TT_OPEN_WRITE = 2,
	TT_OPEN_CREATE = 4,           /* make the file if it is not there */
	TT_OPEN_NEW = 8,              /* make it, and fail with EEXIST if it is there */
	TT_OPEN_NO_LINK = 16,         /* fail if the name is a symbolic link */
	TT_OPEN_NO_WAIT = 32,         /* never wait, like for the other end of a FIFO */
	TT_OPEN_PRIVATE = 64,         /* a new file is for this user alone */
};

/* Open ${path}; the descriptor is not inherited by other programs. */
int tt_sys_open(const char *path, unsigned how);
int tt_sys_close(int fd);

/* As many bytes as there are, up to ${n}; 0: the end. Without ${at} from the descriptor's own place on, which moves. */
int64_t tt_sys_read(int fd, void *p, size_t n);
int64_t tt_sys_pread(int fd, void *p, size_t n, uint64_t at);

/* Returns how many bytes were written, which may be fewer than ${n}. */
int64_t tt_sys_write(int fd, const void *p, size_t n);
int64_t tt_sys_pwrite(int fd, const void *p, size_t n, uint64_t at);

/* The descriptor's own place; -1: it has none. */
int64_t tt_sys_place(int fd);
/* Move it to the begin. */
int tt_sys_rewind(int fd);

int tt_sys_truncate(int fd, uint64_t size);

/* Another descriptor of the same open file, of 3 and more. */
int tt_sys_duplicate(int fd);

/* Wait until a descriptor that others made non-blocking can be read or written. */
void tt_sys_wait_readable(int fd);
void tt_sys_wait_writable(int fd);

/* The file will be read from begin to end. Advice. */
void tt_sys_will_read(int fd);
/* Begin to bring [at, at + n) to disk. Advice. */
void tt_sys_send_early(int fd, uint64_t at, uint64_t n);
/* Bring the file to disk. */
int tt_sys_sync(int fd);

enum tt_lock { TT_LOCK_NONE, TT_LOCK_SHARED, TT_LOCK_EXCLUSIVE };

/* Take the lock of an open file, or give it back; it ends with the last descriptor. Fails with EWOULDBLOCK if others have it and ${waits} is false. */
int tt_sys_lock(int fd, enum tt_lock lock, bool waits);

/* An open file without a name in ${dir}, that is gone when it is closed. */
int tt_sys_scratch(const char *dir);
/* True if files of tt_sys_scratch() have a name in ${dir} for a moment. */
bool tt_sys_scratch_is_named(const char *dir);
/* An open file in memory; -1: the system has none. */
int tt_sys_memory_file(void);
/* Copy the first ${n} bytes of ${from} to the begin of ${to}, from *${done} on, which says how far it got. */
int tt_sys_copy(int from, int to, uint64_t n, uint64_t *done);

/* --- names ------------------------------------------------------------------------- */

enum tt_file_kind { TT_KIND_FILE, TT_KIND_FOLDER, TT_KIND_LINK, TT_KIND_OTHER };

struct tt_sys_stat {
	enum tt_file_kind kind;
	uint64_t size;                /* bytes */
	int64_t mtime_ns;             /* since 1970, UTC */
	uint64_t volume, id;          /* equal for names of one file only */
	unsigned mode;                /* permissions, as chmod takes them */
	uint64_t nlinks;              /* names it has; 0: removed, and open still */
	bool is_ours;                 /* its owner is who runs this process, or that is the administrator */
};

int tt_sys_stat(const char *path, struct tt_sys_stat *st);
/* The same of a link itself. */
int tt_sys_stat_link(const char *path, struct tt_sys_stat *st);
int tt_sys_stat_open(int fd, struct tt_sys_stat *st);
int tt_sys_set_mode(int fd, unsigned mode);
/* Files that are made from now on get no more than these permissions. */
void tt_sys_limit_modes(unsigned mode);

/* True if both are one file, as tt_sys_stat() gave them. */
static inline bool
tt_sys_is_same(const struct tt_sys_stat *a, const struct tt_sys_stat *b)
{
	return a->volume == b->volume && a->id == b->id;
}

bool tt_sys_exists(const char *path);
/* 0 if the file may be read, or written; a new file made in the folder. */
int tt_sys_may_read(const char *path);
int tt_sys_may_write(const char *path);
int tt_sys_may_make_in(const char *folder);

int tt_sys_remove(const char *path);
/* Give the file ${from} the name ${to}, in place of a file that has it. Others see one of the two at any moment. */
int tt_sys_replace(const char *from, const char *to);
int tt_sys_make_folder(const char *path);
/* The text of a symbolic link, with a NUL; its length, or -1: EINVAL if it is none. */
int64_t tt_sys_read_link(const char *path, char to[TT_PATH_BYTES]);
/* The absolute path without links, to be given to free(); NULL. */
char *tt_sys_real_path(const char *path);

/* Call ${each} with each name in ${folder} but "." and "..", in no order, until it returns false. */
int tt_sys_list(const char *folder, bool (*each)(void *arg, const char *name), void *arg);

/*
 * Call ${each} with each path that the pattern ${path} stands for, in order, until it returns false, where programs do that and no shell: on Windows, with *
 * and ? in the last component. Returns how many there were; a pattern that is a file's name, and one that nothing fits, stands for none.
 */
size_t tt_sys_expand(const char *path, bool (*each)(void *arg, const char *path), void *arg);

/* The folder of temporary files unless somebody says otherwise. */
const char *tt_sys_temp_dir(void);

/* The last component of ${path}, which may be empty. Separators are '/', and on Windows '\' and the ':' of a drive. */
const char *tt_sys_base(const char *path);
/* True if one folder cannot have files of both names: where case makes no difference, in ASCII. */
bool tt_sys_is_same_name(const char *a, const char *b);
/* True if ${c} separates the components of a path; if ${path} says where it begins, whatever the present folder. */
bool tt_sys_is_separator(char c);
bool tt_sys_is_absolute(const char *path);

/* --- the machine and this process -------------------------------------------------- */

/* Processors that this process may use, at least 1. */
unsigned tt_sys_ncpus(void);
/* Fill with random bytes, without waiting; false: the system has none. */
bool tt_sys_random(void *p, size_t n);
/* Memory at a multiple of ${align}, a power of two of which ${n} is a multiple; and the only way to free it. */
void *tt_sys_aligned(size_t align, size_t n);
void tt_sys_free_aligned(void *p);
/* Give freed memory back to the system, where it keeps any. */
void tt_sys_trim(void);
/* From now on blocks of this many bytes and more go back to the system when they are freed. Advice. */
void tt_sys_trim_from(size_t bytes);

/* Monotonic time, and time since 1970 in UTC. */
int64_t tt_sys_clock_ns(void);
int64_t tt_sys_time_ns(void);

long tt_sys_process(void);
/* True if process ${pid} has ended, or ends within ${wait_ms}. */
bool tt_sys_has_ended(long pid, int wait_ms);

struct tt_sys_cost { int64_t user_ns, system_ns; uint64_t peak_bytes; };
bool tt_sys_cost(struct tt_sys_cost *cost);
/* The same of all processes that this one has started and waited for; the largest peak. */
bool tt_sys_cost_of_children(struct tt_sys_cost *cost);

/* How many files may be open at once; 0: not known. */
uint64_t tt_sys_max_files(void);
/* The text of ${code}, an errno, in the words of this system; static. */
const char *tt_sys_error(int code);

/* Run ${run} on a stack of at least ${bytes}. */
int tt_sys_run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv, size_t bytes);

/* --- other programs ------------------------------------------------------------------ */

/* The path by which this program can be started again; static. */
const char *tt_sys_self(void);

/*
 * On Windows: run ${argv}[0], found as the system finds programs, and wait until it ends; *${code} is its exit code. Elsewhere lib/io/program.c runs programs,
 * because signals are passed on there.
 */
int tt_sys_run(const char *const *argv, int *code);

/* Show ${path} as a double click on it does; false: this system has no call for that, or it failed. */
bool tt_sys_show(const char *path);

/* Make a new folder for this user alone; ${path} ends with XXXXXX, in place of which come letters. */
int tt_sys_make_own_folder(char *path);
/* Remove an empty folder. */
int tt_sys_remove_folder(const char *path);

/* --- being asked to stop ------------------------------------------------------------ */

/* Keep signals away from threads that are started between the two calls. */
struct tt_sys_held { unsigned char was[128]; };
void tt_sys_hold_signals(struct tt_sys_held *held);
void tt_sys_free_signals(const struct tt_sys_held *held);

/* The arguments of the program in UTF-8, in place of those that main() got; they stay to its end. */
void tt_sys_arguments(int *argc, char ***argv);

/* Call first in main(): closed standard descriptors are opened so that no file gets their numbers, and standard streams carry bytes as they are. */
void tt_sys_begin(void);

/* The alarm asks the process to stop; other numbers are those of signals. */
enum { TT_STOP_BY_ALARM = -1 };

/**
 * tt_sys_catch_stop(on):
 * From now on call ${on} instead of ending when the user, the system or tt_sys_alarm() asks the process to stop. It runs in a signal handler, or on Windows on
 * a thread of the system: it may set flags, and call tt_sys_remove(), tt_sys_alarm(), tt_sys_write(), tt_sys_die() and _Exit(). Signals that were ignored when
 * the program began stay ignored. Calls that wait return with EINTR after it. Writing to a pipe without a reader fails with EPIPE from now on.
 */
void tt_sys_catch_stop(void (*on)(int by));

/* Ask this process to stop in ${ns}; 0: no more. */
void tt_sys_alarm(int64_t ns);

/* End as the signal ${by} ends a program that does not catch it, with 128 + ${by} where there are none; or as a program whose reader has gone. */
void tt_sys_die(int by);
void tt_sys_die_unread(void);

/* --- the terminal ------------------------------------------------------------------- */

bool tt_sys_is_terminal(int fd);
/* Columns of the terminal ${fd}; 0: it is none. */
unsigned tt_sys_columns(int fd);
/* Whether the terminal ${fd} shows colours; on Windows they are switched on. */
bool tt_sys_shows_colors(int fd);

#endif
