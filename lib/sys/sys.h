/**
 * The program's calls to the system: files, folders, the machine, the terminal, this process. No other file of lib, formats and cmd includes a system header
 * beyond C11 and pthread, except those that run other processes (lib/batch, lib/trial, the sandbox), which are not ported to other systems yet.
 *
 * posix.c is for every Unix, linux.c for calls of Linux alone, files_windows.c and process_windows.c are for Windows 10 1903 and
 * later.
 *
 * Paths are UTF-8. Files are descriptors. Calls that fail return -1, if nothing else is said, and set errno, on Windows, too. No call is repeated after EINTR,
 * so that callers can check whether they are asked to stop. A file open for reading never keeps others from writing, replacing or removing it.
 *
 * Threads: any, but only one at a time may use the offset of a descriptor (tt_sys_read, tt_sys_write).
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
	TT_OPEN_NEW = 8,              /* make the file, and fail with EEXIST if it exists */
	TT_OPEN_NO_LINK = 16,         /* fail if the name is a symbolic link */
	TT_OPEN_NO_WAIT = 32,         /* never wait, as for the other end of a FIFO */
	TT_OPEN_PRIVATE = 64,         /* only this user may open a new file */
};

/* Open ${path}; the descriptor is not inherited by other programs. */
int tt_sys_open(const char *path, unsigned how);
int tt_sys_close(int fd);

/* Read as many bytes as there are, up to ${n}; 0: the end. Without ${at}, read at the descriptor's offset, and move it. */
int64_t tt_sys_read(int fd, void *p, size_t n);
int64_t tt_sys_pread(int fd, void *p, size_t n, uint64_t at);

/* Write bytes; return how many were written, which may be fewer than ${n}. */
int64_t tt_sys_write(int fd, const void *p, size_t n);
int64_t tt_sys_pwrite(int fd, const void *p, size_t n, uint64_t at);

/* Return the descriptor's offset; -1: the descriptor has no offset, as a pipe. */
int64_t tt_sys_offset(int fd);
/* Move the descriptor's offset to the beginning. */
int tt_sys_rewind(int fd);

int tt_sys_truncate(int fd, uint64_t size);

/* Return another descriptor of the same open file, at least 3. */
int tt_sys_duplicate(int fd);

/* Wait until a descriptor that another process made non-blocking can be read or written. */
void tt_sys_wait_readable(int fd);
void tt_sys_wait_writable(int fd);

/* Advise the system that the file will be read from beginning to end. */
void tt_sys_will_read(int fd);
/* Advise the system to begin writing the bytes [at, at + n) to disk. */
void tt_sys_begin_writeback(int fd, uint64_t at, uint64_t n);
/* Write the file to disk, and wait for that. */
int tt_sys_sync(int fd);

enum tt_lock { TT_LOCK_NONE, TT_LOCK_SHARED, TT_LOCK_EXCLUSIVE };

/* Take or release the lock of an open file; closing the last descriptor releases it, too. Fails with EWOULDBLOCK if others hold it and ${waits} is false. */
int tt_sys_lock(int fd, enum tt_lock lock, bool waits);

/* Open a new file without a name in ${dir}, which is deleted when it is closed. */
int tt_sys_scratch(const char *dir);
/* True if files of tt_sys_scratch() in ${dir} have a name for a moment. */
bool tt_sys_scratch_is_named(const char *dir);
/* Open a new file in memory; -1: the system has no such files. */
int tt_sys_memory_file(void);
/* Copy the first ${n} bytes of ${from} to the same offsets of ${to}, beginning at offset *${done}, which becomes the offset reached. */
int tt_sys_copy(int from, int to, uint64_t n, uint64_t *done);

/* --- names ------------------------------------------------------------------------- */

enum tt_file_kind { TT_KIND_FILE, TT_KIND_FOLDER, TT_KIND_LINK, TT_KIND_OTHER };

struct tt_sys_stat {
	enum tt_file_kind kind;
	uint64_t size;                /* bytes */
	int64_t mtime_ns;             /* since 1970, UTC */
	uint64_t volume, id;          /* together identify the file: equal only for names of one file */
	unsigned mode;                /* permissions, as chmod takes them */
	uint64_t nlinks;              /* names of the file; 0: it was removed, but is still open */
	bool is_ours;                 /* true: this process runs as the file's owner or as administrator */
};

int tt_sys_stat(const char *path, struct tt_sys_stat *st);
/* As tt_sys_stat(), but of a link itself, not of its target. */
int tt_sys_stat_link(const char *path, struct tt_sys_stat *st);
int tt_sys_stat_open(int fd, struct tt_sys_stat *st);
int tt_sys_set_mode(int fd, unsigned mode);
/* Limit the permissions of files made from now on to ${mode}. */
void tt_sys_limit_modes(unsigned mode);

/* True if ${a} and ${b}, from tt_sys_stat(), are one file. */
static inline bool
tt_sys_is_same(const struct tt_sys_stat *a, const struct tt_sys_stat *b)
{
	return a->volume == b->volume && a->id == b->id;
}

bool tt_sys_exists(const char *path);
/* Return 0 if the file may be read, or written, or if a new file may be made in the folder. */
int tt_sys_may_read(const char *path);
int tt_sys_may_write(const char *path);
int tt_sys_may_make_in(const char *folder);

int tt_sys_remove(const char *path);
/* Rename the file ${from} to ${to}, replacing a file of that name. Others see the old or the new file at any moment. */
int tt_sys_replace(const char *from, const char *to);
int tt_sys_make_folder(const char *path);
/* Write the target of a symbolic link to ${to}, with a NUL. Returns its length, or -1; EINVAL: ${path} is no link. */
int64_t tt_sys_read_link(const char *path, char to[TT_PATH_BYTES]);
/* Return the absolute path without links, which the caller gives to free(); NULL on failure. */
char *tt_sys_real_path(const char *path);

/* Call ${each} with each name in ${folder} but "." and "..", in any order, until ${each} returns false. */
int tt_sys_list(const char *folder, bool (*each)(void *arg, const char *name), void *arg);

/*
 * Call ${each} with each path that matches the pattern ${path}, in order, until ${each} returns false. Only on Windows, where no shell does that: * and ? in
 * the last component. Returns the number of paths; 0 if no path matches, or if ${path} is no pattern.
 */
size_t tt_sys_expand_pattern(const char *path, bool (*each)(void *arg, const char *path), void *arg);

/* Return the system's default folder for temporary files. */
const char *tt_sys_temp_dir(void);

/* Return the last component of ${path}, which may be empty. Separators are '/', and on Windows also '\' and the ':' of a drive. */
const char *tt_sys_base_name(const char *path);
/* True if both names are the same file name in a folder: on Windows, names that differ only in the case of ASCII letters are. */
bool tt_sys_is_same_name(const char *a, const char *b);
/* True if ${c} separates the components of a path; true if ${path} does not depend on the present folder. */
bool tt_sys_is_separator(char c);
bool tt_sys_is_absolute(const char *path);

/* --- the machine and this process -------------------------------------------------- */

/* Return the number of processors that this process may use, at least 1. */
unsigned tt_sys_ncpus(void);
/* Fill the ${n} bytes at ${p} with random bytes, without waiting; false: the system has none. */
bool tt_sys_random(void *p, size_t n);
/* Allocate memory aligned to ${align}, a power of two; ${n} is a multiple of it. Free it with tt_sys_free_aligned() only. */
void *tt_sys_aligned(size_t align, size_t n);
void tt_sys_free_aligned(void *p);
/* Return freed memory that the allocator keeps to the system. */
void tt_sys_trim(void);
/* Advise the allocator to return freed blocks of at least ${bytes} to the system at once. */
void tt_sys_trim_blocks_from(size_t bytes);

/* Return monotonic time, and time since 1970 in UTC, in ns. */
int64_t tt_sys_clock_ns(void);
int64_t tt_sys_time_ns(void);

long tt_sys_process_id(void);
/* True if process ${pid} has ended, or ends within ${wait_ms}. */
bool tt_sys_has_ended(long pid, int wait_ms);

struct tt_sys_cost { int64_t user_ns, system_ns; uint64_t peak_bytes; };
bool tt_sys_cost(struct tt_sys_cost *cost);
/* Sum the costs of all processes that this one has started and waited for; the peak is the largest one. */
bool tt_sys_cost_of_children(struct tt_sys_cost *cost);

/* Return how many files may be open at once; 0: not known. */
uint64_t tt_sys_max_files(void);
/* Return the text of the errno ${code}; static. */
const char *tt_sys_error(int code);

/* Run ${run} on a stack of at least ${bytes}. */
int tt_sys_run_on_stack(int (*run)(int argc, char **argv), int argc, char **argv, size_t bytes);

/* --- other programs ------------------------------------------------------------------ */

/* Return the path by which this program can be started again; static. */
const char *tt_sys_program_path(void);

/*
 * On Windows: run ${argv}[0], found as the system finds programs, and wait until it ends; *${code}: its exit code. On other systems lib/io/program.c runs
 * programs, and passes signals on to them.
 */
int tt_sys_run(const char *const *argv, int *code);

/* Open ${path} as a double click on it does; false: this system has no call for that, or the call failed. */
bool tt_sys_open_in_viewer(const char *path);

/* Make a new folder that only this user may open; ${path} ends with XXXXXX, which is replaced by random characters. */
int tt_sys_make_own_folder(char *path);
/* Remove an empty folder. */
int tt_sys_remove_folder(const char *path);

/* --- being asked to stop ------------------------------------------------------------ */

/* Keep signals away from threads that are started between the two calls. */
struct tt_sys_signal_mask { unsigned char saved[128]; };
void tt_sys_block_signals(struct tt_sys_signal_mask *held);
void tt_sys_restore_signals(const struct tt_sys_signal_mask *held);

/* Replace the arguments of main() with the same in UTF-8; they stay valid until the program ends. */
void tt_sys_decode_arguments(int *argc, char ***argv);

/* Call first in main(): closed standard descriptors are opened so that no file gets their numbers, and standard streams carry bytes as they are. */
void tt_sys_prepare_process(void);

/* The number ${by} if tt_sys_alarm() asks the process to stop; other numbers are signals. */
enum { TT_STOP_BY_ALARM = -1 };

/**
 * tt_sys_catch_stop(on):
 * From now on call ${on} instead of ending when the user, the system or tt_sys_alarm() asks the process to stop. ${on} runs in a signal handler, or on Windows
 * on a thread of the system: it may set flags, and call tt_sys_remove(), tt_sys_alarm(), tt_sys_write(), tt_sys_end_by_signal() and _Exit(). Signals that were
 * ignored when the program began stay ignored. After ${on}, waiting calls return with EINTR. Writing to a pipe without a reader fails with EPIPE from now on.
 */
void tt_sys_catch_stop(void (*on)(int by));

/* Ask this process to stop after ${ns}; 0: cancel that. */
void tt_sys_alarm(int64_t ns);

/* End as the signal ${by} ends a program that does not catch it; without signals, with exit code 128 + ${by}. Or end as a program whose reader has gone. */
void tt_sys_end_by_signal(int by);
void tt_sys_end_by_closed_pipe(void);

/* --- the terminal ------------------------------------------------------------------- */

bool tt_sys_is_terminal(int fd);
/* Return the columns of the terminal ${fd}; 0: it is no terminal. */
unsigned tt_sys_columns(int fd);
/* True if the terminal ${fd} shows colours; on Windows this switches them on. */
bool tt_sys_shows_colors(int fd);

#endif
