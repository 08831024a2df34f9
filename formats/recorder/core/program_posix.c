/**
 * Finds the recorded program's environment, command line, log and control file on POSIX.
 */
#include "recorder/core/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#endif

size_t
program_env(const char *name, char *to, size_t size)
{
	const char *s = getenv(name);
	size_t n = s ? strlen(s) : 0;

	if (n >= size)
		n = size - 1;
	memcpy(to, s ? s : "", n);
	to[n] = '\0';
	return n;
}

size_t
program_read(const char *path, char *to, size_t size)
{
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return 0;
	while (n < size) {
		ssize_t got = read(fd, to + n, size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	return n;
}

#ifdef __APPLE__
void
program_args(void (*take)(void *arg, const char *s, const char *next), void *arg)
{
	char **argv = *_NSGetArgv();

	for (int i = 0; i < *_NSGetArgc(); i++)
		take(arg, argv[i], argv[i + 1]);
}
#else
void
program_args(void (*take)(void *arg, const char *s, const char *next), void *arg)
{
	enum { MAX_ARGS_BYTES = 256 * 1024 };
	char *s = malloc(MAX_ARGS_BYTES);
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	while (s && fd >= 0 && n < MAX_ARGS_BYTES - 1 && (got = read(fd, s + n, MAX_ARGS_BYTES - 1 - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (s)
		s[n] = '\0';
	for (size_t at = 0, len; at < n; at += len + 1) {
		len = strlen(s + at);
		take(arg, s + at, at + len + 1 < n ? s + at + len + 1 : NULL);
	}
	free(s);
}
#endif

int64_t
program_unix_s(void)
{
	return (int64_t)time(NULL);
}

void
program_say(const char *line)
{
	size_t n = strlen(line);

	while (n > 0) {
		ssize_t got = write(STDERR_FILENO, line, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		line += got;
		n -= (size_t)got;
	}
}

uint64_t
program_stamp(const char *path, const char **why)
{
	struct stat st;

	*why = NULL;
	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		*why = "it is not a regular file";
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		*why = "it belongs to another user";
	else if (st.st_mode & S_IWOTH)
		*why = "everybody may write to it (chmod o-w)";
#ifdef __APPLE__
	struct timespec t = st.st_mtimespec;
#else
	struct timespec t = st.st_mtim;
#endif
	uint64_t h = (uint64_t)t.tv_sec * 1000000007u + (uint64_t)t.tv_nsec;
	h = h * 1000003u + (uint64_t)st.st_size;
	h = h * 1000003u + (uint64_t)st.st_ino;
	h = h * 1000003u + (uint64_t)st.st_mode;      /* a file that becomes obeyable counts as changed */
	return h ? h : 1;
}
