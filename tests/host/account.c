/**
 * Counts and notes the events that each game thread sends, in shared memory.
 */
#include "account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

static void *
map(size_t n)
{
#ifdef _WIN32
	void *p = VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

	if (!p)
		abort();
#else
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("account");
		abort();
	}
#endif
	return p;
}

struct account *
account_new(unsigned threads, uint64_t notes)
{
	const size_t counts = ACCOUNT_MARKERS * sizeof(uint32_t);
	size_t head = (sizeof(struct account) + 4095) & ~(size_t)4095;
	size_t n = head + ACCOUNT_THREADS * counts + threads * notes * sizeof(struct note);
	char *p = map(n);
	struct account *a = (struct account *)p;

	a->bytes = n;
	for (unsigned i = 0; i < ACCOUNT_THREADS; i++) {
		struct account_thread *t = &a->thread[i];

		t->count = (uint32_t *)(void *)(p + head + i * counts);
		if (i < threads && notes) {
			t->note = (struct note *)(void *)(p + head + ACCOUNT_THREADS * counts) + i * notes;
			t->cap = notes;
		}
	}
	return a;
}

void
account_free(struct account *a)
{
#ifdef _WIN32
	VirtualFree(a, 0, MEM_RELEASE);
#else
	munmap(a, a->bytes);
#endif
}

struct account_thread *
account_thread(struct account *a, const char *group, const char *name)
{
	uint32_t i = a->nthread++;
	struct account_thread *t = &a->thread[i % ACCOUNT_THREADS];

	if (i >= ACCOUNT_THREADS)
		abort();
	snprintf(t->name, sizeof t->name, "%s", name);
	snprintf(t->group, sizeof t->group, "%s", group);
#ifdef _WIN32
	t->kernel_id = GetCurrentThreadId();
#else
	t->kernel_id = (uint64_t)gettid();
#endif
	t->id = engine_self();
	engine_thread(t->group, t->name);
	return t;
}

struct account_thread
account_sum(const struct account *a)
{
	struct account_thread s = { .id = 0 };

	for (uint32_t i = 0; i < a->nthread; i++) {
		const struct account_thread *t = &a->thread[i];

		s.sent += t->sent;
		s.begins += t->begins;
		s.ends += t->ends;
		s.singles += t->singles;
		for (int k = 0; k < 4; k++)
			s.flows[k] += t->flows[k];
		s.frames += t->frames;
		s.zones += t->zones;
		s.labels += t->labels;
		s.allocs += t->allocs;
		s.alloc_ends += t->alloc_ends;
		s.alloc_b += t->alloc_b;
		s.instants += t->instants;
		s.counters += t->counters;
		s.values += t->values;
		s.missed += t->missed;
		s.faults += t->faults;
		s.switches += t->switches;
	}
	return s;
}

static void
put_text(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putc('\\', f);
		if ((unsigned char)*s < 0x20)
			fprintf(f, "\\u%04x", *s);
		else
			putc(*s, f);
	}
	putc('"', f);
}

static void
put_counts(FILE *f, const struct account_thread *t)
{
	fprintf(f, "\"events\":%" PRIu64 ",\"begins\":%" PRIu64 ",\"ends\":%" PRIu64 ",\"singles\":%" PRIu64
	    ",\"zones\":%" PRIu64 ",\"labels\":%" PRIu64 ",\"allocs\":%" PRIu64 ",\"alloc_bytes\":%" PRIu64
	    ",\"instants\":%" PRIu64 ",\"counters\":%" PRIu64 ",\"values\":%" PRIu64 ",\"frames\":%" PRIu64
	    ",\"flows\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "],\"missed\":%" PRIu64, t->sent,
	    t->begins, t->ends, t->singles, t->zones, t->labels, t->allocs, t->alloc_b, t->instants, t->counters,
	    t->values, t->frames, t->flows[0], t->flows[1], t->flows[2], t->flows[3], t->missed);
}

void
account_write(const struct account *a, FILE *f)
{
	struct account_thread sum = account_sum(a);
	const struct unity_marker *m;
	bool first = true;

	fprintf(f, "{\"seed\":%" PRIu64 ",\n\"total\":{", a->seed);
	put_counts(f, &sum);
	fputs("},\n\"threads\":[", f);
	for (uint32_t i = 0; i < a->nthread; i++) {
		const struct account_thread *t = &a->thread[i];

		fprintf(f, "%s\n {\"name\":", i ? "," : "");
		put_text(f, t->name);
		fputs(",\"group\":", f);
		put_text(f, t->group);
		fprintf(f, ",\"id\":\"0x%" PRIx64 "\",\"kernel_id\":%" PRIu64 ",", t->id, t->kernel_id);
		put_counts(f, t);
		putc('}', f);
	}
	fputs("],\n\"markers\":[", f);
	for (unsigned i = 0; (m = engine_marker_at(i)); i++) {
		uint64_t n = 0;

		for (uint32_t k = 0; k < a->nthread; k++)
			n += a->thread[k].count[m->id % ACCOUNT_MARKERS];
		if (n == 0)
			continue;
		fprintf(f, "%s\n {\"name\":", first ? "" : ",");
		put_text(f, m->name);
		fprintf(f, ",\"id\":%" PRIu32 ",\"count\":%" PRIu64 "}", m->id, n);
		first = false;
	}
	fputs("]}\n", f);
}
