/**
 * The smallest plug-in: counts what the host sends, so that the host is tested without the recorder.
 *
 * It registers everything at load, as a careful plug-in does, and keeps no thread's data apart.
 */
#include <stdatomic.h>
#include <string.h>

#include "recorder/unity/abi.h"

struct probe {
	_Atomic uint64_t categories, markers, threads, frames, flows, begins, ends, singles, values, bytes, alloc_b;
};
UNITY_EXPORT struct probe probe;
UNITY_EXPORT const struct probe *probe_counts(void);
UNITY_EXPORT void UNITY_CALL UnityPluginLoad(struct unity_interfaces *);
UNITY_EXPORT void UNITY_CALL UnityPluginUnload(void);

static struct unity_callbacks *callbacks;
static int has_flows;

const struct probe *
probe_counts(void)
{
	return &probe;
}

static void
count(_Atomic uint64_t *n, uint64_t by)
{
	atomic_fetch_add_explicit(n, by, memory_order_relaxed);
}

static void UNITY_CALL
on_event(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v, void *user)
{
	(void)user;
	count(event == UNITY_BEGIN ? &probe.begins : event == UNITY_END ? &probe.ends : &probe.singles, 1);
	count(&probe.values, n);
	for (unsigned i = 0; i < n; i++)
		count(&probe.bytes, v[i].size);
	if (n == 1 && v->type == UNITY_T_U32 && strcmp(m->name, "GC.Alloc") == 0)
		count(&probe.alloc_b, *(const uint32_t *)v->data);
}

static void UNITY_CALL
on_marker(const struct unity_marker *m, void *user)
{
	count(&probe.markers, 1);
	callbacks->add_event(m, on_event, user);
}

static void UNITY_CALL
on_category(const struct unity_category *c, void *user)
{
	(void)user;
	(void)c;
	count(&probe.categories, 1);
}

static void UNITY_CALL
on_thread(const struct unity_thread *t, void *user)
{
	(void)user;
	count(&probe.threads, t->name != NULL);
}

static void UNITY_CALL
on_frame(void *user)
{
	(void)user;
	count(&probe.frames, 1);
}

static void UNITY_CALL
on_flow(uint8_t event, uint32_t id, void *user)
{
	(void)user;
	(void)event;
	(void)id;
	count(&probe.flows, 1);
}

void UNITY_CALL
UnityPluginLoad(struct unity_interfaces *i)
{
	callbacks = i->get(UNITY_CALLBACKS_V2);
	has_flows = callbacks != NULL;
	if (!callbacks)
		callbacks = i->get(UNITY_CALLBACKS_V1);
	if (!callbacks)
		return;
	callbacks->add_category(on_category, NULL);
	callbacks->add_thread(on_thread, NULL);
	callbacks->add_frame(on_frame, NULL);
	callbacks->add_marker(on_marker, NULL);
	if (has_flows)
		callbacks->add_flow(on_flow, NULL);
}

void UNITY_CALL
UnityPluginUnload(void)
{
	if (!callbacks)
		return;
	callbacks->del_event(NULL, on_event, NULL);
	callbacks->del_marker(on_marker, NULL);
	callbacks->del_category(on_category, NULL);
	callbacks->del_thread(on_thread, NULL);
	callbacks->del_frame(on_frame, NULL);
	if (has_flows)
		callbacks->del_flow(on_flow, NULL);
}
