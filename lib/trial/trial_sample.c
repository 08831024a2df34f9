/**
 * Makes a sample of a capture.
 *
 * The process that runs builds cannot be confined, but a process that reads captures must be. So a child process reads, and sends the sample in the format of
 * baselines.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/setting.h"
#include "trial/state.h"

/* In the child: read the capture and write its sample as JSON. */
static int
read_sample(struct tt_trial *x, const struct tt_budget *b, const char *path, struct tt_buf *out, struct tt_err *err)
{
	struct tt_json j = { .out = out };
	struct tt_sample s;
	int rc = x->o->read(x->o->arg, b, path, &s, err);

	if (rc != TT_OK)
		return rc;
	tt_json_open(&j, NULL, "{");
	tt_json_bool(&j, "empty", s.empty);
	tt_sample_put(&j, "sample", &s, b->measure, b->nmeasure);
	tt_json_close(&j, "}");
	return tt_buf_error(out, err);
}

static void
send_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno != EINTR)
			_exit(4);
		p += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
}

/* Run the child process; does not return. */
static void
child(struct tt_trial *x, const struct tt_budget *b, const char *path, int fd)
{
	struct tt_buf out = { 0 };
	struct tt_json j = { .out = &out };
	struct tt_err err = { 0 };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN);      /* a terminal sends the signal to both processes: the parent ends when the child is done */
	if (read_sample(x, b, path, &out, &err) != TT_OK) {
		out.n = 0;
		tt_json_open(&j, NULL, "{");
		tt_json_i64(&j, "code", err.code);
		tt_json_text(&j, "error", err.msg);
		tt_json_close(&j, "}");
	}
	send_all(fd, out.p, out.n);
	x->o->show(x->o->arg, NULL);
	_exit(0);
}

void
tt_trial_remove_leftovers(struct tt_trial *x, const char *path)
{
	pid_t pid = access(path, F_OK) == 0 ? fork() : -1;

	if (pid == 0) {
		x->o->remove_leftovers(x->o->arg, path);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static int
receive(int fd, struct tt_buf *text, struct tt_err *err)
{
	int rc;

	while ((rc = tt_buf_room(text, 1 << 16, err)) == TT_OK) {
		ssize_t n = read(fd, text->p + text->n, 1 << 16);

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return tt_fail_sys(err, errno, "reading a sample");
		text->n += n > 0 ? (size_t)n : 0;
	}
	return rc;
}

static int
take(struct tt_trial *x, const struct tt_budget *b, const struct tt_trial_run *run, const json_t *j, struct tt_sample *s, struct tt_err *err)
{
	const struct tt_sample_reader how = { .x = b->measure, .n = b->nmeasure, .detail = TT_SAMPLE_WHOLE, .a = &x->a };
	const char *what = json_string_value(json_object_get(j, "error"));
	int rc;

	if (what && x->is_dir_temporary)
		return tt_fail(err, (int)json_integer_value(json_object_get(j, "code")), TT_NOWHERE, "%s: %s (%s DIR keeps the capture)", run->name, what,
		    tt_setting_name[TT_SETTING_KEEP]);
	if (what)
		return tt_fail(err, (int)json_integer_value(json_object_get(j, "code")), TT_NOWHERE, "%s: %s", run->name, what);
	rc = tt_sample_parse(&how, json_object_get(j, "sample"), s, err);
	if (rc != TT_OK)
		return rc;
	s->empty = json_is_true(json_object_get(j, "empty"));
	s->name = tt_arena_text(&x->a, x->is_dir_temporary ? run->name : run->path, strlen(x->is_dir_temporary ? run->name : run->path), err);
	return s->name ? TT_OK : err->code;
}

int
tt_trial_sample(struct tt_trial *x, const struct tt_budget *b, const struct tt_trial_run *run, struct tt_sample *s, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int fd[2], status = 0, rc;
	json_t *j = NULL;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) != 0)
		return tt_fail_sys(err, errno, "pipe");
	pid = fork();
	if (pid == 0)
		child(x, b, run->path, fd[1]);
	close(fd[1]);
	rc = pid < 0 ? tt_fail_sys(err, errno, "fork") : receive(fd[0], &text, err);
	close(fd[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (rc == TT_OK)
		j = json_loadb(text.p ? text.p : "", text.n, 0, NULL);
	if (rc == TT_OK && !j)
		rc = WIFSIGNALED(status) ? tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "%s: reading its capture ended by signal %d", run->name, WTERMSIG(status)) :
		    tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "%s: reading its capture ended with exit status %d", run->name, WEXITSTATUS(status));
	TT_THEN(rc, take(x, b, run, j, s, err));
	json_decref(j);
	tt_buf_free(&text);
	return rc;
}
