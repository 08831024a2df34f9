/**
 * Compares what tracetool reads from a capture with the account of what was sent.
 */
#include "truth.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ttc/layout.h"

/* --- names as numbers --------------------------------------------------------------- */

enum { NAMES = 1 << 16 };

struct names {
	char *s[NAMES];
};

static uint32_t
name_of(struct names *t, const char *s)
{
	uint32_t h = 2166136261u;

	for (const char *p = s; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	for (h %= NAMES; t->s[h]; h = (h + 1) % NAMES) {
		if (strcmp(t->s[h], s) == 0)
			return h;
	}
	t->s[h] = strdup(s);
	if (!t->s[h])
		abort();
	return h;
}

/* --- what each thread has, here and there ------------------------------------------------ */

struct item {
	uint32_t name, text;          /* text 0: none */
	int64_t at;                   /* of zones: begin in ns; else unused */
	uint64_t val;                 /* of zones: depth */
};

enum list_kind { ZONES, ALLOCS, INSTANTS, COUNTERS, FLOWS, LISTS };
static const char *const list_names[LISTS] = { "zone", "allocation", "instant", "counter", "flow" };

struct list {
	struct item *p;
	size_t n, cap;
};

struct side {
	struct list list[LISTS];
	uint64_t frames;
};

struct compare {
	const struct game *g;
	const struct account *a;
	struct names names;
	struct side have[ACCOUNT_THREADS];
	int thread_of[ACCOUNT_THREADS];       /* the reader's thread number to ours + 1 */
	bool taken[ACCOUNT_THREADS];
	struct truth *t;
	unsigned told;
};

__attribute__((format(printf, 2, 3))) static void
differ(struct compare *c, const char *fmt, ...)
{
	va_list ap;

	c->t->bad++;
	if (c->told++ >= 20)
		return;
	va_start(ap, fmt);
	fputs("differs: ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

static void
add(struct list *l, struct item i)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->p = realloc(l->p, l->cap * sizeof *l->p);
		if (!l->p)
			abort();
	}
	l->p[l->n++] = i;
}

static void
free_side(struct side *s)
{
	for (int k = 0; k < LISTS; k++)
		free(s->list[k].p);
	memset(s, 0, sizeof *s);
}

/* --- there: CSV ----------------------------------------------------------------------------- */

enum { KIND, PROCESS, THREAD, TID, START, DUR, LEVEL, NAME, CATEGORY, VALUE, DETAIL, FIELDS };

/* Split a record of RFC 4180 in place; the number of fields. */
static int
split(char *s, char *field[FIELDS])
{
	int n = 0;

	while (n < FIELDS) {
		char *to = s;

		field[n++] = s;
		if (*s == '"') {
			for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
				if (*s == '"')
					s++;
				*to++ = *s;
			}
			s += *s == '"';
		} else {
			while (*s && *s != ',' && *s != '\n')
				*to++ = *s++;
		}
		if (*s != ',') {
			*to = '\0';
			break;
		}
		s++;
		*to = '\0';
	}
	return n;
}

/* Our thread for the reader's thread number: the next one with this id that had something to say. */
static int
thread_of(struct compare *c, unsigned number, uint64_t tid)
{
	if (number >= ACCOUNT_THREADS)
		return -1;
	if (c->thread_of[number])
		return c->thread_of[number] - 1;
	for (uint32_t i = 0; i < c->a->nthread; i++) {
		const struct account_thread *t = &c->a->thread[i];

		if (!c->taken[i] && (t->id == tid || t->kernel_id == tid)) {
			c->taken[i] = true;
			c->thread_of[number] = (int)i + 1;
			return (int)i;
		}
	}
	return -1;
}

static void
take_record(struct compare *c, char *field[FIELDS])
{
	static const char *const flows[] = { "begin", "parallel", "end", "sequential" };
	unsigned number = (unsigned)strtoul(field[THREAD], NULL, 10);
	uint64_t tid = strtoull(field[TID], NULL, 0);
	const char *kind = field[KIND];
	struct item i = { .at = 0 };
	enum list_kind k;
	double d;
	int t;

	if (strcmp(kind, "zone") == 0) {
		k = ZONES;
		i.at = strtoll(field[START], NULL, 10);
		i.val = strtoull(field[LEVEL], NULL, 10);
		i.name = name_of(&c->names, field[NAME]);
		if (strtoll(field[DUR], NULL, 10) < 0)
			differ(c, "a zone \"%s\" of %s ns", field[NAME], field[DUR]);
	} else if (strcmp(kind, "alloc") == 0) {
		k = ALLOCS;
		i.val = strtoull(field[VALUE], NULL, 10);
	} else if (strcmp(kind, "instant") == 0) {
		k = INSTANTS;
		i.name = name_of(&c->names, field[NAME]);
		i.val = strtoull(field[VALUE], NULL, 10);
		i.text = *field[DETAIL] ? name_of(&c->names, field[DETAIL]) : 0;
	} else if (strcmp(kind, "counter") == 0) {
		k = COUNTERS;
		i.name = name_of(&c->names, field[NAME]);
		d = strtod(field[VALUE], NULL);
		memcpy(&i.val, &d, sizeof d);
	} else if (strcmp(kind, "flow") == 0) {
		k = FLOWS;
		for (i.name = 0; i.name < 4 && strcmp(flows[i.name], field[NAME]) != 0; i.name++)
			;
		i.val = strtoull(field[DETAIL], NULL, 0);
	} else if (strcmp(kind, "frame") == 0) {
		t = thread_of(c, number, tid);
		if (t >= 0)
			c->have[t].frames++;
		return;
	} else {
		return;                 /* what the reader or the recorder adds: collections, threads, facts */
	}
	t = thread_of(c, number, tid);
	if (t < 0) {
		c->t->torn++;
		differ(c, "a %s on a thread nobody had: %u, id %s", list_names[k], number, field[TID]);
		return;
	}
	add(&c->have[t].list[k], i);
}

static int
read_csv(struct compare *c, const char *tracetool, const char *capture)
{
	char command[2048], *line = NULL, *field[FIELDS] = { NULL };
	size_t cap = 0;
	FILE *f;
	int rc;

	snprintf(command, sizeof command, "'%s' convert -q --names full -f csv -o - '%s'", tracetool, capture);
	f = popen(command, "r");
	if (!f)
		return -1;
	if (getline(&line, &cap, f) > 0) {
		while (getline(&line, &cap, f) > 0) {
			if (split(line, field) == FIELDS)
				take_record(c, field);
			else
				differ(c, "a record of CSV without %d fields: %.80s", FIELDS, line);
		}
	}
	free(line);
	rc = pclose(f);
	if (rc != 0)
		printf("%s: status %d\n", command, rc);
	return rc;
}

/* --- here: notes ----------------------------------------------------------------------------- */

static void
expect(struct compare *c, const struct account_thread *t, uint64_t n, struct side *s)
{
	uint64_t depth = 0;

	for (uint64_t i = 0; i < n; i++) {
		const struct note *e = &t->note[i];
		struct item it = { .val = e->val };
		const char *text;
		double d;

		switch ((enum note_kind)e->kind) {
		case NOTE_ZONE:
		case NOTE_LABEL:
			it.name = name_of(&c->names, game_name(c->g, e));
			it.val = depth++;
			add(&s->list[ZONES], it);
			break;
		case NOTE_END:
			depth--;
			break;
		case NOTE_ALLOC:
			add(&s->list[ALLOCS], it);
			break;
		case NOTE_INSTANT:
			text = game_text(c->g, e);
			it.name = name_of(&c->names, game_name(c->g, e));
			it.text = text ? name_of(&c->names, text) : 0;
			it.val = e->val & 0xffffffff;
			add(&s->list[INSTANTS], it);
			break;
		case NOTE_COUNTER:
			it.name = name_of(&c->names, game_name(c->g, e));
			d = (double)(int64_t)e->val;
			if (!game_is_float(c->g, e->id))
				memcpy(&it.val, &d, sizeof d);
			add(&s->list[COUNTERS], it);
			break;
		case NOTE_FLOW:
			it.name = e->id;
			add(&s->list[FLOWS], it);
			break;
		default:
			break;
		}
	}
}

/* --- both ---------------------------------------------------------------------------------------- */

static int
by_begin(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : (a->val > b->val) - (a->val < b->val);
}

static bool
same(const struct item *a, const struct item *b)
{
	return a->name == b->name && a->val == b->val && a->text == b->text;
}

/* The length of the longest common beginning. */
static size_t
common(const struct list *a, const struct list *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && same(&a->p[i], &b->p[i]))
		i++;
	return i;
}

static void
tell_item(struct compare *c, const char *what, enum list_kind k, const struct list *l, size_t i)
{
	const struct item *it = i < l->n ? &l->p[i] : NULL;

	if (it)
		printf("  %s: %s \"%s\" %" PRIu64 " %s\n", what, list_names[k],
		    k == ALLOCS || k == FLOWS ? "" : c->names.s[it->name], it->val, it->text ? c->names.s[it->text] : "");
	else
		printf("  %s: no more\n", what);
}

static bool
side_same(const struct side *a, const struct side *b)
{
	for (int k = 0; k < LISTS; k++) {
		if (a->list[k].n != b->list[k].n || common(&a->list[k], &b->list[k]) != a->list[k].n)
			return false;
	}
	return true;
}

static void
compare_thread(struct compare *c, uint32_t i, unsigned how)
{
	const struct account_thread *t = &c->a->thread[i];
	struct side *have = &c->have[i], want = { .frames = 0 };
	uint64_t sent = t->sent;

	if (sent > t->cap) {
		differ(c, "%s: more events than notes fit", t->name);
		return;
	}
	if (have->list[ZONES].n)
		qsort(have->list[ZONES].p, have->list[ZONES].n, sizeof *have->list[ZONES].p, by_begin);
	expect(c, t, sent, &want);
	if ((how & TRUTH_CUT) && sent < t->cap && !side_same(have, &want)) {
		free_side(&want);
		expect(c, t, sent + 1, &want);
		if (side_same(have, &want)) {
			c->t->more++;
		} else {
			free_side(&want);
			expect(c, t, sent, &want);
		}
	}
	for (int k = 0; k < LISTS; k++) {
		struct list *h = &have->list[k], *w = &want.list[k];
		size_t n = common(h, w);

		if (n == h->n && n == w->n)
			continue;
		if (h->n < w->n)
			c->t->lost += w->n - h->n;
		c->t->torn += n < h->n;
		differ(c, "thread %" PRIu32 " \"%s\": %zu of %zu %ss are there, equal up to %zu", i, t->name, h->n, w->n,
		    list_names[k], n);
		if (c->told < 20) {
			tell_item(c, "sent", (enum list_kind)k, w, n);
			tell_item(c, "read", (enum list_kind)k, h, n);
		}
	}
	c->t->events += sent;
	c->t->zones += want.list[ZONES].n;
	c->t->allocs += want.list[ALLOCS].n;
	c->t->instants += want.list[INSTANTS].n;
	c->t->counters += want.list[COUNTERS].n;
	c->t->flows += want.list[FLOWS].n;
	c->t->frames += have->frames;
	free_side(&want);
}

unsigned
truth_events(const struct game *g, const struct account *a, const char *tracetool, const char *capture, unsigned how,
    struct truth *t)
{
	struct compare *c = calloc(1, sizeof *c);
	uint64_t frames;
	unsigned bad;
	int rc;

	if (!c)
		abort();
	memset(t, 0, sizeof *t);
	c->g = g;
	c->a = a;
	c->t = t;
	rc = read_csv(c, tracetool, capture);
	if (rc != 0 && !(how & TRUTH_CUT))
		differ(c, "reading ended with status %d", rc);
	for (uint32_t i = 0; i < a->nthread; i++)
		compare_thread(c, i, how);
	/* A frame mark says that a frame begins; one more or less at the ends is a matter of taste. */
	frames = a->thread[0].frames;
	if (t->frames > frames + 1 || t->frames + 1 < frames)
		differ(c, "%" PRIu64 " frames of %" PRIu64, t->frames, frames);
	for (uint32_t i = 0; i < ACCOUNT_THREADS; i++)
		free_side(&c->have[i]);
	for (unsigned i = 0; i < NAMES; i++)
		free(c->names.s[i]);
	bad = t->bad;
	free(c);
	return bad;
}

/* --- totals -------------------------------------------------------------------------------------- */

static json_t *
rows(json_t *root, const char *table)
{
	return json_object_get(json_object_get(json_object_get(root, "tables"), table), "rows");
}

static uint64_t
number(json_t *row, const char *column)
{
	return (uint64_t)json_integer_value(json_object_get(row, column));
}

static void
equal(struct compare *c, const char *what, const char *name, uint64_t have, uint64_t want)
{
	if (have != want)
		differ(c, "%s of \"%s\": %" PRIu64 ", not %" PRIu64, what, name, have, want);
}

/* What the capture itself says of each thread, read without tracetool. */
struct facts {
	uint64_t native[ACCOUNT_THREADS], events[ACCOUNT_THREADS], dropped[ACCOUNT_THREADS];
	uint64_t finish[ACCOUNT_THREADS];     /* events by the recorder's own account + 1; 0: none given */
	bool there[ACCOUNT_THREADS];
};

/* A record's time and low bits, then the payload of a TTC_OTHER in [*${q}, *${stop}). The kind, or -1 at the end. */
static int
take_record_head(const uint8_t **p, const uint8_t *end, unsigned *op, const uint8_t **q, const uint8_t **stop)
{
	uint64_t time, n;
	int kind = 0;

	*p = *p < end ? ttc_get(*p, end, &time) : NULL;
	if (!*p)
		return -1;
	*op = time & 3;
	if (*op != TTC_OTHER)
		return 0;
	if (*p == end)
		return -1;
	kind = *(*p)++;
	*q = ttc_get(*p, end, &n);
	if (!*q || n > (uint64_t)(end - *q))
		return -1;
	*p = *stop = *q + n;
	return kind;
}

/* The records of a chunk of thread 0. */
static void
take_facts(struct facts *f, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *q = NULL, *stop = NULL;
	uint64_t n, v[7] = { 0 };
	unsigned op;
	int kind;

	while ((kind = take_record_head(&p, end, &op, &q, &stop)) >= 0) {
		if (kind == TTC_THREAD) {
			for (int i = 0; i < 2 && q; i++)
				q = ttc_get(q, stop, &v[i]);
			if (q && v[0] < ACCOUNT_THREADS) {
				f->native[v[0]] = v[1];
				f->there[v[0]] = true;
			}
		} else if (kind == TTC_DROPS) {
			for (int i = 0; i < 2 && q; i++)
				q = ttc_get(q, stop, &v[i]);
			if (q && v[0] < ACCOUNT_THREADS && v[1] > f->dropped[v[0]])
				f->dropped[v[0]] = v[1];
		} else if (kind == TTC_FINISH && q < stop) {
			q = ttc_get(q + 1, stop, &n);
			for (uint64_t k = 0; q && k < n; k++) {
				for (int i = 0; i < 5 && q; i++)
					q = ttc_get(q, stop, &v[i]);
				if (q && v[0] < ACCOUNT_THREADS) {
					f->finish[v[0]] = v[3] + 1;
					f->dropped[v[0]] = v[4];
				}
			}
		}
	}
}

/* Those of another thread: each is an event. */
static uint64_t
count_events(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *q, *stop;
	uint64_t n = 0, v;
	unsigned op;
	int kind;

	while (p && (kind = take_record_head(&p, end, &op, &q, &stop)) >= 0) {
		for (int i = op == TTC_BEGIN ? 1 : op == TTC_ALLOC ? 2 : 0; i > 0 && p; i--)
			p = ttc_get(p, end, &v);
		n += kind != TTC_THREAD_END;
	}
	return n;
}

static int
read_facts(const char *capture, struct facts *f)
{
	FILE *in = fopen(capture, "rb");
	struct ttc_head h;
	struct ttc_chunk c;
	uint8_t *body = malloc(TTC_CHUNK_LIMIT);
	int rc = -1;

	memset(f, 0, sizeof *f);
	if (!in || !body || fread(&h, sizeof h, 1, in) != 1 || fseek(in, (long)h.size, SEEK_SET) != 0)
		goto out;
	while (fread(&c, sizeof c, 1, in) == 1) {
		uint32_t length = (uint32_t)c.commit;

		if (c.magic != TTC_CHUNK_MAGIC || length > TTC_CHUNK_LIMIT || c.state > length ||
		    fread(body, 1, length, in) != length)
			goto out;
		if (c.thread == 0)
			take_facts(f, body + c.state, body + length);
		else if (c.thread < ACCOUNT_THREADS)
			f->events[c.thread] += count_events(body + c.state, body + length);
	}
	rc = 0;
out:
	free(body);
	if (in)
		fclose(in);
	return rc;
}

/* For each thread: what the capture has and what was dropped is what was made. */
static void
compare_drops(struct compare *c, json_t *list, const char *capture)
{
	struct facts *f = malloc(sizeof *f);

	if (!f)
		abort();
	if (read_facts(capture, f) != 0)
		differ(c, "%s: not a capture to its end", capture);
	/* In the order of their numbers, threads of one id are in the order of their lives. */
	for (unsigned n = 1; n < ACCOUNT_THREADS; n++) {
		int k = f->there[n] ? thread_of(c, n, f->native[n]) : -1;
		const struct account_thread *t = k >= 0 ? &c->a->thread[k] : NULL;
		uint64_t made, have = f->events[n] + f->dropped[n], slack;
		json_t *row;
		size_t i;

		if (!t)
			continue;
		made = t->sent - t->alloc_ends + t->frames;
		/* A frame mark more or less at the ends is a matter of taste. */
		slack = t->frames > 0;
		c->t->made += slack ? have : made;
		c->t->written += f->events[n];
		c->t->dropped += f->dropped[n];
		if (have + slack < made || have > made + slack)
			differ(c, "\"%s\" made %" PRIu64 ", but %" PRIu64 " are written and %" PRIu64 " dropped", t->name, made,
			    f->events[n], f->dropped[n]);
		if (f->finish[n])
			equal(c, "the recorder's count of events", t->name, f->finish[n] - 1, f->events[n]);
		json_array_foreach(list, i, row) {
			/* Threads are called differently in the game; the reader may not know of those all of whose events
			   were dropped, so generations may differ. */
			if (strcmp(json_string_value(json_object_get(row, "thread")), t->name) == 0)
				equal(c, "events read", t->name, number(row, "events"), f->events[n]);
		}
	}
	for (uint32_t k = 0; k < c->a->nthread; k++) {
		if (!c->taken[k] && c->a->thread[k].sent > 0)
			differ(c, "thread \"%s\" is missing", c->a->thread[k].name);
	}
	free(f);
}

/* The thread that had the id ${tid} after ${generation} others. */
static int
thread_in(struct compare *c, uint64_t tid, uint64_t generation)
{
	for (uint32_t i = 0; i < c->a->nthread; i++) {
		const struct account_thread *t = &c->a->thread[i];

		if ((t->id == tid || t->kernel_id == tid) && generation-- == 0) {
			c->taken[i] = true;
			return (int)i;
		}
	}
	return -1;
}

static void
compare_threads(struct compare *c, json_t *list)
{
	json_t *row;
	size_t i;

	json_array_foreach(list, i, row) {
		const char *name = json_string_value(json_object_get(row, "thread"));
		int k = thread_in(c, strtoull(json_string_value(json_object_get(row, "tid")), NULL, 0), number(row, "generation"));
		const struct account_thread *t = k >= 0 ? &c->a->thread[k] : NULL;

		if (!t) {
			if (number(row, "calls") || number(row, "allocs"))
				differ(c, "a thread nobody had: \"%s\"", name);
			continue;
		}
		if (strcmp(name, t->name) != 0)
			differ(c, "a thread called \"%s\", not \"%s\"", name, t->name);
		equal(c, "zones", name, number(row, "calls"), t->zones);
		equal(c, "allocations", name, number(row, "allocs"), t->allocs);
		equal(c, "allocated bytes", name, number(row, "alloc_bytes"), t->alloc_b);
		equal(c, "zones left open", name, number(row, "open_at_end"), 0);
	}
	for (uint32_t k = 0; k < c->a->nthread; k++) {
		if (!c->taken[k] && c->a->thread[k].sent > 0)
			differ(c, "thread \"%s\" is missing", c->a->thread[k].name);
	}
}

/* Markers of one name are one row. Labels are rows of their own, so Profiler.Default has none. */
static void
compare_markers(struct compare *c, json_t *list)
{
	uint64_t *want = calloc(NAMES, sizeof *want);
	const struct unity_marker *m;
	uint64_t labels = 0, label_marker = 0, own = 0;
	json_t *row;
	size_t i;

	if (!want)
		abort();
	for (unsigned k = 0; (m = engine_marker_at(k)); k++) {
		uint64_t n = 0;

		for (uint32_t t = 0; t < c->a->nthread; t++)
			n += c->a->thread[t].count[m->id % ACCOUNT_MARKERS];
		if (strcmp(m->name, "Profiler.Default") == 0)
			label_marker = n;
		else if (strcmp(m->name, "GC.Alloc") != 0 && !(m->flags & UNITY_M_COUNTER) &&
		    strncmp(m->name, "Game.Event.", 11) != 0)
			want[name_of(&c->names, m->name)] += n;
	}
	json_array_foreach(list, i, row) {
		const char *name = json_string_value(json_object_get(row, "marker"));
		uint32_t id = name_of(&c->names, name);

		if (want[id])
			equal(c, "count", name, number(row, "count"), want[id]);
		else if (strncmp(name, "GC.", 3) == 0 && strcmp(name, "GC.Collect") != 0)
			own++;          /* what the reader makes of collections */
		else
			labels += number(row, "count");
		want[id] = 0;
	}
	equal(c, "count", "all labels", labels, label_marker);
	for (unsigned k = 0; k < NAMES; k++) {
		if (want[k])
			differ(c, "marker \"%s\" is missing: %" PRIu64, c->names.s[k], want[k]);
	}
	free(want);
}

unsigned
truth_totals(const struct game *g, const struct account *a, const char *tracetool, const char *capture, unsigned how,
    struct truth *t)
{
	struct compare *c = calloc(1, sizeof *c);
	struct account_thread sum = account_sum(a);
	char command[2048];
	json_error_t why;
	json_t *root;
	FILE *f;
	unsigned bad;

	if (!c)
		abort();
	memset(t, 0, sizeof *t);
	c->g = g;
	c->a = a;
	c->t = t;
	snprintf(command, sizeof command, "'%s' stats -q --names full --format json '%s'", tracetool, capture);
	f = popen(command, "r");
	root = f ? json_loadf(f, 0, &why) : NULL;
	if (f && pclose(f) != 0 && !how)
		differ(c, "stats failed");
	if (how & TRUTH_DROPS)
		compare_drops(c, root ? rows(root, "threads") : NULL, capture);
	if (!root) {
		differ(c, "stats gives no JSON: %s", why.text);
	} else if (!(how & TRUTH_DROPS)) {
		json_t *gc = json_array_get(rows(root, "gcalloc"), 0);

		equal(c, "allocations", "all", number(gc, "count"), sum.allocs);
		equal(c, "allocated bytes", "all", number(gc, "bytes"), sum.alloc_b);
		compare_threads(c, rows(root, "threads"));
		compare_markers(c, rows(root, "markers"));
		t->events = sum.sent;
	}
	json_decref(root);
	for (unsigned i = 0; i < NAMES; i++)
		free(c->names.s[i]);
	bad = t->bad;
	free(c);
	return bad;
}
