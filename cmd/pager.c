/**
 * Runs the helper process that starts a pager.
 */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The shell's exit statuses for a command that cannot be run, or is not found. */
#define CANNOT_RUN 126
#define NOT_FOUND 127

/* The pager's command, or NULL if none is wanted. */
static const char *
command(void)
{
	const char *term = getenv("TERM"), *pager = getenv("TRACETOOL_PAGER");

	if (!term || strcmp(term, "dumb") == 0)
		return NULL;
	pager = pager ? pager : getenv("PAGER");
	pager = pager ? pager : "command -v less >/dev/null || exit 127; exec less";
	return pager[0] && strcmp(pager, "cat") != 0 ? pager : NULL;
}

/* Run ${command} with ${in} as its input and no other descriptor. Return its exit status. */
static int
run(const char *command, int in)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (in != STDIN_FILENO)
			dup2(in, STDIN_FILENO);
		close(in);
		/* Pass colours, quit if the text fits the screen, and leave it on the screen, as git does. */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(NOT_FOUND);
	}
	if (pid < 0)
		return NOT_FOUND;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return NOT_FOUND;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Run in the helper process: wait for text, run the pager, report how it ended. */
static void
help(const char *command, int text, int end)
{
	struct pollfd p = { .fd = text, .events = POLLIN };
	unsigned char status;

	/* Signals from the keyboard are meant for the pager, which sets its own handlers. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	if (!(p.revents & POLLIN))
		_exit(0);
	signal(SIGPIPE, SIG_DFL);
	status = (unsigned char)run(command, text);
	while (write(end, &status, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

void
pager_start(struct pager *p)
{
	const char *pager = command();
	int text[2], end[2];
	struct winsize w;
	pid_t pid;

	if (!pager || p->text || !isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row == 0)
		return;
	if (pipe2(text, O_CLOEXEC) != 0)
		return;
	pid = pipe2(end, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid == 0) {
		close(text[1]);
		close(end[0]);
		help(pager, text[0], end[1]);
	}
	close(text[0]);
	if (pid < 0) {
		close(text[1]);
		return;
	}
	close(end[1]);
	*p = (struct pager){ .text = text[1], .end = end[0], .rows = w.ws_row };
}

/* True if the text has more lines than fit above the prompt. */
static bool
is_long(const struct tt_buf *text, unsigned rows)
{
	const char *p = text->p, *to = p + text->n;
	unsigned lines = 0;

	while (lines < rows && p < to && (p = memchr(p, '\n', (size_t)(to - p))) != NULL) {
		lines++;
		p++;
	}
	return lines >= rows;
}

bool
pager_show(struct pager *p, const struct tt_buf *text)
{
	unsigned char status = 0;
	size_t at = 0;
	ssize_t n;

	if (!p->text || !is_long(text, p->rows))
		return false;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (at < text->n) {
		n = write(p->text, text->p + at, text->n - at);
		if (n < 0 && errno != EINTR)
			break;        /* the pager ended early, or did not start */
		at += n > 0 ? (size_t)n : 0;
	}
	close(p->text);
	while (read(p->end, &status, 1) < 0 && errno == EINTR)
		;
	close(p->end);
	*p = (struct pager){ 0 };
	return status != CANNOT_RUN && status != NOT_FOUND;
}
