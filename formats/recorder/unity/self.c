/**
 * Shows the recorder's own work in the Unity profiler: the writer thread by its name, a zone for each write, counters of bytes written and events dropped.
 * All of it runs on the writer thread, which makes the first write after the start.
 */
#include "recorder/unity/plugin.h"

#include <string.h>

static struct {
	const struct unity_profiler_v1 *v1;
	const struct unity_profiler_v2 *v2;
	/* Functions of either version of the interface. */
	void (UNITY_CALL *emit)(const struct unity_marker *, uint16_t, uint16_t, const struct unity_value *);
	int (UNITY_CALL *enabled)(void);
	const struct unity_marker *write, *bytes, *dropped;
	int64_t *bytes_value, *dropped_value; /* only in version 2 */
	_Atomic bool open;
	bool known, named;            /* known: the writer thread is known; named: the engine has our name for it */
	uint64_t thread, id;          /* the writer thread; the engine's id for it */
	int64_t written;
} self;

#define BYTES_NAME   SELF_PREFIX "Bytes Written"
#define DROPPED_NAME SELF_PREFIX "Events Dropped"

static bool
make_markers(void)
{
	enum { OTHER = 16 };          /* a category that every version has */
	const struct unity_profiler_v1 *p = self.v1;
	uint16_t category = OTHER;
	const struct unity_profiler_v2 *q = self.v2;
	/* Both versions have this function at the same place. */
	int (UNITY_CALL *create)(const struct unity_marker **, const char *, uint16_t, uint16_t, int) =
	    q ? q->create_marker : p->create_marker;
	int (UNITY_CALL *name)(const struct unity_marker *, int, const char *, uint8_t, uint8_t) =
	    q ? q->name_value : p->name_value;

	if (q && q->create_category(&category, "Tracetool", 0) != 0)
		category = OTHER;
	if (create(&self.write, SELF_PREFIX "Write", category, 0, 1) != 0 || !self.write)
		return false;
	name(self.write, 0, "Bytes", UNITY_T_I64, UNITY_U_BYTES);
	if (q) {
		self.bytes_value = q->create_counter(category, SELF_PREFIX "Bytes Written", UNITY_M_COUNTER,
		    UNITY_T_I64, UNITY_U_BYTES, 8, UNITY_C_FLUSH, NULL, NULL, NULL);
		self.dropped_value = q->create_counter(category, SELF_PREFIX "Events Dropped", UNITY_M_COUNTER,
		    UNITY_T_I64, UNITY_U_COUNT, 8, UNITY_C_FLUSH, NULL, NULL, NULL);
		return true;
	}
	if (create(&self.bytes, BYTES_NAME, category, UNITY_M_COUNTER, 1) == 0 && self.bytes)
		name(self.bytes, 0, "Bytes", UNITY_T_I64, UNITY_U_BYTES);
	if (create(&self.dropped, DROPPED_NAME, category, UNITY_M_COUNTER, 1) == 0 && self.dropped)
		name(self.dropped, 0, "Events", UNITY_T_I64, UNITY_U_COUNT);
	return true;
}

void
self_load(struct unity_interfaces *unity)
{
	self.v2 = unity->get(UNITY_PROFILER_V2);
	self.v1 = self.v2 ? NULL : unity->get(UNITY_PROFILER_V1);
	self.emit = self.v2 ? self.v2->emit : self.v1 ? self.v1->emit : NULL;
	self.enabled = self.v2 ? self.v2->enabled : self.v1 ? self.v1->enabled : NULL;
	/* Release players have no profiler that could show the work. */
	if (self.emit && (!(self.v2 ? self.v2->available : self.v1->available)() || !make_markers()))
		self.emit = NULL;
}

void
self_open(void)
{
	self.known = self.named = false;
	self.written = 0;
	atomic_store(&self.open, self.emit && plugin.config.self);
}

void
self_close(void)
{
	if (!atomic_exchange(&self.open, false) || !self.named)
		return;
	if (self.v2)
		self.v2->unregister_thread(self.id);
	else
		self.v1->unregister_thread(self.id);
	self.named = false;
}

/* Name the thread, once, as an engine that refuses will refuse again. */
static void
name_thread(void)
{
	self.known = true;
	self.named = (self.v2 ? self.v2->register_thread : self.v1->register_thread)(&self.id, "Tracetool", "Writer") == 0;
	self.thread = plat_thread_self();
}

/* True if the marker is one of ours. Counters of version 2 are known only by name. */
bool
self_made(const struct unity_marker *m, const char *name)
{
	return m == self.write || m == self.bytes || m == self.dropped || (self.bytes_value && strcmp(name, BYTES_NAME) == 0) ||
	    (self.dropped_value && strcmp(name, DROPPED_NAME) == 0);
}

static void
show(const struct unity_marker *counter, int64_t *value, int64_t n)
{
	if (value)
		__atomic_store_n(value, n, __ATOMIC_RELAXED);
	else if (counter)
		self.emit(counter, UNITY_SINGLE, 1,
		    &(struct unity_value){ .type = UNITY_T_I64, .size = sizeof n, .data = &n });
}

long
self_write(void *arg, int fd, const void *p, size_t n)
{
	(void)arg;
	if (!atomic_load_explicit(&self.open, memory_order_acquire))
		return plat_write(fd, p, n);
	if (!self.known)
		name_thread();
	if (self.thread != plat_thread_self() || !self.enabled())
		return plat_write(fd, p, n);

	int64_t bytes = (int64_t)n;
	self.emit(self.write, UNITY_BEGIN, 1,
	    &(struct unity_value){ .type = UNITY_T_I64, .size = sizeof bytes, .data = &bytes });
	long rc = plat_write(fd, p, n);
	self.emit(self.write, UNITY_END, 0, NULL);
	struct rec_stats s;
	rec_stats(&s);
	self.written += rc > 0 ? rc : 0;
	show(self.bytes, self.bytes_value, self.written);
	show(self.dropped, self.dropped_value, (int64_t)s.dropped);
	return rc;
}
