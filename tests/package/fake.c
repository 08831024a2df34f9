/* A stand-in for libtracetool-unity: prints the arguments of each call, to compare them with what P/Invoke was given. */
#include "../../formats/recorder/unity/tracetool_unity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int32_t state;

int32_t
tracetool_api(void)
{
	puts("api");
	return 2;
}

int32_t
tracetool_interface(void)
{
	return 2;
}

int32_t
tracetool_start(const char *path, const char *options)
{
	printf("start \"%s\" \"%s\"\n", path, options);
	state = TRACETOOL_CAPTURING;
	return TRACETOOL_OK;
}

int32_t
tracetool_stop(void)
{
	puts("stop");
	state = TRACETOOL_IDLE;
	return TRACETOOL_OK;
}

int32_t
tracetool_dump(void)
{
	puts("dump");
	return TRACETOOL_E_STATE;
}

int32_t
tracetool_state(void)
{
	return state;
}

int32_t
tracetool_message(char *to, int32_t size)
{
	return snprintf(to, (size_t)size, "a message of %d bytes at most: \xc2\xb5", size);
}

void
tracetool_mark(const char *text)
{
	printf("mark \"%s\"\n", text);
}

void
tracetool_label(const char *text)
{
	printf("label \"%s\"\n", text);
}

void
tracetool_meta(const char *key, const char *value)
{
	printf("meta %s = \"%s\"\n", key, value);
}

void
tracetool_frame_timings2(const struct tracetool_frame_timing *t, const struct tracetool_frame_settings *s, int32_t n,
    uint64_t ticks_per_second)
{
	printf("%d timings at %" PRIu64 " Hz\n", n, ticks_per_second);
	for (int32_t i = 0; i < n; i++)
		printf("  %g %g %g %g %g, %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ", flags %u, age %u, scale %g %g, sync %u\n",
		    t[i].cpu_total_ms, t[i].cpu_main_ms, t[i].cpu_present_wait_ms, t[i].cpu_render_ms, t[i].gpu_ms, t[i].frame_start,
		    t[i].first_submit, t[i].present_called, t[i].frame_complete, t[i].flags, t[i].age, (double)s[i].height_scale,
		    (double)s[i].width_scale, s[i].sync_interval);
}

void
tracetool_counts(struct tracetool_counts *c, int32_t size)
{
	struct tracetool_counts all = { 1, 2, 3, 4, 5, UINT64_MAX };

	memset(c, 0, (size_t)size);
	memcpy(c, &all, (size_t)size < sizeof all ? (size_t)size : sizeof all);
}
