/**
 * Plays a game with a plug-in in a forked process.
 */
#include "play.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ttc/layout.h"

const char *
play_plugin(void)
{
	static char path[1024];
	const char *build = getenv("BUILD"), *plugin = getenv("TT_PLUGIN");

	if (plugin)
		return plugin;
	snprintf(path, sizeof path, "%s/libtracetool-unity.so", build ? build : "./build");
	return path;
}

const char *
play_tracetool(void)
{
	static char path[1024];
	const char *build = getenv("BUILD"), *program = getenv("TRACETOOL");

	if (program)
		return program;
	snprintf(path, sizeof path, "%s/tracetool", build ? build : "./build");
	return path;
}

bool
play_long(void)
{
	const char *set = getenv("TT_SET");

	return set && strcmp(set, "all") == 0;
}

bool
play_sanitized(void)
{
	return getenv("TT_SANITIZED") && *getenv("TT_SANITIZED");
}

/* --- the slow sink --------------------------------------------------------------- */

/*
 * The recorder is a library of this process, so its write() is ours (the program is linked with -rdynamic). The library may use any of
 * these.
 */
static _Atomic int slow;              /* 0: no; 1: at the rate; 2: nothing goes through */
static double slow_rate;

static void
hold_back(int fd, size_t n)
{
	struct stat st;

	if (!slow || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	while (slow == 2)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	if (slow == 1) {
		double s = (double)n / slow_rate;

		nanosleep(&(struct timespec){ (time_t)s, (long)((s - (double)(time_t)s) * 1e9) }, NULL);
	}
}

ssize_t
write(int fd, const void *p, size_t n)
{
	hold_back(fd, n);
	return syscall(SYS_write, fd, p, n);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	hold_back(fd, n);
	return syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t
writev(int fd, const struct iovec *v, int n)
{
	size_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += v[i].iov_len;
	hold_back(fd, sum);
	return syscall(SYS_writev, fd, v, n);
}

void
play_slow(double rate)
{
	slow_rate = rate;
	slow = rate > 0 ? 1 : 2;
}

void
play_slow_end(void)
{
	slow = 0;
}

/* --- playing ---------------------------------------------------------------------- */

int
play_until(enum tracetool_state state)
{
	int32_t (*now)(void) = PLAY_CALL(tracetool_state);

	/* A minute at least: what comes late on a busy machine is no fault. */
	for (int i = 0; i < 60000; i++) {
		if (!now || now() == (int32_t)state)
			return 0;
		engine_frame();
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	return -1;
}

void
play_remove(const char *path)
{
	struct { struct ttc_head head; char ring[512]; } h = { .ring = "" };
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(&h, 1, sizeof h - 1, f) : 0;

	if (f)
		fclose(f);
	if (n > sizeof h.head && memcmp(h.head.magic, TTC_MAGIC, 8) == 0 && h.ring[0] == '/')
		unlink(h.ring);
	unlink(path);
}

void
play_new(struct play *p)
{
	engine_start(&p->engine);
	p->g = game_new(&p->game);
	p->a = account_new(p->game.threads + (p->game.churn ? p->game.frames / p->game.churn : 0), p->notes);
}

void
play_free(struct play *p)
{
	game_free(p->g);
	account_free(p->a);
	p->g = NULL;
	p->a = NULL;
}

static void
player(struct play *p)
{
	if (p->quiet && !freopen("/dev/null", "w", stderr))
		_exit(120);
	unsetenv("TRACETOOL_CAPTURE");
	unsetenv("TRACETOOL_OPTIONS");
	if (p->capture)
		setenv("TRACETOOL_CAPTURE", p->capture, 1);
	char options[1024];
	snprintf(options, sizeof options, "overwrite=yes;%s", p->options ? p->options : "");
	setenv("TRACETOOL_OPTIONS", options, 1);
	if (engine_load(p->plugin ? p->plugin : play_plugin()) != 0)
		_exit(121);
	int32_t (*now)(void) = PLAY_CALL(tracetool_state);
	bool refused = now && now() == TRACETOOL_IDLE;     /* it has said why */
	if (p->capture && (refused || play_until(TRACETOOL_CAPTURING) != 0)) {
		fputs("play: the capture did not start\n", stderr);
		_exit(122);
	}
	game_play(p->g, p->a, p->each, p->arg);
	if (p->last)
		p->last(p);
	if (!p->no_stop)
		engine_unload(true);
	exit(0);
}

void
play_start(struct play *p)
{
	fflush(NULL);
	p->pid = fork();
	if (p->pid < 0)
		abort();
	if (p->pid == 0)
		player(p);
}

int
play_wait(struct play *p)
{
	int status;

	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	game_played(p->g, p->a);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int
play_run(struct play *p)
{
	play_new(p);
	play_start(p);
	return play_wait(p);
}
