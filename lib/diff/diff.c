/**
 * Merges the captures of both sides into one tree of call paths.
 */
#include "diff/diff.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/order.h"
#include "base/setting.h"
#include "diff/diff_frames.h"
#include "model/names.h"
#include "view/allocs.h"
#include "view/merged.h"
#include "stat/num.h"
#include "view/view.h"

#define UNKNOWN "(unknown)"

int
tt_diff_init(struct tt_diff *d, struct tt_env *env, enum tt_names_form names, struct tt_rename *rename, struct tt_err *err)
{
	int rc;

	*d = (struct tt_diff){ .env = env, .names = names, .rename = rename };
	tt_arena_init(&d->arena, &env->mem);
	rc = tt_mem_grow(&env->mem, &d->node, &d->capnode, 1, sizeof *d->node, err);
	if (rc == TT_OK)
		d->nnode = 1;
	return rc;
}

void
tt_diff_free(struct tt_diff *d)
{
	struct tt_mem *mem;

	if (!d->env)
		return;
	mem = &d->env->mem;
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		tt_mem_free(mem, d->side[s].capture, d->side[s].cap * sizeof *d->side[s].capture);
	tt_diff_frames_free(d);
	tt_mem_free(mem, d->node, d->capnode * sizeof *d->node);
	tt_mem_free(mem, d->marker, d->capmarker * sizeof *d->marker);
	tt_mem_free(mem, d->thread, d->capthread * sizeof *d->thread);
	tt_mem_free(mem, d->class_name, d->capclass * sizeof *d->class_name);
	tt_mem_free(mem, d->site, d->capsite * sizeof *d->site);
	tt_map_free(&d->node_at, mem);
	tt_map_free(&d->marker_at, mem);
	tt_map_free(&d->thread_at, mem);
	tt_map_free(&d->class_at, mem);
	tt_map_free(&d->site_at, mem);
	tt_arena_free(&d->arena);
	*d = (struct tt_diff){ 0 };
}

/* --- names, threads, nodes ---------------------------------------------------------- */

static const char *
renamed(struct tt_diff *d, unsigned side, enum tt_rename_kind kind, const char *name, struct tt_err *err)
{
	return side == TT_DIFF_A && d->rename ? tt_rename(d->rename, kind, name, err) : name;
}

static const char *
copy(struct tt_diff *d, const char *s, struct tt_err *err)
{
	return tt_arena_text(&d->arena, s, strlen(s), err);
}

/* Find or add ${text} in a list of texts; *${number}: its index. */
static int
text_number(struct tt_diff *d, struct tt_map *at, const char ***list, size_t *n, size_t *cap, const char *text, uint32_t *number,
    struct tt_err *err)
{
	struct tt_mem *mem = &d->env->mem;
	const uint64_t hash = tt_seeded_text(0, text, strlen(text));
	uint32_t found = tt_map_find(at, hash, i, strcmp((*list)[i], text) == 0);

	if (!found) {
		if (tt_mem_grow(mem, list, cap, *n + 1, sizeof **list, err) != TT_OK || !((*list)[*n] = copy(d, text, err)) ||
		    tt_map_add(at, mem, hash, *n, err) != TT_OK)
			return err->code;
		found = (uint32_t)++*n;
	}
	*number = found - 1;
	return TT_OK;
}

/* The length of a thread's name without its number: "Worker 12", "Job.Worker-3", "Pool (4)", "IO #2". */
static size_t
fold_thread(const char *s)
{
	size_t n = strlen(s), end = n;
	bool paren = n > 0 && s[n - 1] == ')';

	end -= paren;
	while (end > 0 && s[end - 1] >= '0' && s[end - 1] <= '9')
		end--;
	if (end + paren == n || (paren && (end == 0 || s[end - 1] != '(')))
		return n;
	end -= paren;
	while (end > 0 && strchr(" #-_.:", s[end - 1]))
		end--;
	return end ? end : n;
}

static int
thread_number(struct tt_diff *d, unsigned side, const char *name, uint32_t *number, struct tt_err *err)
{
	const char *s = renamed(d, side, TT_RENAME_THREAD, name, err);
	char *cut = s ? tt_arena_text(&d->arena, s, fold_thread(s), err) : NULL;

	if (!cut)
		return err->code;
	return text_number(d, &d->thread_at, &d->thread, &d->nthread, &d->capthread, cut, number, err);
}

static int
node_number(struct tt_diff *d, uint32_t parent, enum tt_diff_kind kind, uint32_t name, uint32_t *number, struct tt_err *err)
{
	struct tt_mem *mem = &d->env->mem;
	const uint64_t hash = tt_seeded_pair((uint64_t)kind << 32 | parent, name);
	uint32_t found = tt_map_find(&d->node_at, hash, i, d->node[i].kind == kind && d->node[i].parent == parent && d->node[i].name == name);

	if (!found) {
		if (tt_map_push(&d->node_at, mem, hash, &d->node, &d->capnode, d->nnode, err) != TT_OK)
			return err->code;
		d->node[d->nnode] = (struct tt_diff_node){ .parent = parent, .name = name, .kind = kind,
			.is_in_frames = kind == TT_DIFF_FRAME_THREAD || kind == TT_DIFF_REST || d->node[parent].is_in_frames };
		found = (uint32_t)++d->nnode;
	}
	*number = found - 1;
	return TT_OK;
}

/* The label of a marker that --rename has renamed. */
static const char *
new_label(struct tt_diff *d, const char *full, struct tt_err *err)
{
	char *s;

	if (d->names == TT_NAMES_FULL)
		return copy(d, full, err);
	s = tt_arena_alloc(&d->arena, strlen(full) + 1, err);
	if (s)
		tt_name_short(s, full);
	return s;
}

static int
add_marker(struct tt_diff *d, uint64_t hash, const char *full, struct tt_err *err)
{
	struct tt_mem *mem = &d->env->mem;

	full = copy(d, full, err);
	if (!full || tt_map_push(&d->marker_at, mem, hash, &d->marker, &d->capmarker, d->nmarker, err) != TT_OK)
		return err->code;
	d->marker[d->nmarker++] = (struct tt_diff_marker){ .aligned_name = full };
	return TT_OK;
}

/*
 * Find or add the marker named ${name}, whose label in its capture is ${label}. All markers without a name are one marker, because their keys mean nothing in
 * another capture.
 */
static int
name_marker(struct tt_diff *d, unsigned side, const struct tt_model *m, const struct tt_name *name, const char *label, uint32_t *number,
    struct tt_err *err)
{
	const char *category = m->category[name->category].name, *full = name->is_defined ? name->full : UNKNOWN,
		   *given = full;
	struct tt_diff_marker *k;

	full = renamed(d, side, TT_RENAME_MARKER, given, err);
	category = full ? renamed(d, side, TT_RENAME_CATEGORY, category, err) : NULL;
	if (!category)
		return err->code;
	const uint64_t hash = tt_seeded_text(0, full, strlen(full));
	const uint32_t found = tt_map_find(&d->marker_at, hash, i, strcmp(d->marker[i].aligned_name, full) == 0);
	if (!found && add_marker(d, hash, full, err) != TT_OK)
		return err->code;
	*number = (uint32_t)(found ? found : d->nmarker) - 1;
	k = &d->marker[*number];
	if (!k->label || (side == TT_DIFF_B && !k->category[side]))
		k->label = full == given && name->is_defined ? copy(d, label, err) : new_label(d, full, err);
	if (!k->category[side]) {
		k->category[side] = copy(d, category, err);
		k->wait = tt_waits_kind(m, given);
		k->class = strcmp(category, "GC") == 0 ? TT_DIFF_GC : k->wait ? TT_DIFF_WAIT : TT_DIFF_WORK;
		k->is_editor = k->is_editor || name->editor;
	}
	return k->label && k->category[side] ? TT_OK : err->code;
}

/* --- one capture ------------------------------------------------------------------------ */

struct fold {
	struct tt_diff *d;
	unsigned side;
	const struct tt_model *m;
	struct tt_views view;
	struct tt_allocs al;
	struct tt_merged g;
	uint32_t *marker;             /* by row: number of the marker + 1; 0: not yet known */
	uint32_t *at;                 /* by merged node: its node in the comparison */
	uint32_t frame_thread;        /* index of the frame thread in the model */
	int64_t total;                /* total time of the frames */
};

static int
row_marker(struct fold *f, uint32_t row, uint32_t *number, struct tt_err *err)
{
	int rc = TT_OK;

	if (!f->marker[row]) {
		rc = name_marker(f->d, f->side, f->m, f->al.p->row[row].name, f->al.p->row[row].label, number, err);
		if (rc == TT_OK)
			f->marker[row] = *number + 1;
	}
	*number = f->marker[row] - 1;
	return rc;
}

static int
thread_node(struct fold *f, uint32_t thread, uint32_t *node, struct tt_err *err)
{
	struct tt_diff *d = f->d;
	bool frame = d->has_frames && thread == f->frame_thread;
	uint32_t number;
	int rc = thread_number(d, f->side, f->m->threads.t[thread]->full_name, &number, err);

	/* The frame threads of all captures are one node, whatever their names. */
	if (rc == TT_OK && frame && d->frame_thread) {
		*node = d->frame_thread;
		return rc;
	}
	TT_THEN(rc, node_number(d, 0, frame ? TT_DIFF_FRAME_THREAD : TT_DIFF_THREAD, number, node, err));
	if (rc == TT_OK && frame)
		d->frame_thread = *node;
	return rc;
}

/* Add all paths and their self times; *${busy}: time in markers. */
static int
fold_paths(struct fold *f, int64_t *busy, struct tt_err *err)
{
	struct tt_diff *d = f->d;
	int rc = TT_OK;

	for (uint32_t i = 0; i < f->g.n && rc == TT_OK; i++) {
		const struct tt_mnode *v = &f->g.v[i];
		struct tt_diff_sum *sum;
		uint32_t marker;

		if (v->row == TT_NO_ROW) {
			rc = thread_node(f, v->thread, &f->at[i], err);
			continue;
		}
		rc = row_marker(f, v->row, &marker, err);
		if (rc == TT_OK)
			rc = node_number(
			    d, v->parent == TT_NO_MNODE ? 0 : f->at[v->parent], TT_DIFF_ZONE, marker, &f->at[i], err);
		if (rc != TT_OK)
			break;
		sum = &d->node[f->at[i]].side[f->side];
		sum->n += v->n;
		sum->self += v->self;
		if (!d->has_frames || d->node[f->at[i]].is_in_frames)
			*busy += v->self;
	}
	return rc;
}

/* Find or add the allocations of ${class} under ${marker}; valid until the next call. NULL: ${err}. */
static struct tt_diff_site *
site_of(struct tt_diff *d, uint32_t marker, uint32_t class, struct tt_err *err)
{
	struct tt_mem *mem = &d->env->mem;
	const uint64_t hash = tt_seeded_pair(marker, class);
	const uint32_t found = tt_map_find(&d->site_at, hash, i, d->site[i].marker == marker && d->site[i].class == class);

	if (found)
		return &d->site[found - 1];
	if (tt_map_push(&d->site_at, mem, hash, &d->site, &d->capsite, d->nsite, err) != TT_OK)
		return NULL;
	d->site[d->nsite] = (struct tt_diff_site){ .marker = marker, .class = class };
	return &d->site[d->nsite++];
}

static int
fold_sites(struct fold *f, struct tt_err *err)
{
	struct tt_diff *d = f->d;
	int rc = TT_OK;

	for (size_t i = 0; i < f->al.n && rc == TT_OK; i++) {
		const struct tt_alloc *a = &f->al.a[i];
		uint32_t row = tt_alloc_site(&f->al, a), marker = TT_DIFF_NONE, class;
		struct tt_diff_site *site;

		if (row != TT_NO_ROW)
			rc = row_marker(f, row, &marker, err);
		TT_THEN(rc, text_number(d, &d->class_at, &d->class_name, &d->nclass, &d->capclass,
		    f->al.class[a->class], &class, err));
		if (rc != TT_OK)
			break;
		if (!(site = site_of(d, marker, class, err)))
			return err->code;
		site->side[f->side].n += a->n;
		site->side[f->side].bytes += a->bytes;
	}
	return rc;
}

/* Add the time of frames outside any marker. The node exists even if that is 0. */
static int
fold_rest(struct fold *f, int64_t busy, struct tt_err *err)
{
	struct tt_diff *d = f->d;
	uint32_t rest;
	int rc = TT_OK;

	/* A thread that did nothing in its frames has no paths yet. */
	if (!d->frame_thread)
		rc = thread_node(f, f->frame_thread, &rest, err);
	TT_THEN(rc, node_number(d, d->frame_thread, TT_DIFF_REST, 0, &rest, err));
	if (rc == TT_OK)
		d->node[rest].side[f->side].self += f->total - busy;
	return rc;
}

/* Store the total, mean and median times of the capture's frames. */
static int
note_times(struct fold *f, struct tt_diff_capture *c, struct tt_err *err)
{
	static const enum tt_frame_value what[] = { [TT_DIFF_WALL] = TT_FRAME_WALL, [TT_DIFF_UNCAPPED] = TT_FRAME_UNCAPPED };
	const struct tt_frames *frames = f->m->frames;

	c->nframes = frames->n;
	for (unsigned t = 0; t < TT_DIFF_TIMES; t++) {
		const struct tt_values *x = tt_view_frames(&f->view, what[t], err);

		if (!x)
			return err->code;
		if (x->n == 0)
			continue;
		c->time[t].total = (int64_t)x->sum;
		c->time[t].mean = tt_diff_per_unit(c->time[t].total, c->nframes);
		c->time[t].median = tt_values_quantile(x, 1, 2);
	}
	c->cap_ns = tt_frames_cap(frames);
	c->editor_percent = tt_frames_editor_percent(frames);
	c->wall_is_limit = tt_frames_wall_is_limit(frames, c->cap_ns);
	return TT_OK;
}

/* Get the marker for a name of the capture. */
static int
name_number(void *arg, const struct tt_name *name, uint32_t *marker, struct tt_err *err)
{
	struct fold *f = arg;
	const struct tt_paths *p = f->al.p;
	uint32_t row = (uint32_t)tt_lower_bound(i, 0, p->nrow, strcmp(p->row[i].name->full, name->full) < 0);

	if (row < p->nrow && strcmp(p->row[row].name->full, name->full) == 0)
		return row_marker(f, row, marker, err);
	return name_marker(f->d, f->side, f->m, name, name->shown, marker, err);
}

/* Store the capture's own figures; without frames only ${busy} is known. */
static int
note_capture(struct fold *f, int64_t busy, struct tt_err *err)
{
	struct tt_diff_side *s = &f->d->side[f->side];
	struct tt_diff_capture *c;
	const char *session;
	int rc = tt_mem_grow(&f->d->env->mem, &s->capture, &s->cap, s->n + 1, sizeof *s->capture, err);

	if (rc != TT_OK)
		return rc;
	c = &s->capture[s->n];
	*c = (struct tt_diff_capture){ .path = copy(f->d, f->m->cap[0]->path, err), .time = { { .total = busy, .mean = busy } } };
	session = tt_capture_meta_get(f->m->cap[0], "session");
	c->layout_note = tt_layout_note(tt_capture_meta_get(f->m->cap[0], TT_META_LAYOUT));
	c->session = c->path ? copy(f->d, session ? session : "", err) : NULL;
	if (!c->session)
		return err->code;
	if (f->d->has_frames)
		rc = note_times(f, c, err);
	if (rc == TT_OK && f->d->has_frames)
		rc = tt_diff_frames_add(f->d, f->side, &f->view, c->path, name_number, f, err);
	if (rc != TT_OK)
		return rc;
	s->n++;
	s->nunits += f->d->has_frames ? c->nframes : 1;
	s->total_ns += c->time[TT_DIFF_WALL].total;
	s->ncapped += c->cap_ns != 0;
	return rc;
}

static int
fold_all(struct fold *f, struct tt_err *err)
{
	struct tt_mem *mem = &f->d->env->mem;
	int64_t busy = 0;
	int rc = tt_allocs_init(&f->al, &f->view, TT_GROUP_NONE, &f->view.text, err);

	TT_THEN(rc, tt_merged_init(&f->g, f->al.p, err));
	if (rc != TT_OK)
		return rc;
	f->marker = tt_mem_alloc(mem, f->al.p->nmarker * sizeof *f->marker, err);
	f->at = f->marker ? tt_mem_alloc(mem, f->g.n * sizeof *f->at, err) : NULL;
	if (!f->at)
		return err->code;
	rc = fold_paths(f, &busy, err);
	TT_THEN(rc, fold_sites(f, err));
	if (rc == TT_OK && f->d->has_frames)
		rc = fold_rest(f, busy, err);
	return rc == TT_OK ? note_capture(f, busy, err) : rc;
}

/* Fail if only one of this capture and the earlier ones has frames. */
static int
check_frames(struct tt_diff *d, const struct tt_model *m, struct tt_err *err)
{
	bool first = d->side[TT_DIFF_A].n + d->side[TT_DIFF_B].n == 0;
	const char *path = m->cap[0]->path;

	if (m->frames && m->frames->n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: no whole frame to compare", path);
	if (first)
		d->has_frames = m->frames != NULL;
	if (d->has_frames == (m->frames != NULL))
		return TT_OK;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "%s: %s frames, unlike others (see %s)", path, m->frames ? "has" : "has no",
	    tt_setting_name[TT_SETTING_FRAME_MARKER]);
}

/* True if the capture has stacks of samples, but no calls of the program. */
static bool
has_samples_alone(const struct tt_model *m)
{
	bool sampled = false;

	for (uint32_t i = 1; i < tt_tree_count(m->tree); i++) {
		const struct tt_node *n = tt_tree_node(m->tree, i);

		if (n->kind == TT_NODE_ZONE && n->key < TT_KEY_SPECIAL && tt_tree_node(m->tree, n->parent)->kind == TT_NODE_THREAD)
			return false;
		sampled = sampled || n->kind == TT_NODE_SAMPLES;
	}
	return sampled;
}

int
tt_diff_add(struct tt_diff *d, unsigned side, const struct tt_model *m, struct tt_err *err)
{
	struct fold f = { .d = d, .side = side, .m = m };
	struct tt_mem *mem = &d->env->mem;
	int rc = check_frames(d, m, err);

	if (rc != TT_OK)
		return rc;
	if (has_samples_alone(m) && d->nsampled++ == 0 &&
	    !(d->first_sampled = tt_arena_text(&d->arena, m->cap[0]->path, strlen(m->cap[0]->path), err)))
		return err->code;
	for (size_t i = 0; d->has_frames && i < m->frames->n; i++)
		f.total += tt_frames_wall(m->frames, i);
	f.frame_thread = d->has_frames ? tt_frames_thread(m->frames, 0) : 0;
	tt_view_init(&f.view, m);
	rc = fold_all(&f, err);
	tt_mem_free(mem, f.at, f.g.n * sizeof *f.at);
	tt_mem_free(mem, f.marker, f.marker ? f.al.p->nmarker * sizeof *f.marker : 0);
	tt_merged_free(&f.g);
	tt_allocs_free(&f.al);
	tt_view_free(&f.view);
	return rc;
}
