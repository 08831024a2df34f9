/**
 * Interprets Unity's names. It is compiled into games: libc only, no state.
 */
#include "producers/unity.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))

/* Categories of 2019.1 and later, by id. */
static const char *const built_in[] = {
	"Render", "Scripts", "Managed Jobs", "Burst Jobs", "GUI", "Physics", "Animation", "AI", "Audio", "Audio Job",
	"Audio Update Job", "Video", "Particles", "Gi", "Network", "Loading", "Other", "GC", "VSync", "Overhead",
	"PlayerLoop", "Director", "VR", "Memory", "Internal", "FileIO", "UI Layout", "UI Render", "VFX",
	"Build Interface", "Input", "Virtual Texturing", "GPU", "Physics2D", "NetworkOperations", "UIDetails", "Debug",
	"Jobs", "Text", "U2D", "UIToolkit",
};

/* Categories of 2017, by id. */
static const char *const of_2017[] = {
	"Render", "Scripts", "GUI", "Physics", "Animation", "AI", "Audio", "Video", "Particles", "Gi", "Network", "Loading", "Other", "GC",
	"VSync", "Overhead", "PlayerLoop", "Director", "VR", "NativeMem", "Internal", "FileIO", "UI Layout", "UI Render",
};

/* Categories of 5.5; NULL: unknown. */
static const char *const of_5[] = {
	"Render", "Scripts", "GUI", "Physics", NULL, "AI", "Audio", "Particles", NULL, "Network", "Loading", "Other", NULL, "VSync", "Overhead",
	"PlayerLoop", NULL, NULL, NULL, "Internal",
};

/* Return a category of 2018: ids from 9 on are two lower than later, and 2018.1 and 2018.2 have fewer categories. */
static const char *
category_2018(unsigned id, const char *version)
{
	const unsigned last = version[5] == '1' ? 25 : version[5] == '2' ? 26 : 28;

	if (id > last)
		return NULL;
	if (last == 26 && id == 26)
		return "Build Interface";
	return built_in[id >= 9 ? id + 2 : id];
}

const char *
unity_category(unsigned id, const char *version)
{
	if (version && strncmp(version, "2018.", 5) == 0)
		return category_2018(id, version);
	if (version && strncmp(version, "2017.", 5) == 0)
		return id < COUNT(of_2017) ? of_2017[id] : NULL;
	if (version && strncmp(version, "5.", 2) == 0)
		return id < COUNT(of_5) ? of_5[id] : NULL;
	return id < COUNT(built_in) ? built_in[id] : NULL;
}

/* True if ${name} is one of the ${n} in ${list}. */
static bool
is_in(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] && *list[i] == *name && strcmp(list[i], name) == 0)
			return true;
	return false;
}

bool
unity_is_category(const char *name)
{
	/* 2018 has some of the later categories. */
	return is_in(built_in, COUNT(built_in), name) || is_in(of_2017, COUNT(of_2017), name) || is_in(of_5, COUNT(of_5), name);
}

/* Colours by their number in Unity.Profiling.ProfilerCategoryColor. */
enum color {
	COLOR_RENDER, COLOR_SCRIPTS, COLOR_BURST_JOBS, COLOR_OTHER, COLOR_PHYSICS, COLOR_ANIMATION, COLOR_AUDIO, COLOR_AUDIO_JOB, COLOR_AUDIO_UPDATE_JOB,
	COLOR_LIGHTING, COLOR_GC, COLOR_VSYNC, COLOR_MEMORY, COLOR_INTERNAL, COLOR_UI, COLOR_BUILD, COLOR_INPUT,
};

uint32_t
unity_color_rgba(unsigned color)
{
	static const uint32_t rgba[] = {
		[COLOR_RENDER] = 0x5faf3aff, [COLOR_SCRIPTS] = 0x3b8fd0ff, [COLOR_BURST_JOBS] = 0x7a5fd0ff, [COLOR_OTHER] = 0x7d7d7dff,
		[COLOR_PHYSICS] = 0xf08a24ff, [COLOR_ANIMATION] = 0x25b5b5ff, [COLOR_AUDIO] = 0xd0559aff, [COLOR_AUDIO_JOB] = 0xc06fa8ff,
		[COLOR_AUDIO_UPDATE_JOB] = 0xb489b6ff, [COLOR_LIGHTING] = 0xe0b93aff, [COLOR_GC] = 0xb03a2eff, [COLOR_VSYNC] = 0xe5d83bff,
		[COLOR_MEMORY] = 0x9c6b3fff, [COLOR_INTERNAL] = 0x5a6b7aff, [COLOR_UI] = 0xf2b27aff, [COLOR_BUILD] = 0x8fa33fff, [COLOR_INPUT] = 0x4fc3f7ff,
	};

	return color < COUNT(rgba) ? rgba[color] : 0;
}

uint32_t
unity_category_rgba(const char *name)
{
	static const struct { const char *name; enum color color; } of[] = {
		{ "Render", COLOR_RENDER }, { "Scripts", COLOR_SCRIPTS }, { "Managed Jobs", COLOR_BURST_JOBS }, { "Burst Jobs", COLOR_BURST_JOBS },
		{ "Physics", COLOR_PHYSICS }, { "Physics2D", COLOR_PHYSICS }, { "Animation", COLOR_ANIMATION }, { "Audio", COLOR_AUDIO },
		{ "Audio Job", COLOR_AUDIO_JOB }, { "Audio Update Job", COLOR_AUDIO_UPDATE_JOB }, { "Gi", COLOR_LIGHTING }, { "GC", COLOR_GC },
		{ "VSync", COLOR_VSYNC }, { "Memory", COLOR_MEMORY }, { "NativeMem", COLOR_MEMORY }, { "Internal", COLOR_INTERNAL }, { "GUI", COLOR_UI },
		{ "UI Layout", COLOR_UI }, { "UI Render", COLOR_UI }, { "UIDetails", COLOR_UI }, { "UIToolkit", COLOR_UI },
		{ "Build Interface", COLOR_BUILD }, { "Input", COLOR_INPUT },
	};

	for (size_t i = 0; i < COUNT(of); i++)
		if (strcmp(name, of[i].name) == 0)
			return unity_color_rgba(of[i].color);
	return is_in(built_in, COUNT(built_in), name) ? unity_color_rgba(COLOR_OTHER) : 0;
}

/* --- markers -------------------------------------------------------------- */

struct role {
	const char *name;
	enum unity_role role;
};

/* Sorted by strcmp(). */
static const struct role roles[] = {
	{ UNITY_NAME_ALLOC, UNITY_ALLOC },
	{ UNITY_NAME_COLLECT, UNITY_COLLECT },
	{ "Profiler.Default", UNITY_LABEL },
	{ "Profiler.DefaultMarker", UNITY_LABEL },
	{ UNITY_FRAME_TIMING_NAME, UNITY_FRAME_TIMING },
};

static int
by_role(const void *key, const void *row)
{
	return strcmp(key, ((const struct role *)row)->name);
}

enum unity_role
unity_role(const char *marker)
{
	const struct role *r = bsearch(marker, roles, COUNT(roles), sizeof *roles, by_role);

	return r ? r->role : UNITY_PLAIN;
}

void
unity_flag_names(unsigned flags, const char **name, unsigned n)
{
	static const struct { unsigned bit; const char *name; } known[] = { { 0x2, "script" }, { 0x4, "editor" }, { 0x8, "release" },
		{ 0x10, "warning" }, { 0x20, "invoke" }, { 0x40, "deep" }, { 0x80, "counter" }, { 0x100, "gpu" } };

	for (size_t i = 0; i < COUNT(known) && n > 1; i++)
		if (flags & known[i].bit) {
			*name++ = known[i].name;
			n--;
		}
	*name = NULL;
}

bool
unity_is_editor(const char *marker, unsigned flags)
{
	return flags & 0x4 || strcmp(marker, "EditorLoop") == 0;
}

const char *
unity_verbosity_name(unsigned flags)
{
	static const char *const name[8] = { "user", "debug", "internal", "external", "advanced", "5", "6", "7" };

	return name[flags >> 10 & 7];
}

/* Sorted by strcmp(). */
static const struct carried {
	const char *name;
	const char *arg[16];
} carried[] = {
	{ "File.Close", { "file" } },
	{ "File.Open", { "file" } },
	{ "File.Read", { "file", "offset", "size" } },
	{ "File.Seek", { "file", "offset", "origin" } },
	{ "File.Write", { "file", "offset", "size" } },
	{ UNITY_NAME_ALLOC, { "size" } },
	{ "GC.Resize", { "size" } },
	{ "Gfx.CreateTexture", { "width", "height", "mip_levels", "array" } },
	{ "Gfx.CreateTextureThreaded", { "width", "height", "mip_levels", "array" } },
	{ "LargeAllocation.Alloc", { "size" } },
	{ "LargeAllocation.Free", { "size" } },
	{ "LoadAssembly", { "assembly" } },
	{ "Profiler.Default", { "instance_id", "text", "category" } },
	{ "Profiler.DefaultMarker", { "instance_id", "text", "category" } },
	{ "Profiler.FrameMetadata", { "id", "tag", "data" } },
	{ "Shader.CompileGPUProgram", { "shader", "pass", "stage" } },
	{ "Shader.CreateGPUProgram", { "shader", "pass", "stage", "keywords" } },
	{ UNITY_FRAME_TIMING_NAME, { "cpu_total_ms", "cpu_main_ms", "cpu_present_wait_ms", "cpu_render_ms", "gpu_ms",
	    "frame_start_ticks", "first_submit_ticks", "present_called_ticks", "frame_complete_ticks", "ticks_per_second",
	    "flags", "age_frames", "height_scale", "width_scale", "sync_interval" } },
	{ "Tracetool.Mark", { "text" } },
};

static int
by_carrier(const void *key, const void *row)
{
	return strcmp(key, ((const struct carried *)row)->name);
}

const char *const *
unity_arg_names(const char *marker)
{
	const struct carried *c = bsearch(marker, carried, COUNT(carried), sizeof *carried, by_carrier);

	return c ? c->arg : NULL;
}

/* --- counters ------------------------------------------------------------- */

struct counter {
	const char *name;
	uint8_t unit;         /* enum unity_unit_of */
	uint8_t timing;       /* enum unity_timing */
};

#define NS UNITY_UNIT_NS, UNITY_TIMING_NONE
#define BYTES UNITY_UNIT_BYTES, UNITY_TIMING_NONE
#define COUNTS UNITY_UNIT_COUNT, UNITY_TIMING_NONE

/* Sorted by strcmp(). */
static const struct counter counters[] = {
	{ "AnimationClip Count", COUNTS },
	{ "AnimationClip Memory", BYTES },
	{ "App Committed Memory", BYTES },
	{ "App Resident Memory", BYTES },
	{ "Asset Count", COUNTS },
	{ "Audio Reads", BYTES },
	{ "Audio Reserved Memory", BYTES },
	{ "Audio Used Memory", BYTES },
	{ "AudioClip Count", COUNTS },
	{ "AudioClip Memory", BYTES },
	{ "Batches Count", COUNTS },
	{ "CPU Main Thread Active Time", NS },
	{ "CPU Main Thread Frame Time", UNITY_UNIT_NS, UNITY_TIMING_MAIN },
	{ "CPU Render Thread Active Time", NS },
	{ "CPU Render Thread Frame Time", UNITY_UNIT_NS, UNITY_TIMING_RENDER },
	{ "CPU Total Frame Time", UNITY_UNIT_NS, UNITY_TIMING_TOTAL },
	{ "Draw Calls Count", COUNTS },
	{ "Dynamic Batched Draw Calls Count", COUNTS },
	{ "Dynamic Batched Triangles Count", COUNTS },
	{ "Dynamic Batched Vertices Count", COUNTS },
	{ "Dynamic Batches Count", COUNTS },
	{ "Dynamic Batching Time", NS },
	{ "Entities Reads", BYTES },
	{ "File Bytes Read", BYTES },
	{ "File Bytes Written", BYTES },
	{ "GC Allocated In Frame", BYTES },
	{ "GC Allocation In Frame Count", COUNTS },
	{ "GC Reserved Memory", BYTES },
	{ "GC Used Memory", BYTES },
	{ "GPU Frame Time", UNITY_UNIT_NS, UNITY_TIMING_GPU },
	{ "Game Object Count", COUNTS },
	{ "GameObject Count", COUNTS },
	{ "Gfx Reserved Memory", BYTES },
	{ "Gfx Used Memory", BYTES },
	{ "Index Buffer Upload In Frame Bytes", BYTES },
	{ "Index Buffer Upload In Frame Count", COUNTS },
	{ "Instanced Batched Draw Calls Count", COUNTS },
	{ "Instanced Batched Triangles Count", COUNTS },
	{ "Instanced Batched Vertices Count", COUNTS },
	{ "Instanced Batches Count", COUNTS },
	{ "Material Count", COUNTS },
	{ "Material Memory", BYTES },
	{ "Mesh Count", COUNTS },
	{ "Mesh Memory", BYTES },
	{ "Mesh Reads", BYTES },
	{ "Object Count", COUNTS },
	{ "Other Reads", BYTES },
	{ "Physics Used Memory", BYTES },
	{ "Profiler Reserved Memory", BYTES },
	{ "Profiler Used Memory", BYTES },
	{ "Render Textures Bytes", BYTES },
	{ "Render Textures Changes Count", COUNTS },
	{ "Render Textures Count", COUNTS },
	{ "Scene Object Count", COUNTS },
	{ "Scripting Reads", BYTES },
	{ "SetPass Calls Count", COUNTS },
	{ "Shadow Casters Count", COUNTS },
	{ "Static Batched Draw Calls Count", COUNTS },
	{ "Static Batched Triangles Count", COUNTS },
	{ "Static Batched Vertices Count", COUNTS },
	{ "Static Batches Count", COUNTS },
	{ "System Total Used Memory", BYTES },
	{ "System Used Memory", BYTES },
	{ "Texture Count", COUNTS },
	{ "Texture Memory", BYTES },
	{ "Texture Reads", BYTES },
	{ "Total Reserved Memory", BYTES },
	{ "Total Used Memory", BYTES },
	{ "Triangles Count", COUNTS },
	{ "Used Buffers Bytes", BYTES },
	{ "Used Buffers Count", COUNTS },
	{ "Used Textures Bytes", BYTES },
	{ "Used Textures Count", COUNTS },
	{ "Vertex Buffer Upload In Frame Bytes", BYTES },
	{ "Vertex Buffer Upload In Frame Count", COUNTS },
	{ "Vertices Count", COUNTS },
	{ "Video Memory Bytes", BYTES },
	{ "Video Reserved Memory", BYTES },
	{ "Video Used Memory", BYTES },
	{ "Virtual Texture Reads", BYTES },
	{ "Visible Skinned Meshes Count", COUNTS },
};

static int
by_counter(const void *key, const void *row)
{
	return strcmp(key, ((const struct counter *)row)->name);
}

/* Suffixes of names from which a unit is guessed. */
static const struct counter ends[] = { { "Memory", BYTES }, { "Bytes", BYTES }, { "Count", COUNTS }, { "Time", NS } };

static const struct counter *
end_of(const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < COUNT(ends); i++) {
		const size_t m = strlen(ends[i].name);
		if (n >= m && strcmp(name + n - m, ends[i].name) == 0)
			return &ends[i];
	}
	return NULL;
}

size_t
unity_counter_end(const char *name)
{
	const struct counter *e = end_of(name);

	return e ? strlen(e->name) : 0;
}

struct unity_counter
unity_counter(const char *name)
{
	const struct counter *c = bsearch(name, counters, COUNT(counters), sizeof *counters, by_counter);

	if (c)
		return (struct unity_counter){ c->unit, c->timing, true, false };
	const struct counter *e = end_of(name);
	return (struct unity_counter){ e ? e->unit : UNITY_UNIT_UNKNOWN, UNITY_TIMING_NONE, false, e != NULL };
}
