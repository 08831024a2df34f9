/**
 * Reads the options that all verbs with captures share, and opens the captures.
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "model/path_facts.h"
#include "model/facts.h"
#include "model/format.h"
#include "model/tree.h"
#include "base/parse_value.h"
#include "run/run.h"
#include "sys/sys.h"

#define JOBS_MAX 256
#define DEFAULT_SPOOL (UINT64_C(8) << 30)
#define DEFAULT_PATHS 500000

static const char *
format_value(size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!tt_formats[k])
			return NULL;
	}
	return tt_formats[i] ? tt_formats[i]->name : NULL;
}

static const char *
align_value(size_t i)
{
	static const char *const v[] = { "auto", "start", "clock", "wall", NULL };    /* enum tt_align */

	return v[i];
}

static const char *
names_value(size_t i)
{
	static const char *const v[] = { "short", "full", NULL };     /* enum tt_names_form */

	return v[i];
}

static int
set_time(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct input_opts *in = field;

	(void)o, (void)a;
	return tt_parse_time_range(value, &in->from, &in->to, err);
}

static int
set_frames(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct input_opts *in = field;

	(void)o, (void)a;
	in->has_frames = true;
	in->one_frame = strchr(value, '-') == NULL;
	return tt_parse_number_range(value, &in->frame_first, &in->frame_last, err);
}

/* Set --label: a glob, or KEY=GLOB. */
static int
set_label(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_pattern_check(tt_fact_glob(value), err);

	return rc == TT_OK ? tt_opt_text(o, field, value, a, err) : rc;
}

int
input_set_meta(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	const char *eq = strchr(value, '=');

	(void)o;
	if (!eq || eq == value)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not KEY=VALUE", value);
	return tt_list_add(field, value, a, err);
}

int
input_set_pattern(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_path_facts_check(value, err);

	(void)o, (void)a;
	if (rc == TT_OK)
		*(const char **)field = value;
	return rc;
}

const char *
input_date_from(size_t i)
{
	static const char *const v[] = { "capture", "mtime", NULL };

	return v[i];
}

#define AT(f) offsetof(struct input_opts, f)

const struct tt_opt input_opt[] = {
	{ .name = "input-format", .arg = "NAME", .set = tt_opt_text, .at = AT(format), .value = format_value,
	    .help = "read the input as this format, whatever it looks like (see tracetool list)" },
	{ .name = "force", .set = tt_opt_flag, .at = AT(force),
	    .help = "read an unknown version that no known layout fits" },
	{ .name = "align", .arg = "HOW", .set = tt_opt_choice, .at = AT(align), .value = align_value,
	    .help = "put several inputs on one timeline by their event clocks if they agree (auto), their "
	            "starts (start), event clocks (clock) or wall clocks (wall)" },
	{ .name = "meta", .arg = "KEY=VALUE", .set = input_set_meta, .at = AT(meta),
	    .help = "add a fact about the capture to every output; repeatable" },
	INPUT_FACT_OPTIONS(AT(meta_from_path), AT(date_from)),
	{ .name = NULL },
};

const struct tt_opt input_filter_opt[] = {
	{ .name = "time", .is_once_only = true, .arg = "A-B", .set = set_time,
	    .help = "use only the time from A to B, in seconds from the beginning; either can be left out" },
	{ .name = "frames", .is_once_only = true, .arg = "A-B", .set = set_frames,
	    .help = "use only frames A to B, numbered from 1, both included; either can be left out" },
	{ .name = "from-label", .is_once_only = true, .arg = "GLOB", .set = set_label, .at = AT(from_label),
	    .help = "begin where the program first sets this label; KEY=GLOB: another fact, like scene=Level*" },
	{ .name = "to-label", .is_once_only = true, .arg = "GLOB", .set = set_label, .at = AT(to_label),
	    .help = "end where the program next sets this label; \"*\": the next label" },
	{ .name = "thread", .arg = "GLOB", .set = tt_opt_patterns, .at = AT(thread),
	    .help = "use only threads whose name or number matches; repeatable" },
	{ .name = "category", .arg = "GLOB", .set = tt_opt_patterns, .at = AT(category),
	    .help = "show only rows and slices of matching categories; repeatable" },
	{ .name = "marker", .arg = "GLOB", .set = tt_opt_patterns, .at = AT(marker),
	    .help = "show only rows and slices of matching markers (full or short name); repeatable" },
	{ .name = "min-duration", .is_once_only = true, .arg = "DUR", .set = tt_opt_duration, .at = AT(min_dur),
	    .help = "leave out zones shorter than DUR (like 50us, 1.5ms); their time stays with the caller" },
	{ .name = "depth", .is_once_only = true, .arg = "N", .set = tt_opt_count, .at = AT(depth), .lo = 1, .hi = UINT32_MAX,
	    .help = "leave out zones nested deeper than N" },
	{ .name = "wrappers", .set = tt_opt_flag, .at = AT(wrappers),
	    .help = "keep the runtime's allocation wrappers, which are left out by default" },
	{ .name = "names", .arg = "FORM", .set = tt_opt_choice, .at = AT(names), .value = names_value,
	    .help = "print names of markers short (no namespaces and arguments) or full" },
	{ .name = NULL },
};

const struct tt_opt input_frame_opt[] = {
	{ .name = "frame-marker", .is_once_only = true, .arg = "GLOB", .set = tt_opt_pattern, .at = AT(frame_marker),
	    .help = "start a frame each time this marker begins; for captures without frame marks" },
	{ .name = "frame-thread", .is_once_only = true, .arg = "GLOB", .set = tt_opt_pattern, .at = AT(frame_thread),
	    .help = "count frames on this thread; default: where the frame marker begins most often" },
	{ .name = "wait", .arg = "GLOB", .set = tt_opt_patterns, .at = AT(wait),
	    .help = "treat this marker as waiting, instead of the built-in list; repeatable" },
	{ .name = "no-wait", .set = tt_opt_flag, .at = AT(no_wait),
	    .help = "leave out wait markers, and their time in the zones around them" },
	{ .name = "player-only", .set = tt_opt_flag, .at = AT(player_only),
	    .help = "leave out what the Unity Editor does, and its time in zones and frames" },
	{ .name = NULL },
};

const struct tt_opt input_limit_opt[] = {
	{ .letter = 'j', .name = "jobs", .arg = "N", .set = tt_opt_count,
	    .at = AT(jobs), .lo = 1, .hi = JOBS_MAX,
	    .help = "use N worker threads; default and maximum: the processors this process may use" },
	{ .name = "spool-max", .arg = "SIZE", .set = tt_opt_size, .at = AT(spool_max),
	    .help = "copy at most this much to disk of a pipe that must be read twice; default 8G" },
	{ .name = "tmpdir", .arg = "DIR", .set = tt_opt_text, .at = AT(tmpdir),
	    .help = "put that copy into this folder; default $TMPDIR, otherwise /tmp" },
	{ .name = "max-paths", .arg = "N", .set = tt_opt_count, .at = AT(max_paths), .lo = 16, .hi = TT_TREE_CAP,
	    .help = "tell apart at most N call paths; default 500000" },
	{ .name = NULL },
};

void
input_defaults(struct input_opts *o)
{
	memset(o, 0, sizeof *o);
	o->from = INT64_MIN;
	o->to = INT64_MAX;
	o->spool_max = DEFAULT_SPOOL;
	o->max_paths = DEFAULT_PATHS;
}

/* Return the number of processors that this process may use: in a container or under taskset fewer than the machine has. */
static unsigned
usable_cpus(void)
{
	const unsigned n = tt_sys_ncpus();

	return n > JOBS_MAX ? JOBS_MAX : n;
}

static int
check_paths(const struct input_opts *o, struct tt_err *err)
{
	size_t stdin_n = 0;
	struct tt_sys_stat st;

	if (o->path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no input file (\"-\" reads standard input)");
	for (size_t i = 0; i < o->path.n; i++) {
		if (o->path.v[i][0] == '\0')
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "an input file has no name");
		if (!o->folders && tt_sys_stat(o->path.v[i], &st) == 0 && st.kind == TT_KIND_FOLDER)
			return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: is a directory; \"tracetool batch\" takes folders", o->path.v[i]);
		stdin_n += strcmp(o->path.v[i], "-") == 0;
	}
	if (stdin_n > 1)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard input (\"-\") can be read only once");
	return TT_OK;
}

/* True if one of the paths matches --meta-from-path. */
static bool
any_fits(const struct input_opts *o)
{
	struct tt_path_fact fact[TT_PATH_FACTS_MAX];

	for (size_t i = 0; i < o->path.n; i++)
		if (tt_path_facts(o->meta_from_path, o->path.v[i], fact))
			return true;
	return false;
}

int
input_setup(struct app *app, const struct input_opts *o, struct tt_run_opts *run, struct tt_err *err)
{
	int rc = check_paths(o, err);

	if (rc != TT_OK)
		return rc;
	app->env.force = o->force;
	app->env.jobs = usable_cpus();
	/* More workers than processors compete for the caches: -j8 on two processors was a quarter slower. */
	if (o->jobs && ((unsigned)o->jobs < app->env.jobs || getenv("TRACETOOL_JOBS_EXACT")))
		app->env.jobs = (unsigned)o->jobs;
	app->env.spool_max = o->spool_max;
	app->env.tmpdir = o->tmpdir;
	app->input = o->path.v[0];
	for (size_t i = 0; i < o->path.n; i++) {
		if (strcmp(o->path.v[i], "-") == 0 && tt_sys_is_terminal(0))
			ui_say(&app->ui, "reading a capture from the terminal: Ctrl-D ends it; to read a file, name it in place of \"-\"");
	}
	if (strcmp(app->input, "-") == 0)
		app->input = "standard input";
	if (o->path.n > 1) {
		char text[32];
		char *end = tt_put_u64(text, o->path.n);

		memcpy(end, " inputs", 8);
		app->input = tt_arena_text(&app->arena, text, strlen(text), err);
		if (!app->input)
			return err->code;
	}
	if (o->meta_from_path && !o->folders && !any_fits(o))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --meta-from-path: \"%s\" fits no path, such as %s%s%s", o->meta_from_path, o->path.v[0],
		    o->path.n > 1 ? " and " : "", o->path.n > 1 ? o->path.v[1] : "");
	*run = (struct tt_run_opts){
		.formats = tt_formats,
		.format = o->format,
		.path = o->path.v,
		.npath = o->path.n,
		.align = (enum tt_align)o->align,
		.meta = o->meta.v,
		.meta_from_path = o->meta_from_path,
		.date_from_mtime = o->date_from == 1,
		.names = (enum tt_names_form)o->names,
		.frame_marker = o->frame_marker,
		.frame_thread = o->frame_thread,
		.wait = o->wait.v,
		.max_paths = (uint32_t)o->max_paths,
		.progress = { ui_tick, &app->ui },
	};
	tt_filter_init(&run->filter);
	run->filter.from = o->from;
	run->filter.to = o->to;
	run->filter.from_label = o->from_label;
	run->filter.to_label = o->to_label;
	run->filter.has_frames = o->has_frames;
	run->filter.frame_first = o->frame_first;
	run->filter.frame_last = o->frame_last;
	run->filter.thread = o->thread.v;
	run->filter.marker = o->marker.v;
	run->filter.category = o->category.v;
	run->filter.min_dur = o->min_dur;
	run->filter.depth = (uint32_t)o->depth;
	run->filter.wrappers = o->wrappers;
	run->filter.no_wait = o->no_wait;
	run->filter.player_only = o->player_only;
	return TT_OK;
}

int
input_confine(struct app *app, const struct input_opts *o, const char *output, const char *also, struct tt_run_opts *run,
    struct tt_err *err)
{
	struct tt_list l = { 0 };
	int rc = output ? tt_list_add(&l, output, &app->arena, err) : TT_OK;

	if (rc == TT_OK && also)
		rc = tt_list_add(&l, also, &app->arena, err);
	run->opened = app_seal;
	run->opened_arg = app;
	TT_THEN(rc, app_reads(app, o->path.v, err));
	return rc == TT_OK ? app_confine(app, l.v, o->tmpdir, err) : rc;
}

bool
input_is(const struct input_opts *o, const char *path)
{
	struct tt_sys_stat a, b;

	if (strcmp(path, "-") == 0 || tt_sys_stat(path, &a) != 0 || a.kind != TT_KIND_FILE)
		return false;
	for (size_t i = 0; i < o->path.n; i++) {
		bool std = strcmp(o->path.v[i], "-") == 0;

		if ((std ? tt_sys_stat_open(0, &b) : tt_sys_stat(o->path.v[i], &b)) == 0 && tt_sys_is_same(&a, &b))
			return true;
	}
	return false;
}
