/**
 * Keeps the folder of an A/B run.
 *
 * Besides the captures it has a file "runs": lines that describe the comparison, then a line for each run:
 *
 *	tracetool ab 1
 *	seed 4711
 *	pairs 10, stopping early
 *	old ./old/Game -batchmode
 *	new ./new/Game -batchmode
 *	recorded by the builds
 *	old 1: good
 *	new 1: signal 11, Segmentation fault
 *
 * If rows were made, it also has "rows.json". A run without a line was interrupted, and is run again. "runs" is written first: a folder without it is not ours,
 * and nothing in it is overwritten.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/setting.h"
#include "gate/document.h"
#include "io/outputs.h"
#include "io/spool.h"
#include "trial/state.h"

#define RUNS "runs"
#define ROWS "rows.json"
#define HEAD "tracetool ab 1\n"

static const char *
path_of(struct tt_trial *x, const char *name, struct tt_err *err)
{
	char *path = tt_arena_alloc(&x->a, strlen(x->dir) + strlen(name) + 2, err);

	if (path)
		sprintf(path, "%s/%s", x->dir, name);
	return path;
}

static const char *
recorded(const struct tt_trial *x)
{
	bool old = tt_trial_is_recorded(x, TT_OLD), new = tt_trial_is_recorded(x, TT_NEW);

	return old && new ? "as Mono programs" : old ? "the old build as a Mono program" : new ? "the new build as a Mono program" : "by the builds";
}

static void
put_head(const struct tt_trial *x, struct tt_buf *out)
{
	tt_buf_printf(out, HEAD "seed %" PRIu64 "\npairs %zu, %s\nold %s\nnew %s\nrecorded %s", x->seed, x->npairs,
	    x->o->until == TT_TRIAL_ALL ? "all" : "stopping early", x->command[TT_OLD], x->command[TT_NEW],
	    recorded(x));
	for (const char *const *p = x->o->profile; p && *p; p++)
		tt_buf_printf(out, " -p %s", *p);
	tt_buf_text(out, "\n");
}

int
tt_trial_folder_note(struct tt_trial *x, struct tt_err *err)
{
	const char *path = path_of(x, RUNS, err);
	struct tt_buf text = { 0 };
	int rc;

	if (!path)
		return err->code;
	put_head(x, &text);
	for (size_t i = 0; i < x->npairs; i++)
		for (enum tt_side s = TT_OLD; s < TT_SIDES; s++)
			if (x->run[s][i].end != TT_RUN_NONE)
				tt_buf_printf(&text, "%s %zu: %s\n", tt_trial_side[s], i + 1, x->run[s][i].end == TT_RUN_GOOD ? "good"
				    : x->run[s][i].crash_text);
	rc = tt_output_write(x->env, path, &text, err);
	tt_buf_free(&text);
	return rc;
}

int
tt_trial_folder_rows(struct tt_trial *x, const struct tt_buf *rows, struct tt_err *err)
{
	const char *path = path_of(x, ROWS, err);

	return !path ? err->code : x->is_dir_temporary ? TT_OK : tt_output_write(x->env, path, rows, err);
}

/* Add the run described by a line; return false if the line is invalid. */
static bool
take_line(struct tt_trial *x, const char *line, size_t n, struct tt_err *err)
{
	char side[8], how[100], name[40];
	unsigned long pair;
	int at = 0;

	if (n >= 200)
		return false;
	char text[200];
	memcpy(text, line, n);
	text[n] = '\0';
	if (sscanf(text, "%7s %lu: %n", side, &pair, &at) != 2 || at == 0 || pair == 0 || pair > x->npairs)
		return false;
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++) {
		struct tt_trial_run *run = &x->run[s][pair - 1];

		if (strcmp(side, tt_trial_side[s]) != 0)
			continue;
		snprintf(how, sizeof how, "%.99s", text + at);
		snprintf(name, sizeof name, "%s-%lu.ttc", side, pair);
		*run = (struct tt_trial_run){ .end = strcmp(how, "good") == 0 ? TT_RUN_GOOD : TT_RUN_CRASHED, .path = path_of(x, name, err) };
		snprintf(run->name, sizeof run->name, "%s %lu", side, pair);
		memcpy(run->crash_text, how, sizeof how);
		/* The capture was removed: run it again. */
		if (run->end == TT_RUN_GOOD && (!run->path || access(run->path, R_OK) != 0))
			run->end = TT_RUN_NONE;
		return true;
	}
	return false;
}

/* Fail because the folder belongs to a different comparison: name the first line of its head in ${text} that differs from ${head}. */
static int
refuse_head(const struct tt_trial *x, const char *text, const char *head, struct tt_err *err)
{
	const char *is_of;            /* the settings that determine the line */
	size_t n, had;

	while ((n = strcspn(head, "\n")) == (had = strcspn(text, "\n")) && memcmp(head, text, n) == 0 && head[n] && text[n]) {
		head += n + 1;
		text += n + 1;
	}
	is_of = tt_setting_name[strncmp(head, "pairs ", 6) == 0 ? TT_SETTING_PAIRS :
	    strncmp(head, "recorded ", 9) == 0 ? TT_SETTING_RECORDING : TT_SETTING_NONE];
	n = n < 150 ? n : 150;
	had = had < 150 ? had : 150;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: its runs were made with \"%.*s\", not with \"%.*s\"%s%s%s: give the same as then, "
	    "or name another folder", x->dir, (int)had, text, (int)n, head, is_of[0] ? " (" : "", is_of, is_of[0] ? ")" : "");
}

static int
take_runs(struct tt_trial *x, struct tt_buf *text, struct tt_err *err)
{
	struct tt_buf head = { 0 };
	uint64_t seed = x->seed;
	int rc;

	sscanf(tt_buf_string(text), HEAD "seed %" SCNu64, &seed);
	if (x->o->seed != UINT64_MAX && seed != x->o->seed)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: its runs are ordered by the seed %" PRIu64 ": leave out %s, or name another folder",
		    x->dir, seed, tt_setting_name[TT_SETTING_SEED]);
	x->seed = seed;
	put_head(x, &head);
	rc = tt_buf_error(&head, err);
	if (rc == TT_OK && (text->n < head.n || memcmp(text->p, head.p, head.n) != 0))
		rc = refuse_head(x, tt_buf_string(text), tt_buf_string(&head), err);
	for (size_t i = head.n, n; i < text->n && rc == TT_OK; i += n + 1) {
		n = strcspn(text->p + i, "\n");
		if (n && !take_line(x, text->p + i, n, err))
			rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s/" RUNS ": is damaged: \"%.*s\"", x->dir, (int)(n < 60 ? n : 60), text->p + i);
	}
	tt_buf_free(&head);
	return rc;
}

/* True if the list has a run. */
static bool
has_runs(struct tt_buf *text)
{
	unsigned long pair;
	int at = 0;

	for (const char *line = tt_buf_string(text); line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, "old %lu: %n", &pair, &at) == 1 || sscanf(line, "new %lu: %n", &pair, &at) == 1)
			return true;
	return false;
}

static size_t
count_runs(const struct tt_trial *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->npairs; i++)
		for (enum tt_side s = TT_OLD; s < TT_SIDES; s++)
			n += x->run[s][i].end != TT_RUN_NONE;
	return n;
}

/* Fail if the folder has captures or rows of someone else, which would be overwritten. */
static int
refuse_others(struct tt_trial *x, struct tt_err *err)
{
	DIR *d = opendir(x->dir);
	struct dirent *e;
	int rc = TT_OK;

	if (!d)
		return tt_fail_sys(err, errno, "%s", x->dir);
	while (rc == TT_OK && (e = readdir(d)))
		if (fnmatch("old-*.ttc", e->d_name, 0) == 0 || fnmatch("new-*.ttc", e->d_name, 0) == 0 || strcmp(e->d_name, ROWS) == 0)
			rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s/%s exists and no run of tracetool ab made it: name another folder with %s",
			    x->dir, e->d_name, tt_setting_name[TT_SETTING_KEEP]);
	closedir(d);
	return rc;
}

static int
take_kept(struct tt_trial *x, struct tt_buf *rows, struct tt_err *err)
{
	const char *runs = path_of(x, RUNS, err), *made = runs ? path_of(x, ROWS, err) : NULL;
	struct tt_buf text = { 0 };
	int rc;

	if (!made)
		return err->code;
	if (access(runs, F_OK) != 0) {
		if (x->o->resume)
			tt_log(x->env, TT_LOG_NORMAL, "%s: there is nothing to resume, so all is run", x->dir);
		rc = refuse_others(x, err);
		return rc == TT_OK ? tt_trial_folder_note(x, err) : rc;
	}
	rc = tt_document_read(x->env, runs, &text, err);
	if (rc == TT_OK && strncmp(tt_buf_string(&text), HEAD, strlen(HEAD)) != 0)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s was not written by this version of tracetool ab: name another folder with %s", runs,
		    tt_setting_name[TT_SETTING_KEEP]);
	if (rc == TT_OK && !x->o->resume && has_runs(&text))
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has runs already: continue them with %s, or name another folder", x->dir,
		    tt_setting_name[TT_SETTING_RESUME]);
	if (rc == TT_OK && x->o->resume)
		rc = take_runs(x, &text, err);
	tt_buf_free(&text);
	if (rc != TT_OK)
		return rc;
	if (!x->o->resume || count_runs(x) == 0) {
		unlink(made);
		return tt_trial_folder_note(x, err);
	}
	tt_log(x->env, TT_LOG_NORMAL, "%zu run%s taken from %s", count_runs(x), count_runs(x) == 1 ? " is" : "s are", x->dir);
	if (rc == TT_OK && !x->o->budget && access(made, F_OK) == 0)
		rc = tt_document_read(x->env, made, rows, err);
	return rc;
}

/* Set the folder passed to programs: an absolute path without characters that recorders treat as a pattern. */
static int
set_dir(struct tt_trial *x, const char *dir, struct tt_err *err)
{
	char *real = realpath(dir, NULL);
	int rc = TT_OK;

	if (!real)
		return tt_fail_sys(err, errno, "%s", dir);
	if (strchr(real, '%'))
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: recorders take the %% for a pattern: name a folder without", real);
	x->dir = rc == TT_OK ? tt_arena_text(&x->a, real, strlen(real), err) : NULL;
	free(real);
	return x->dir ? TT_OK : err->code;
}

/* Lock the folder until the program ends: two runs at once would mix their captures. */
static int
lock_dir(struct tt_trial *x, struct tt_err *err)
{
	int fd = open(x->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return tt_fail_sys(err, errno, "%s", x->dir);
	/* Other errors mean that the filesystem has no locks. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: another tracetool ab runs in this folder: wait for it, or name another with %s", x->dir,
		    tt_setting_name[TT_SETTING_KEEP]);
	return TT_OK;
}

int
tt_trial_folder_open(struct tt_trial *x, struct tt_buf *rows, struct tt_err *err)
{
	char own[4096];
	int rc;

	if (x->o->keep_folder) {
		if (mkdir(x->o->keep_folder, 0777) != 0 && errno != EEXIST)
			return tt_fail_sys(err, errno, "%s", x->o->keep_folder);
		rc = set_dir(x, x->o->keep_folder, err);
		TT_THEN(rc, lock_dir(x, err));
		return rc == TT_OK ? take_kept(x, rows, err) : rc;
	}
	snprintf(own, sizeof own, "%s/tracetool-ab.XXXXXX", tt_spool_dir(x->env));
	if (!mkdtemp(own))
		return tt_fail_sys(err, errno, "%s", own);
	x->is_dir_temporary = true;
	rc = set_dir(x, own, err);
	if (rc != TT_OK)
		rmdir(own);
	return rc;
}

static int
drop(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st;
	(void)what;
	(void)at;
	remove(path);
	return 0;
}

void
tt_trial_folder_close(struct tt_trial *x)
{
	if (x->is_dir_temporary && x->dir)
		nftw(x->dir, drop, 16, FTW_DEPTH | FTW_PHYS);
}
