/* A stand-in for a player that links plug-ins in: the one-file recorder must register itself, and do nothing else. */
#include "../../formats/recorder/unity/abi.h"
#include "../../formats/recorder/unity/tracetool_unity.h"

#include <stdio.h>

void UnityRegisterRenderingPluginV5(unity_load_fn *load, unity_unload_fn *unload);
int32_t tracetool_register(void);

/* A plug-in's own entry points, as another one in the same player would have them. */
void UnityPluginLoad(struct unity_interfaces *interfaces);
void
UnityPluginLoad(struct unity_interfaces *interfaces)
{
	(void)interfaces;
}

static int registered;
static int installed;

static int
add_frame(unity_frame_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	installed++;
	return 0;
}

static int
del_frame(unity_frame_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	installed--;
	return 0;
}

static int
no_category(unity_category_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	return 0;
}

static int
no_marker(unity_marker_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	return 0;
}

static int
no_thread(unity_thread_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	return 0;
}

static int
no_flow(unity_flow_cb *cb, void *user)
{
	(void)cb;
	(void)user;
	return 0;
}

static int
no_event(const struct unity_marker *m, unity_event_cb *cb, void *user)
{
	(void)m;
	(void)cb;
	(void)user;
	return 0;
}

static struct unity_callbacks callbacks = {
	no_category, no_category, no_marker, no_marker, no_event, no_event, add_frame, del_frame,
	no_thread, no_thread, no_flow, no_flow,
};

static void *
get(uint64_t high, uint64_t low)
{
	static const uint64_t v2[] = { UNITY_CALLBACKS_V2 };

	return high == v2[0] && low == v2[1] ? &callbacks : NULL;
}

static struct unity_interfaces interfaces = { .get = get };
static unity_unload_fn *unload_it;

void
UnityRegisterRenderingPluginV5(unity_load_fn *load, unity_unload_fn *unload)
{
	registered++;
	unload_it = unload;
	load(&interfaces);
}

int
main(void)
{
	tracetool_register();
	tracetool_register();
	if (registered != 1 || tracetool_interface() != 2 || installed != 1) {
		printf("registered %d times, interface %d, %d frame callbacks\n", registered,
		    tracetool_interface(), installed);
		return 1;
	}
	unload_it();
	if (installed != 0) {
		printf("%d frame callbacks left\n", installed);
		return 1;
	}
	return 0;
}
