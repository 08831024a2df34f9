/**
 * Records the runtime's own counters at intervals. The helper thread reads them; it is not attached to the runtime, so it takes no managed memory. Keys of
 * counters are small numbers, as events name counters by 32 bits; other keys are even smaller, or are addresses.
 */
#include "recorder/mono/module.h"

enum { COUNTERS = 1024, FIRST_KEY = 0x40000000 };

/* Parts of processor time: the runtime gives the user's and the system's part, and a total in which the user's counts twice (6.8). */
enum share { S_NONE, S_USER, S_SYSTEM, S_TOTAL };

static struct {
	MonoCounter *counter;
	int type, unit;
	enum share share;
	uint64_t key;
} known[COUNTERS];
static int64_t shares[S_TOTAL + 1];   /* values of the last reading */
static unsigned nknown;

static const char *
section_name(int section)
{
	static const struct { int section; const char *name; } names[] = {
		{ MONO_COUNTER_JIT, "JIT" }, { MONO_COUNTER_GC, "GC" }, { MONO_COUNTER_METADATA, "metadata" },
		{ MONO_COUNTER_GENERICS, "generics" }, { MONO_COUNTER_SECURITY, "security" },
		{ MONO_COUNTER_RUNTIME, "runtime" }, { MONO_COUNTER_SYSTEM, "system" },
		{ MONO_COUNTER_PERFCOUNTERS, "perfcounters" }, { MONO_COUNTER_PROFILER, "profiler" },
		{ MONO_COUNTER_INTERP, "interp" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].section == section)
			return names[i].name;
	return "";
}

/* Units of captures: 0 none, 1 ns, 2 bytes, 3 count, 4 %. */
static unsigned
unit_of(int type, int unit)
{
	if (unit == MONO_COUNTER_TIME || type == MONO_COUNTER_TIME_INTERVAL)
		return 1;
	return unit == MONO_COUNTER_BYTES ? 2 : unit == MONO_COUNTER_COUNT ? 3 : unit == MONO_COUNTER_PERCENTAGE ? 4 : 0;
}

static enum share
share_of(MonoCounter *c)
{
	static const char *const name[] = { [S_USER] = "User Time", [S_SYSTEM] = "System Time", [S_TOTAL] = "Total Time" };

	for (unsigned i = S_USER; i <= S_TOTAL && api.mono_counter_get_section(c) == MONO_COUNTER_SYSTEM; i++)
		if (strcmp(api.mono_counter_get_name(c), name[i]) == 0)
			return (enum share)i;
	return S_NONE;
}

static unsigned
find(MonoCounter *c)
{
	const char *name;
	unsigned i = 0;

	while (i < nknown && known[i].counter != c)
		i++;
	if (i < nknown || i == COUNTERS)
		return i;
	known[i].counter = c;
	known[i].type = api.mono_counter_get_type(c);
	known[i].unit = api.mono_counter_get_unit(c);
	known[i].share = share_of(c);
	known[i].key = FIRST_KEY + i;
	nknown++;
	name = api.mono_counter_get_name(c);
	rec_def_marker_as(known[i].key, 0, 0, 0, name);
	rec_def_counter(known[i].key, unit_of(known[i].type, known[i].unit), name, section_name(api.mono_counter_get_section(c)));
	return i;
}

/* Convert a value to the capture's unit. False: it is text or of an unknown type. */
static bool
value(unsigned i, const void *p, struct rec_value *v, int64_t *whole, double *real)
{
	bool time = unit_of(known[i].type, known[i].unit) == 1;
	int32_t i32;

	*v = (struct rec_value){ .type = TTC_I64, .size = 8, .p = whole };
	switch (known[i].type) {
	case MONO_COUNTER_INT: case MONO_COUNTER_UINT:
		memcpy(&i32, p, 4);
		*whole = known[i].type == MONO_COUNTER_INT ? (int64_t)i32 : (int64_t)(uint32_t)i32;
		break;
	case MONO_COUNTER_WORD:
		*whole = 0;
		memcpy(whole, p, sizeof(void *));
		break;
	case MONO_COUNTER_LONG: case MONO_COUNTER_ULONG: case MONO_COUNTER_TIME_INTERVAL:
		memcpy(whole, p, 8);
		break;
	case MONO_COUNTER_DOUBLE:
		memcpy(real, p, 8);
		*real *= known[i].unit == MONO_COUNTER_PERCENTAGE ? 100 : time ? 100 : 1;
		v->type = TTC_F64;
		v->p = real;
		return true;
	default:
		return false;
	}
	if (time)
		*whole *= known[i].type == MONO_COUNTER_TIME_INTERVAL ? 1000 : 100;
	return true;
}

static mono_bool
one(MonoCounter *c, void *arg)
{
	struct rec_thread *t = arg;
	unsigned i = find(c);
	uint64_t buffer[8] = { 0 };
	struct rec_value v;
	int64_t whole = 0;
	double real = 0;

	if (i == COUNTERS || known[i].type == MONO_COUNTER_STRING || api.mono_counters_sample(c, buffer, sizeof buffer) <= 0 ||
	    !value(i, buffer, &v, &whole, &real))
		return 1;
	if (known[i].share == S_TOTAL)
		whole = shares[S_USER] + shares[S_SYSTEM];
	shares[known[i].share] = whole;
	rec_counter(t, rec_now(), known[i].key, &v);
	return 1;
}

/* True if the runtime has all functions that counters need. */
static bool
can_count(void)
{
	return api.mono_counters_foreach && api.mono_counters_sample && api.mono_counter_get_name && api.mono_counter_get_type &&
	    api.mono_counter_get_unit && api.mono_counter_get_section;
}

void
counters_sample(void)
{
	struct rec_thread *t = rec_thread();

	if (t && can_count() && atomic_load_explicit(&module.initialized, memory_order_acquire))
		api.mono_counters_foreach(one, t);
}
