/**
 * Estimates what a batch will cost on one machine or on many, before it runs.
 *
 * It analyses some files of each kind, and takes the processor time for a byte of them for all files of the kind. The rest is arithmetic over the split that
 * the batch would use: nodes take one shard after the other, in order. A node is busy with a shard as long as its processors take for all of it, and at least
 * as long as one process takes for the shard's largest part: a capture, or the unpacking of an archive.
 */
#include "batch/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "batch/files.h"
#include "batch/plan_tables.h"
#include "batch/shards.h"
#include "batch/split.h"
#include "pass/pass.h"
#include "sys/sys.h"

#define KINDS_MAX 16
#define SAMPLES 3                     /* files of a kind that are analysed, of different sizes */
#define SAMPLE_NS INT64_C(4000000000) /* the longest time that one of these files is analysed */
#define SPEED 170e6                   /* bytes of a plain capture that a processor analyses in a second, where no sample says */
#define START 0.5                     /* seconds to start a shard: Slurm 22.05 on one machine starts two tasks in a second */
#define MISSED 420.0                  /* seconds until a lost node's shard begins anew: Slurm's usual SlurmdTimeout, and the wait after it */
#define UNPACKING 0.67                /* share of an archive's time that its one unpacker takes */
#define PER_NODE 3                    /* shards for each node: nodes then end at nearly the same time, and a lost node loses little */
#define NODES_MAX 1024
#define SHORT 30.0                    /* seconds of work below which another node is not worth it */
#define MIB (UINT64_C(1) << 20)

/* Files of one kind, and what was measured of them. */
struct kind {
	const char *name;
	unsigned weight;
	bool plain;                   /* captures, not compressed or packed */
	uint64_t files, bytes;
	uint64_t some, some_bytes, some_captures;     /* of the analysed files: number, bytes, captures */
	double some_time;
	double per_byte;              /* seconds of a processor */
	double captures;              /* estimated number */
};

struct plan {
	struct tt_env *env;
	struct tt_arena *a;
	struct tt_batch_files *files;
	const struct tt_scheduler_opts *many;
	unsigned cores;               /* processors of a node */
	unsigned shards;              /* asked for; 0: as many as are good */
	bool divide;
	struct kind kind[KINDS_MAX];
	size_t nkind;
	unsigned char *of;            /* by file: its kind */
	double time;                  /* for all files, by one processor */
	int64_t resident;             /* KiB, of the largest process that analysed a file */
};

/* --- the sample ---------------------------------------------------------------------- */

static int
find_kinds(struct plan *p, struct tt_err *err)
{
	p->of = tt_arena_alloc(p->a, p->files->n + 1, err);
	if (!p->of)
		return err->code;
	for (size_t i = 0; i < p->files->n; i++) {
		const struct tt_scheduler_file *f = &p->files->file[i];
		unsigned weight;
		const char *name = tt_batch_kind(f->path, &weight);
		size_t k = 0;

		while (k < p->nkind && strcmp(p->kind[k].name, name) != 0)
			k++;
		if (k == p->nkind && p->nkind < KINDS_MAX)
			p->kind[p->nkind++] = (struct kind){ .name = name, .weight = weight, .plain = strcmp(name, "plain") == 0 };
		k = k < KINDS_MAX ? k : 0;
		p->of[i] = (unsigned char)k;
		p->kind[k].files++;
		p->kind[k].bytes += f->size;
	}
	return TT_OK;
}

static int
drop_line(void *arg, const char *line, size_t n, struct tt_err *err)
{
	(void)arg, (void)line, (void)n, (void)err;
	return TT_OK;
}

static void
say_nothing(void *arg, const char *line)
{
	(void)arg, (void)line;
}

/* Processor seconds of child processes that have ended. */
static double
worked(void)
{
	struct tt_sys_cost cost = { 0 };

	(void)tt_sys_cost_of_children(&cost);
	return (double)(cost.user_ns + cost.system_ns) / 1e9;
}

/* Analyse a file, or its beginning, and add the cost to its kind. */
static int
try_file(struct plan *p, const struct tt_scheduler_file *f, struct kind *k, struct tt_err *err)
{
	struct tt_scheduler_file one = *f;
	struct tt_scheduler_opts o = *p->many;
	struct tt_scheduler_sum sum = { 0 };
	double before = worked(), took;
	int rc;

	one.shard = 1;
	o.file = &one;
	o.nfile = o.jobs = 1;
	o.shard = (struct tt_shard){ 1, 1 };
	o.failures_max = UINT64_MAX;
	o.dir = -1;
	o.verify = false;
	o.done = NULL;
	o.same = NULL;
	o.line = drop_line;
	o.say = say_nothing;
	o.tick = NULL;
	o.most_ns = SAMPLE_NS;
	rc = tt_scheduler_run(p->env, &o, &sum, err);
	took = worked() - before;
	if (rc != TT_OK || sum.bytes == 0)    /* SAMPLE_NS was too short for any of it */
		return rc;
	k->some++;
	k->some_bytes += sum.bytes;
	k->some_captures += sum.captures;
	k->some_time += took;
	return TT_OK;
}

/* The ${nth} of the files of kind ${k}, the largest first. */
static const struct tt_scheduler_file *
nth_of(const struct plan *p, size_t k, uint64_t nth)
{
	for (size_t i = 0; i < p->files->n; i++)
		if (p->of[i] == k && nth-- == 0)
			return &p->files->file[i];
	return NULL;
}

static int
take_sample(struct plan *p, struct tt_err *err)
{
	struct tt_sys_cost cost = { 0 };
	int rc = TT_OK;

	for (size_t k = 0; k < p->nkind && rc == TT_OK; k++) {
		struct kind *kind = &p->kind[k];
		uint64_t last = UINT64_MAX;

		for (uint64_t i = 0; i < SAMPLES && rc == TT_OK; i++) {
			uint64_t nth = kind->files * (2 * i + 1) / (2 * SAMPLES);

			if (nth != last)
				rc = try_file(p, nth_of(p, k, nth), kind, err);
			last = nth;
		}
		kind->per_byte = kind->weight / SPEED;
		kind->captures = (double)kind->files;
		if (kind->some_bytes > 0) {
			kind->per_byte = kind->some_time / (double)kind->some_bytes;
			kind->captures = kind->plain ? (double)kind->some_captures / (double)kind->some * (double)kind->files :
			    (double)kind->some_captures / (double)kind->some_bytes * (double)kind->bytes;
		}
		p->time += kind->per_byte * (double)kind->bytes;
	}
	(void)tt_sys_cost_of_children(&cost);
	p->resident = (long)(cost.peak_bytes / 1024);
	return rc;
}

/* --- nodes ------------------------------------------------------------------------------ */

/* The events that may happen to nodes: nothing, the first is half as fast, the first is lost. */
enum fate { CALM, SLOW, LOST, FATES };

struct run {
	unsigned nodes, shards;
	double *busy;                 /* by shard: seconds that a node takes for it */
	double *free;                 /* by node: when it is free */
	double wall[FATES];
	double most, mean;            /* largest and mean value in busy */
};

/* Compute how long each shard takes, by the split that the batch would use. */
static int
shards_of(struct plan *p, struct run *r, struct tt_err *err)
{
	double *serial = calloc(r->shards, sizeof *serial), all = 0, all_serial = 0;
	struct tt_split split;
	int rc = serial ? tt_split(&p->env->mem, r->shards, p->files->file, p->files->n, p->divide, &split, err) : tt_fail_nomem(err);

	memset(r->busy, 0, r->shards * sizeof *r->busy);
	for (size_t i = 0; i < p->files->n && rc == TT_OK; i++) {
		const struct tt_scheduler_file *f = &p->files->file[i];
		const struct kind *k = &p->kind[p->of[i]];
		double time = (double)f->size * k->per_byte, alone = k->plain ? time : time * UNPACKING;

		if (f->shard == TT_SHARD_ALL) {
			all += time / r->shards;
			all_serial = alone / r->shards > all_serial ? alone / r->shards : all_serial;
		} else {
			r->busy[f->shard - 1] += time;
			serial[f->shard - 1] = alone > serial[f->shard - 1] ? alone : serial[f->shard - 1];
		}
	}
	r->most = r->mean = 0;
	for (unsigned i = 0; i < r->shards && rc == TT_OK; i++) {
		double together = (r->busy[i] + all) / p->cores, most = serial[i] > all_serial ? serial[i] : all_serial;

		r->busy[i] = START + (together > most ? together : most);
		r->mean += r->busy[i] / r->shards;
		r->most = r->busy[i] > r->most ? r->busy[i] : r->most;
	}
	free(serial);
	return rc;
}

/* The node that is free first, except ${but}. */
static unsigned
first_free(const struct run *r, unsigned but)
{
	unsigned best = but == 0 && r->nodes > 1 ? 1 : 0;

	for (unsigned i = 0; i < r->nodes; i++)
		if (i != but && r->free[i] < r->free[best])
			best = i;
	return best;
}

/*
 * Seconds until the last shard ends. CALM: all nodes are alike; SLOW: the first works half as fast; LOST: the first is lost in the middle of the time, and the
 * rest of its shard begins again when the node is missed.
 */
static double
play(struct run *r, enum fate fate)
{
	const double death = r->wall[CALM] / 2;
	bool dead = false;
	double end = 0, left = 0;

	for (unsigned i = 0; i < r->nodes; i++)
		r->free[i] = 0;
	for (unsigned s = 0; s < r->shards; s++) {
		unsigned n = first_free(r, dead ? 0 : UINT32_MAX);
		double time = r->busy[s] * (fate == SLOW && n == 0 ? 2 : 1);

		if (fate == LOST && n == 0 && r->nodes > 1 && r->free[0] + time > death) {
			left = r->free[0] + time - (death > r->free[0] ? death : r->free[0]);
			dead = true;
			continue;
		}
		r->free[n] += time;
		end = r->free[n] > end ? r->free[n] : end;
	}
	if (dead) {
		double begin = r->free[first_free(r, 0)];

		begin = (begin > death + MISSED ? begin : death + MISSED) + left;
		end = begin > end ? begin : end;
	}
	return end;
}

/* --- the report ----------------------------------------------------------------------- */

static struct tt_table *
make_table(struct tt_report *r, enum plan_table which)
{
	const struct tt_pass_table *is = &tt_batch_plan_tables[which];

	return tt_report_table(r, is->id, is->title, is->col, is->ncol);
}

static int64_t
ns(double seconds)
{
	return (int64_t)(seconds * 1e9 + 0.5);
}

static int64_t
milli(double v)
{
	return (int64_t)(v * 1000 + 0.5);
}

static void
put_kinds(const struct plan *p, struct tt_report *r)
{
	struct tt_table *t = make_table(r, PLAN_KINDS);

	for (size_t i = 0; i < p->nkind; i++) {
		const struct kind *k = &p->kind[i];
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[K_KIND], k->name);
		tt_cell_u64(&c[K_FILES], k->files);
		tt_cell_u64(&c[K_BYTES], k->bytes);
		tt_cell_int(&c[K_CAPTURES], (int64_t)(k->captures + 0.5));
		tt_cell_u64(&c[K_SAMPLE], k->some_bytes);
		tt_cell_int(&c[K_SPEED], milli(1 / k->per_byte / 1e6));
		tt_cell_int(&c[K_HOURS], milli(k->per_byte * (double)k->bytes / 3600));
		if (k->some_bytes == 0)
			tt_report_note(r, "notice", "plan_guess", tt_text(r, "%s: no file of the sample was done within %lld s, so its time is a guess",
			    k->name, (long long)(SAMPLE_NS / 1000000000)));
	}
}

/* Add rows for 1, 2, 4, ... nodes, as long as there is work for them; *${limit}: seconds of the longest shard if there are ${shards}. */
static int
put_nodes(struct plan *p, unsigned shards, double *limit, struct tt_report *report, struct tt_err *err)
{
	struct tt_table *t = make_table(report, PLAN_NODES);
	const size_t most = shards > PER_NODE * NODES_MAX ? shards : PER_NODE * NODES_MAX;
	struct run r = { .busy = calloc(most, sizeof *r.busy), .free = calloc(NODES_MAX, sizeof *r.free) };
	int rc = r.busy && r.free ? TT_OK : tt_fail_nomem(err);

	r.shards = shards;
	TT_THEN(rc, shards_of(p, &r, err));
	*limit = r.most;
	for (r.nodes = 1; r.nodes <= NODES_MAX && rc == TT_OK; r.nodes *= 2) {
		struct tt_cell *c;

		if (r.nodes > 2 && p->time / r.nodes / p->cores < SHORT)
			break;
		r.shards = p->shards ? p->shards : r.nodes > 1 ? PER_NODE * r.nodes : 1;
		rc = shards_of(p, &r, err);
		for (enum fate f = CALM; f < FATES && rc == TT_OK; f++)
			r.wall[f] = play(&r, f);
		if (rc != TT_OK)
			break;
		c = tt_row(t);
		tt_cell_u64(&c[N_NODES], r.nodes);
		tt_cell_u64(&c[N_SHARDS], r.shards);
		tt_cell_int(&c[N_WALL], ns(r.wall[CALM]));
		tt_cell_int(&c[N_SLOW], ns(r.wall[SLOW]));
		if (r.nodes > 1)
			tt_cell_int(&c[N_LOST], ns(r.wall[LOST]));
		tt_cell_int(&c[N_EVEN], milli(r.most / r.mean));
	}
	free(r.busy);
	free(r.free);
	return rc;
}

static int
put_all(struct plan *p, struct tt_report *r, struct tt_err *err)
{
	struct tt_table *t = make_table(r, PLAN_SUM);
	const double work = p->time / p->cores / 600;
	unsigned shards = p->shards ? p->shards : work > TT_BATCH_SHARDS_MAX ? TT_BATCH_SHARDS_MAX : (unsigned)work + 1;
	struct tt_cell *c = tt_row(t);
	double captures = 0, limit = 0;
	uint64_t bytes = 0;
	int rc;

	t->facts = true;
	for (size_t i = 0; i < p->nkind; i++) {
		captures += p->kind[i].captures;
		bytes += p->kind[i].bytes;
	}
	tt_cell_u64(&c[S_FILES], p->files->n);
	tt_cell_u64(&c[S_BYTES], bytes);
	tt_cell_int(&c[S_CAPTURES], (int64_t)(captures + 0.5));
	tt_cell_int(&c[S_HOURS], milli(p->time / 3600));
	tt_cell_int(&c[S_TIME], ns(p->time));
	tt_cell_u64(&c[S_SHARDS], shards);
	tt_cell_u64(&c[S_CORES], p->cores);
	tt_cell_u64(&c[S_MEMORY], 64 * MIB + p->cores * 2 * ((uint64_t)p->resident << 10));
	put_kinds(p, r);
	rc = put_nodes(p, shards, &limit, r, err);
	tt_cell_int(&t->cell[S_LIMIT], ns(3 * limit + 300));
	return rc;
}

int
tt_batch_plan(struct tt_env *env, const struct tt_batch_plan_opts *o, struct tt_report *r, struct tt_arena *a, struct tt_err *err)
{
	struct plan p = { .env = env, .a = a, .files = o->files, .many = o->many, .cores = o->many->jobs, .divide = o->divide, .shards = o->shards };
	int rc = p.files->n > 0 ? find_kinds(&p, err) : tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "no file to plan for");

	TT_THEN(rc, take_sample(&p, err));
	return rc == TT_OK ? put_all(&p, r, err) : rc;
}
