/**
 * Calls of a recorder that fail on purpose. Loaded before a program (LD_PRELOAD), it stands in for what the recorder
 * calls, not for what the program and its other libraries do.
 *
 * TT_REC_LIB=NAME    the recorder: a part of its file's name
 * TT_REC_CALL=NAME   the call that fails
 * TT_REC_AT=N        the Nth of these; with TT_REC_ON=1 all after it, too
 * TT_REC_TOLD=FILE   is made when one fails
 * TT_REC_LACKS=NAMES functions that dlsym() does not find, with commas between
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is replaced here, by the names glibc and, where there is one, a sanitizer's library have for their own. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
__attribute__((weak)) void *__interceptor_malloc(size_t n);
__attribute__((weak)) void *__interceptor_calloc(size_t n, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *p, size_t n);
__attribute__((weak)) int __interceptor_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg);
#define OWN(name) (__interceptor_##name ? __interceptor_##name : __libc_##name)

static const char *lib, *which, *told, *lacks;
static long at;
static bool on;
static atomic_long calls;
static __thread bool asking;

__attribute__((constructor)) static void
begin(void)
{
	const char *n = getenv("TT_REC_AT");

	lib = getenv("TT_REC_LIB");
	which = getenv("TT_REC_CALL");
	told = getenv("TT_REC_TOLD");
	lacks = getenv("TT_REC_LACKS");
	on = getenv("TT_REC_ON") != NULL;
	at = n ? atol(n) : 0;
}

/* Is ${from} in the recorder? */
static bool
ours(const void *from)
{
	Dl_info i;

	if (!lib || asking)
		return false;
	asking = true;
	bool is = dladdr(from, &i) && i.dli_fname && strstr(i.dli_fname, lib);
	asking = false;
	return is;
}

/* Does this call of ${name}, made from ${from}, fail? */
static bool
fails(const char *name, const void *from)
{
	if (at == 0 || !which || strcmp(name, which) != 0 || !ours(from))
		return false;
	long n = atomic_fetch_add(&calls, 1) + 1;
	if (n < at || (n > at && !on))
		return false;
	if (told)
		syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, told, O_WRONLY | O_CREAT, 0600));
	return true;
}

#define FROM __builtin_return_address(0)
/* The next of that name: the system's. */
#define REAL(type, name) ((type)(uintptr_t)dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5"))

#define FAIL(error, value) do { errno = (error); return (value); } while (0)

void *
malloc(size_t n)
{
	if (fails("malloc", FROM))
		FAIL(ENOMEM, NULL);
	return OWN(malloc)(n);
}

void *
calloc(size_t n, size_t size)
{
	if (fails("calloc", FROM))
		FAIL(ENOMEM, NULL);
	return OWN(calloc)(n, size);
}

void *
realloc(void *p, size_t n)
{
	if (fails("realloc", FROM))
		FAIL(ENOMEM, NULL);
	return OWN(realloc)(p, n);
}

void *
mmap64(void *p, size_t n, int prot, int flags, int fd, off_t from)
{
	if (fails("mmap", FROM))
		FAIL(ENOMEM, MAP_FAILED);
	return (void *)syscall(SYS_mmap, p, n, prot, flags, fd, from);
}

int
open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (flags & (O_CREAT | O_TMPFILE)) {
		__builtin_va_list ap;
		__builtin_va_start(ap, flags);
		mode = __builtin_va_arg(ap, mode_t);
		__builtin_va_end(ap);
	}
	if (fails("open", FROM))
		FAIL(EACCES, -1);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	if (fails("write", FROM))
		FAIL(ENOSPC, -1);
	return REAL(ssize_t (*)(int, const void *, size_t), "write")(fd, p, n);
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off_t to)
{
	if (fails("pwrite", FROM))
		FAIL(EIO, -1);
	return syscall(SYS_pwrite64, fd, p, n, to);
}

ssize_t
read(int fd, void *p, size_t n)
{
	if (fails("read", FROM))
		FAIL(EIO, -1);
	return REAL(ssize_t (*)(int, void *, size_t), "read")(fd, p, n);
}

int
ftruncate64(int fd, off_t n)
{
	if (fails("ftruncate", FROM))
		FAIL(EIO, -1);
	return (int)syscall(SYS_ftruncate, fd, n);
}

int
posix_fallocate64(int fd, off_t from, off_t n)
{
	if (fails("fallocate", FROM))
		return ENOSPC;
	return syscall(SYS_fallocate, fd, 0, from, n) == 0 ? 0 : errno;
}

int
pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (fails("thread", FROM))
		return EAGAIN;
	if (!real)
		real = __interceptor_pthread_create ? __interceptor_pthread_create
		    : REAL(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), "pthread_create");
	return real(t, a, run, arg);
}

/*
 * A runtime that lacks functions: here, and wherever else the recorder looks. The last call is a jump: RTLD_NEXT is what
 * comes after the caller, which sanitizers ask for.
 */
#ifndef __clang__
__attribute__((optimize("optimize-sibling-calls")))
#endif
void *
dlsym(void *restrict handle, const char *restrict name)
{
	static void *(*real)(void *, const char *);
	size_t n = strlen(name);

	if (!real)
		real = REAL(void *(*)(void *, const char *), "dlsym");
	for (const char *p = lacks; p && (p = strstr(p, name)) != NULL; p += n)
		if ((p == lacks || p[-1] == ',') && (p[n] == ',' || p[n] == '\0') && ours(FROM))
			return NULL;
	return real(handle, name);
}

/* What a library does as it is loaded is no call of the recorder's: its counters of coverage, for one. */
void *
dlopen(const char *path, int flags)
{
	void *(*real)(const char *, int) = REAL(void *(*)(const char *, int), "dlopen");
	bool was = asking;

	asking = true;
	void *found = real(path, flags);
	asking = was;
	return found;
}
