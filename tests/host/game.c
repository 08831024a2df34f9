/**
 * The stand-in game: decides by a seed what each thread sends, and sends it.
 */
#include "game.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

/* What values a marker's events carry. */
enum spec { NO_VALUES, INSTANCE, COUNT, TEXT, FILE_IO, TEXTURE, RATIO, BLOB, SPECS };

/* Which threads use a marker. */
enum actor_kind { MAIN, RENDER, JOB, LOADING, AUDIO, MISC, KINDS };

static const struct {
	const char *name;
	uint8_t category, kind, spec;
	uint16_t flags;
} real[] = {
	{ "PlayerLoop", 20, MAIN, 0, 8 },
	{ "Initialization.PlayerUpdateTime", 20, MAIN, 0, 0 }, { "EarlyUpdate.UpdatePreloading", 15, MAIN, 0, 0 },
	{ "EarlyUpdate.UpdateInputManager", 30, MAIN, 0, 0 }, { "FixedUpdate.PhysicsFixedUpdate", 5, MAIN, 0, 0 },
	{ "FixedUpdate.ScriptRunBehaviourFixedUpdate", 1, MAIN, 0, 0 }, { "Physics.Processing", 5, MAIN, 0, 0 },
	{ "Physics.Simulate", 5, MAIN, 0, 0 }, { "Physics.FetchResults", 5, MAIN, 0, 0 },
	{ "Update.ScriptRunBehaviourUpdate", 1, MAIN, 0, 0 }, { "BehaviourUpdate", 1, MAIN, 0, 0 },
	{ "CoroutinesDelayedCalls", 1, MAIN, 0, 0 }, { "PreLateUpdate.DirectorUpdateAnimationBegin", 21, MAIN, 0, 0 },
	{ "Director.Update", 21, MAIN, 0, 0 }, { "Animators.Update", 6, MAIN, COUNT, 0 },
	{ "PreLateUpdate.ScriptRunBehaviourLateUpdate", 1, MAIN, 0, 0 }, { "LateBehaviourUpdate", 1, MAIN, 0, 0 },
	{ "PostLateUpdate.UpdateAllRenderers", 0, MAIN, 0, 0 }, { "UpdateRendererBoundingVolumes", 0, MAIN, 0, 0 },
	{ "PostLateUpdate.PlayerUpdateCanvases", 26, MAIN, 0, 0 }, { "UGUI.Rendering.UpdateBatches", 27, MAIN, 0, 0 },
	{ "Canvas.SendWillRenderCanvases", 26, MAIN, 0, 0 }, { "Layout", 26, MAIN, 0, 0 },
	{ "PostLateUpdate.FinishFrameRendering", 0, MAIN, 0, 0 }, { "RenderPipelineManager.DoRenderLoop_Internal()", 0, MAIN, 0, 0x20 },
	{ "Inl_UniversalRenderTotal", 0, MAIN, 0, 0 }, { "Camera.Render", 0, MAIN, INSTANCE, 0 },
	{ "Culling", 0, MAIN, 0, 0 }, { "SceneCulling", 0, MAIN, COUNT, 0 }, { "Drawing", 0, MAIN, 0, 0 },
	{ "Gfx.CreateTexture", 0, MAIN, TEXTURE, 0 }, { "Instantiate", 1, MAIN, INSTANCE, 0 },
	{ "Destroy", 1, MAIN, INSTANCE, 0 }, { "GameObject.Activate", 1, MAIN, INSTANCE, 0 },
	{ "WaitForJobGroupID", 24, MAIN, 0, 0 }, { "AudioManager.Update", 8, MAIN, 0, 0 },
	{ "Loading.ReadObject", 15, LOADING, TEXT, 0 }, { "Loading.AwakeFromLoad", 15, LOADING, INSTANCE, 0 },
	{ "File.Open", 25, LOADING, TEXT, 0 }, { "File.Read", 25, LOADING, FILE_IO, 0 }, { "File.Close", 25, LOADING, TEXT, 0 },
	{ "AsyncReadManager.ReadFile", 25, LOADING, 0, 0 }, { "LoadAssembly", 15, LOADING, TEXT, 0 },
	{ "Gfx.ProcessCommands", 0, RENDER, 0, 0 }, { "Gfx.PresentFrame", 0, RENDER, 0, 0 },
	{ "RenderLoop.Draw", 0, RENDER, COUNT, 0 }, { "RenderLoop.DrawSRPBatcher", 0, RENDER, 0, 0 },
	{ "Shadows.RenderShadowMap", 0, RENDER, 0, 0 }, { "Gfx.WaitForGfxCommandsFromMainThread", 24, RENDER, 0, 0 },
	{ "Semaphore.WaitForSignal", 24, RENDER, 0, 0 }, { "Shader.CreateGPUProgram", 0, RENDER, TEXT, 0 },
	{ "CullSceneDynamicObjects", 0, JOB, 0, 0 }, { "PrepareDrawShadowsCommandStep1", 0, JOB, 0, 0 },
	{ "Physics.SolverJob (Burst)", 3, JOB, 0, 0 }, { "MeshSkinning.SkinOnCPU", 0, JOB, COUNT, 0 },
	{ "ParticleSystem.UpdateJob", 12, JOB, COUNT, 0 }, { "Animation.EvaluateClipJob", 6, JOB, 0, 0 },
	{ "Idle", 24, JOB, 0, 0 }, { "NavMesh.PathQuery", 7, JOB, RATIO, 0 },
	{ "Audio.Thread", 8, AUDIO, 0, 0 }, { "Audio.MixerThread", 8, AUDIO, 0, 0 }, { "Audio.StreamThread", 8, AUDIO, 0, 0 },
	{ "Network.Poll", 14, MISC, COUNT, 0 }, { "GarbageCollector.IncrementalSlice", 17, MISC, BLOB, 0 },
};
#define NREAL (sizeof real / sizeof *real)

static const char *const counters[] = { "Total Used Memory", "Total Reserved Memory", "GC Used Memory", "GC Reserved Memory",
	"System Used Memory", "Audio Used Memory", "Video Used Memory", "Profiler Used Memory", "Gfx Used Memory",
	"GC Allocated In Frame", "Texture Memory", "Mesh Memory", "Draw Calls Count", "Batches Count", "SetPass Calls Count",
	"Triangles Count", "Vertices Count", "Shadow Casters Count", "Render Textures Count", "Used Buffers Count",
	"GC Allocation In Frame Count", "Object Count", "Asset Count", "GameObject Count", "Texture Count", "Mesh Count",
	"Material Count", "AudioClip Count", "File Bytes Read", "CPU Main Thread Active Time" };
static const char *const files[] = { "Data/level3.assets", "Data/sharedassets0.resource", "StreamingAssets/words, \"quoted\".bundle",
	"Data/Managed/Game.dll", "Save/\xc3\xa9t\xc3\xa9.dat", "Hidden/Universal Render Pipeline/Blit" };
#define NFILES (sizeof files / sizeof *files)
static const char *const subjects[] = { "Enemy", "Player", "Weapon", "Inventory", "Quest", "Dialogue", "Camera", "Spawn",
	"Health", "Terrain", "Vehicle", "Door", "Projectile", "Boss", "Minimap", "Tooltip", "Weather", "Footstep", "Loot",
	"Squad", "Turret", "Portal", "Save", "Chunk", "Water", "Crowd", "Decal", "Ragdoll" };
static const char *const roles[] = { "Controller", "System", "Manager", "View", "Presenter", "Behaviour", "Pool", "Graph",
	"Solver", "Tracker", "Effect", "Binder" };
static const char *const verbs[] = { "Update()", "LateUpdate()", "FixedUpdate()", "OnEnable()", "Tick()", "Refresh()",
	"Evaluate()", "Resolve()", "Awake()", "OnTriggerEnter()", "Rebuild()" };
#define PICK(list, i) list[(i) % (sizeof list / sizeof *list)]

enum { LATE = 100000, LABELS = 400, COUNTERS = 240, DEPTH = 40, FLOWS = 4 };

struct marker {
	const struct unity_marker *m;
	uint8_t spec;
};

/* The markers one kind of thread uses, frequent ones first. */
struct kit {
	struct marker *m;
	unsigned n, cap;
};

/* A place in the game's code: the same calls come again each frame, so call paths are as many as places. */
struct place {
	struct marker m;
	int16_t label;                /* of Profiler.BeginSample here; -1: none */
	uint16_t nchild;
	uint32_t child;               /* the first of them */
};

/* The code one kind of thread runs. Place 0 is outside of all. */
struct code {
	struct place *place;
	unsigned n;
};

struct label {
	char text[96];
	uint16_t wide[96];
	uint32_t bytes;
};

struct actor {
	struct game *g;
	struct account_thread *t;
	enum actor_kind kind;
	char name[48];
	const char *group;
	uint64_t rng;
	pthread_t thread;
	sem_t go;
	unsigned budget;              /* events of this frame; 0 with go: end */
	bool long_zone;               /* "Idle" stays open from one frame to the next */
	uint32_t flow[FLOWS];         /* to receive this frame */
	unsigned nflow, depth;
	const struct unity_marker *stack[DEPTH];
	uint64_t worked;              /* frames this thread worked in */
};

struct game {
	struct game_opts o;
	struct kit kit[KINDS];
	struct code code[KINDS];
	struct label label[LABELS];
	const struct unity_marker *default_marker, *alloc, *collect, *player_loop, *wait, *present, *idle, *job, *commands;
	const struct unity_marker *counter[COUNTERS], *instant[8];
	struct account *a;
	struct actor *actor;
	unsigned nactor;
	_Atomic unsigned working;
	sem_t done;
	uint64_t rng, flows, started_ns;
	unsigned late;                /* markers made while it ran */
	char *names;
	size_t nnames;
	bool stopping;
};

static uint64_t
next(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * 0x2545f4914f6cdd1du;
}

static uint64_t
seed_of(uint64_t seed, uint64_t i)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15u * (i + 1);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return z ? z : 1;
}

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
sleep_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* --- the cast ------------------------------------------------------------------- */

static void
into_kit(struct kit *k, const struct unity_marker *m, uint8_t spec)
{
	if (k->n == k->cap) {
		k->cap = k->cap ? 2 * k->cap : 64;
		k->m = realloc(k->m, k->cap * sizeof *k->m);
		if (!k->m)
			abort();
	}
	k->m[k->n++] = (struct marker){ m, spec };
}

/* A marker of the game's own code; ${i} decides all about it. */
static void
own_marker(struct game *g, unsigned i)
{
	static const struct {
		uint8_t kind, category;
	} where[] = { { MAIN, 1 }, { MAIN, 1 }, { JOB, 3 }, { MAIN, 1 }, { JOB, 2 }, { MAIN, 4 }, { RENDER, 0 }, { MISC, 1 },
		{ LOADING, 15 }, { AUDIO, 8 }, { MAIN, 7 } };
	uint64_t r = seed_of(77, i);
	unsigned w = i % (sizeof where / sizeof *where);
	uint16_t flags = (uint16_t)(where[w].category == 1 ? UNITY_M_SCRIPT : r % 16 == 0 ? 1u << 10 : 0);
	char name[160];

	if (where[w].kind == JOB)
		snprintf(name, sizeof name, "%s%sJob%u (Burst)", PICK(subjects, r >> 8), PICK(roles, r >> 16), i);
	else if (where[w].kind == RENDER)
		snprintf(name, sizeof name, "RenderPass.%s%u", PICK(subjects, r >> 8), i);
	else
		snprintf(name, sizeof name, "Game.%s.%s%s%u.%s", PICK(subjects, r >> 24), PICK(subjects, r >> 8),
		    PICK(roles, r >> 16), i, PICK(verbs, r >> 32));
	into_kit(&g->kit[where[w].kind], engine_marker(engine_text(name), where[w].category, flags),
	    (uint8_t)((r >> 40) % 16 == 0 ? 1 + (r >> 48) % (SPECS - 1) : NO_VALUES));
}

static void
make_labels(struct game *g)
{
	static const char *const odd[] = { "Spielerzug \xc3\xa4\xc3\xb6\xc3\xbc", "\xe6\x95\xb5\xe3\x81\xae / AI", "wave, \"final\"",
		"\xf0\x9f\x94\xa5 fire" };

	for (unsigned i = 0; i < LABELS; i++) {
		struct label *l = &g->label[i];
		const unsigned char *s = (const unsigned char *)l->text;
		uint64_t r = seed_of(78, i);
		unsigned n = 0;

		snprintf(l->text, sizeof l->text, "%s %s%s %u", i % 50 ? "step" : PICK(odd, i / 50), PICK(subjects, r),
		    PICK(roles, r >> 8), i);
		while (*s) {
			unsigned more = *s < 0x80 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
			uint32_t c = more == 0 ? *s : *s & (0x3fu >> more);

			for (s++; more; more--)
				c = c << 6 | (*s++ & 0x3f);
			if (c >= 0x10000)
				l->wide[n++] = (uint16_t)(0xd7c0 + (c >> 10));
			l->wide[n++] = (uint16_t)(c >= 0x10000 ? 0xdc00 | (c & 0x3ff) : c);
		}
		/* Whether the size counts the terminator is undecided: both occur. */
		l->bytes = 2 * (n + i % 2);
	}
}

/* Lay out the code of one kind of thread: ${n} places, the wide ones outside. */
static void
make_code(struct game *g, enum actor_kind kind, unsigned n)
{
	struct code *c = &g->code[kind];
	const struct kit *kit = &g->kit[kind];
	uint64_t rng = seed_of(79, kind);
	unsigned made = 1;

	c->place = calloc(n, sizeof *c->place);
	if (!c->place)
		abort();
	c->n = n;
	for (unsigned i = 0; i < n; i++) {
		static const uint8_t children[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 6, 1, 0 };
		struct place *p = &c->place[i];
		uint64_t r = next(&rng);

		p->m = kit->m[(r >> 16 & 0xffff) * (r >> 32 & 0xffff) / 65536 * kit->n >> 16];
		p->label = (kind == MAIN || kind == MISC) && r % 24 == 0 ? (int16_t)((r >> 48) % LABELS) : -1;
		p->nchild = i == 0 ? 24 : children[r >> 12 & 15];
		if (p->nchild > n - made)
			p->nchild = (uint16_t)(n - made);
		p->child = made;
		made += p->nchild;
	}
}

static void
add_actor(struct game *g, enum actor_kind kind, const char *group, const char *name)
{
	struct actor *a = &g->actor[g->nactor];

	if (g->nactor >= g->o.threads)
		return;
	a->g = g;
	a->kind = kind;
	a->group = group;
	snprintf(a->name, sizeof a->name, "%s", name);
	a->rng = seed_of(g->o.seed, 1000 + g->nactor);
	a->long_zone = kind == MISC && g->nactor % 3 == 0;
	sem_init(&a->go, 0, 0);
	g->nactor++;
}

static void
make_actors(struct game *g)
{
	static const char *const loaders[] = { "Loading.AsyncRead", "Loading.PreloadManager", "AssetGarbageCollectorHelper",
		"Async GPU Readback" };
	char name[48];
	unsigned jobs = g->o.threads / 4;

	g->actor = calloc(g->o.threads, sizeof *g->actor);
	if (!g->actor)
		abort();
	add_actor(g, MAIN, "", "Main Thread");
	add_actor(g, RENDER, "", "Render Thread");
	for (unsigned i = 0; i < jobs; i++) {
		snprintf(name, sizeof name, "Job.Worker %u", i);
		add_actor(g, JOB, "Job", name);
	}
	for (unsigned i = 0; i < sizeof loaders / sizeof *loaders; i++)
		add_actor(g, LOADING, "Loading", loaders[i]);
	add_actor(g, AUDIO, "Audio", "FMOD mixer thread");
	add_actor(g, AUDIO, "Audio", "FMOD stream thread");
	for (unsigned i = 0; i < jobs; i++) {
		snprintf(name, sizeof name, "Background Job.Worker %u", i);
		add_actor(g, JOB, "Background Job", name);
	}
	for (unsigned i = 0; g->nactor < g->o.threads; i++) {
		snprintf(name, sizeof name, "Thread Pool Worker %u", i);
		add_actor(g, MISC, "Scripting Threads", name);
	}
}

struct game *
game_new(const struct game_opts *o)
{
	struct game *g = calloc(1, sizeof *g);
	unsigned n = 0;

	if (!g)
		abort();
	g->o = *o;
	g->rng = seed_of(o->seed, 1);
	sem_init(&g->done, 0, 0);
	g->alloc = engine_marker("GC.Alloc", 23, 0);
	g->default_marker = engine_marker("Profiler.Default", 24, UNITY_M_SCRIPT);
	g->collect = engine_marker("GC.Collect", 17, UNITY_M_RELEASE);
	g->wait = engine_marker("WaitForTargetFPS", 18, 0);
	g->present = engine_marker("Gfx.WaitForPresentOnGfxThread", 18, 0);
	for (unsigned i = 0; i < NREAL; i++) {
		const struct unity_marker *m = engine_marker(real[i].name, real[i].category, real[i].flags);

		if (strcmp(real[i].name, "PlayerLoop") == 0)
			g->player_loop = m;
		else if (strcmp(real[i].name, "Idle") == 0)
			g->idle = m;
		else if (strcmp(real[i].name, "Gfx.ProcessCommands") == 0)
			g->commands = m;
		else
			into_kit(&g->kit[real[i].kind], m, real[i].spec);
	}
	g->job = g->kit[JOB].m[0].m;
	for (unsigned i = 0; i < 8; i++) {
		char name[64];

		snprintf(name, sizeof name, "Game.Event.%s", PICK(subjects, i * 5));
		g->instant[i] = engine_marker(engine_text(name), 1, UNITY_M_SCRIPT);
	}
	for (unsigned i = 0; i < o->counters && i < COUNTERS; i++) {
		char name[64];

		snprintf(name, sizeof name, "%s %s %u", PICK(subjects, i * 7), i % 3 ? "Count" : "Budget", i);
		g->counter[i] = engine_marker(i < sizeof counters / sizeof *counters ? counters[i] : engine_text(name),
		    i < 12 ? 23 : 1, UNITY_M_COUNTER);
	}
	while (engine_marker_at(n))
		n++;
	for (unsigned i = 0; n + i < o->markers || i < 60; i++)
		own_marker(g, i);
	make_labels(g);
	for (unsigned k = 0; k < KINDS; k++)
		make_code(g, (enum actor_kind)k, k == MAIN ? 12000 : k == RENDER || k == JOB ? 1500 : 400);
	make_actors(g);
	return g;
}

void
game_free(struct game *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < KINDS; i++) {
		free(g->kit[i].m);
		free(g->code[i].place);
	}
	for (unsigned i = 0; i < g->nactor; i++)
		sem_destroy(&g->actor[i].go);
	sem_destroy(&g->done);
	free(g->actor);
	free(g);
}

/* --- what a thread sends ---------------------------------------------------------- */

/* What nobody listens to is no zone, and gets no end: false. */
static bool
push(struct actor *a, const struct unity_marker *m, enum note_kind kind, uint64_t val, uint16_t n, const struct unity_value *v)
{
	if (!send_event(a->t, m, UNITY_BEGIN, kind, val, n, v))
		return false;
	a->stack[a->depth++] = m;
	return true;
}

static void
pop(struct actor *a)
{
	send_end(a->t, a->stack[--a->depth], NOTE_END);
}

static void
allocate(struct actor *a)
{
	uint64_t r = next(&a->rng);
	/* Most are small, one in 2^k is 2^k times as large. */
	uint32_t bytes = (uint32_t)((24 + (r & 0x78)) << (__builtin_ctzll((r >> 8) | 1u << 18)));
	struct unity_value v = { .type = UNITY_T_U32, .size = 4, .data = &bytes };

	if (a->g->o.single_allocs)
		send_event(a->t, a->g->alloc, UNITY_SINGLE, NOTE_ALLOC, bytes, 1, &v);
	else if (send_event(a->t, a->g->alloc, UNITY_BEGIN, NOTE_ALLOC, bytes, 1, &v))
		send_end(a->t, a->g->alloc, NOTE_ALLOC_END);
}

static bool
begin_label(struct actor *a, unsigned i)
{
	uint64_t r = next(&a->rng);
	const struct label *l = &a->g->label[i];
	int32_t object = (int32_t)(r >> 40);
	uint32_t category = 1;
	const struct unity_value v[] = {
		{ .type = UNITY_T_INSTANCE, .size = 4, .data = &object },
		{ .type = UNITY_T_TEXT16, .size = l->bytes, .data = l->wide },
		{ .type = UNITY_T_U32, .size = 4, .data = &category },
	};

	return push(a, a->g->default_marker, NOTE_LABEL, i, 3, v);
}

/* An instant: a number and sometimes a text. */
static void
instant(struct actor *a)
{
	uint64_t r = next(&a->rng);
	unsigned f = (unsigned)(r >> 8 & 7);
	int64_t number = (int64_t)(r >> 20 & 0xffffff);
	const struct unity_value v[] = {
		{ .type = UNITY_T_I64, .size = 8, .data = &number },
		{ .type = UNITY_T_TEXT, .size = f < NFILES ? (uint32_t)strlen(files[f]) + 1 : 0, .data = f < NFILES ? files[f] : "" },
	};

	send_event(a->t, a->g->instant[r & 7], UNITY_SINGLE, NOTE_INSTANT, (uint64_t)f << 32 | (uint64_t)number,
	    f < NFILES ? 2 : 1, v);
}

static bool
begin_with(struct actor *a, const struct marker *m)
{
	uint64_t r = next(&a->rng);
	uint64_t n64 = r >> 24, off = r >> 30;
	int32_t n32 = (int32_t)(r >> 34), tex[4] = { 1 << (r & 12), 256, 9, 1 };
	float f = (float)(r >> 40) / 1024.0f;
	const char *file = PICK(files, r);
	uint32_t nfile = (uint32_t)strlen(file);
	struct unity_value v[4] = { { .type = UNITY_T_TEXT, .size = nfile, .data = file } };
	uint16_t n = 1;

	switch (m->spec) {
	case INSTANCE:
		v[0] = (struct unity_value){ .type = UNITY_T_INSTANCE, .size = 4, .data = &n32 };
		break;
	case COUNT:
		v[0] = (struct unity_value){ .type = UNITY_T_I32, .size = 4, .data = &n32 };
		break;
	case FILE_IO:
		v[1] = (struct unity_value){ .type = UNITY_T_U64, .size = 8, .data = &off };
		v[2] = (struct unity_value){ .type = UNITY_T_U64, .size = 8, .data = &n64 };
		n = 3;
		break;
	case TEXTURE:
		for (n = 0; n < 4; n++)
			v[n] = (struct unity_value){ .type = UNITY_T_I32, .size = 4, .data = &tex[n] };
		break;
	case RATIO:
		v[0] = (struct unity_value){ .type = UNITY_T_F32, .size = 4, .data = &f };
		break;
	case BLOB:
		v[0].type = UNITY_T_BLOB;
		break;
	default:
		break;
	}
	return push(a, m->m, NOTE_ZONE, 0, n, v);
}

static bool
enter(struct actor *a, const struct place *p)
{
	bool plain = a->g->o.plain;

	if (p->label >= 0 && !plain)
		return begin_label(a, (unsigned)p->label);
	if (p->m.spec && !plain)
		return begin_with(a, &p->m);
	return push(a, p->m.m, NOTE_ZONE, 0, 0, NULL);
}

/* About ${n} events in zones within those open now. */
static void
walk(struct actor *a, unsigned n)
{
	const struct code *c = &a->g->code[a->kind];
	const unsigned base = a->depth;
	const uint64_t start = a->t->sent + a->t->missed;
	const bool plain = a->g->o.plain;
	uint32_t at[DEPTH] = { 0 }, in = 0;   /* places we are in */

	for (;;) {
		uint64_t r = next(&a->rng);
		const struct place *p = &c->place[at[in]];
		uint64_t gone = a->t->sent + a->t->missed - start;

		if (gone + in >= n)
			break;
		if (in > 0 && (a->depth >= DEPTH - 2 || p->nchild == 0 || (r & 15) >= (in < 4 ? 9 : 8))) {
			/* Leaves are where allocations and instants are, too. */
			if (!plain && p->nchild == 0 && (r >> 4 & 31) == 0)
				allocate(a);
			else if (!plain && p->nchild == 0 && (r >> 4 & 63) == 1)
				instant(a);
			pop(a);
			in--;
		} else if (!plain && (r >> 4 & 127) == 0) {
			allocate(a);
		} else {
			/* The first ones more often than the last. */
			uint32_t k = p->child + (uint32_t)((r >> 16 & 0xff) * (r >> 24 & 0xff) * p->nchild >> 16);

			if (enter(a, &c->place[k]))
				at[++in] = k;
		}
	}
	while (a->depth > base)
		pop(a);
}

static void
usage(uint64_t *faults, uint64_t *switches)
{
#ifndef _WIN32
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	*faults = (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
	*switches = (uint64_t)u.ru_nvcsw;
#else
	*faults = *switches = 0;
#endif
}

/* A frame's work of a thread other than the main one. */
static void
work(struct actor *a)
{
	uint64_t f0 = 0, s0 = 0, f1 = 0, s1 = 0;
	bool count = a->g->o.usage && a->worked > 1;

	if (count)
		usage(&f0, &s0);
	if (a->long_zone && a->depth)
		pop(a);
	if (a->kind == RENDER)
		push(a, a->g->commands, NOTE_ZONE, 0, 0, NULL);
	for (unsigned i = 0; i < a->nflow; i++) {
		send_flow(a->t, i % 2 ? UNITY_FLOW_NEXT : UNITY_FLOW_PARALLEL, a->flow[i]);
		push(a, a->g->job, NOTE_ZONE, 0, 0, NULL);
		if (i == 2)
			send_flow(a->t, UNITY_FLOW_END, a->flow[i]);
		if (a->depth)
			pop(a);
	}
	walk(a, a->budget);
	if (a->kind == RENDER && a->depth)
		pop(a);
	if (a->long_zone)
		push(a, a->g->idle, NOTE_ZONE, 0, 0, NULL);
	a->worked++;
	if (count) {
		usage(&f1, &s1);
		a->t->faults += f1 - f0;
		a->t->switches += s1 - s0;
	}
}

static void *
actor_main(void *arg)
{
	struct actor *a = arg;

	a->t = account_thread(a->g->a, a->group, a->name);
	sem_post(&a->g->done);
	for (;;) {
		while (sem_wait(&a->go) != 0)
			;
		if (a->budget == 0)
			break;
		work(a);
		if (--a->g->working == 0)
			sem_post(&a->g->done);
	}
	while (a->depth)
		pop(a);
	return NULL;
}

/* A thread that lives for one frame. */
static void *
passer_by(void *arg)
{
	struct actor *a = arg;

	a->t = account_thread(a->g->a, a->group, a->name);
	walk(a, a->budget);
	return NULL;
}

/* --- frames ------------------------------------------------------------------------- */

/* How many events this frame has, and whether it is a loading one. */
static unsigned
frame_events(struct game *g, unsigned f, bool *loading)
{
	static const unsigned scene[] = { 10000, 15000, 22000, 28000, 18000 };
	uint64_t r = next(&g->rng);
	unsigned base = scene[f / 400 % 5];

	*loading = f % 400 < 12;
	if (g->o.events)
		return (unsigned)(g->o.events / 2 + r % g->o.events);
	if (*loading)
		return 40000 + (unsigned)(r % 50000);
	return base - base / 8 + (unsigned)(r % (base / 4));
}

/* Give each thread its part of ${total} events; the main thread's is returned. */
static unsigned
share_out(struct game *g, unsigned f, unsigned total, bool loading)
{
	unsigned jobs = 0, mine = loading ? total / 3 : total / 2;

	for (unsigned i = 1; i < g->nactor; i++)
		jobs += g->actor[i].kind == JOB;
	g->working = 1;               /* nobody is the last before all have been told */
	for (unsigned i = 1; i < g->nactor; i++) {
		struct actor *a = &g->actor[i];
		uint64_t r = next(&g->rng);
		unsigned n = 0;

		switch (a->kind) {
		case RENDER:
			n = total / 7;
			break;
		case JOB:
			n = i % 2 == 0 || r % 8 == 0 ? total * 2 / 3 / (jobs + 1) : 0;
			break;
		case LOADING:
			n = loading ? total / 12 : r % 64 == 0 ? 60 : 0;
			break;
		case AUDIO:
			n = r % 2 == 0 ? 40 : 0;
			break;
		default:
			n = r % 16 == 0 ? 30 + (unsigned)(r >> 32) % 100 : 0;
			break;
		}
		a->nflow = 0;
		if (n == 0)
			continue;
		if (a->kind == JOB && !g->o.plain) {
			for (; a->nflow < FLOWS - 1 && (r >> a->nflow & 1); a->nflow++) {
				a->flow[a->nflow] = (uint32_t)++g->flows;
				send_flow(g->actor[0].t, UNITY_FLOW_BEGIN, (uint32_t)g->flows);
			}
		}
		a->budget = n;
		g->working++;
		sem_post(&a->go);
	}
	(void)f;
	return mine;
}

static void
sample_counters(struct game *g, struct actor *a, unsigned f)
{
	for (unsigned i = 0; i < g->o.counters && i < COUNTERS; i++) {
		uint64_t r = seed_of(g->o.seed + i, f / (1 + i % 8));
		int64_t i64 = (int64_t)(i < 12 ? 100000000 + r % 4000000 : r % 5000);
		int32_t i32 = (int32_t)i64;
		double f64 = (double)(r % 10000) / 8;
		struct unity_value v = { .type = UNITY_T_I64, .size = 8, .data = &i64 };
		uint64_t val = (uint64_t)i64;

		if (i % 4 == 1)
			v = (struct unity_value){ .type = UNITY_T_I32, .size = 4, .data = &i32 };
		if (game_is_float(g, g->counter[i]->id)) {
			v = (struct unity_value){ .type = UNITY_T_F64, .size = 8, .data = &f64 };
			memcpy(&val, &f64, 8);
		}
		send_event(a->t, g->counter[i], UNITY_SINGLE, NOTE_COUNTER, val, 1, &v);
	}
}

/* Until the frame's time is over, or the rate is kept. */
static void
pace(struct game *g, struct actor *a, unsigned f)
{
	uint64_t due = g->o.fps > 0 ? g->started_ns + (uint64_t)(1e9 * (f + 1) / g->o.fps) : 0, now;

	if (g->o.rate > 0) {
		struct account_thread sum = account_sum(g->a);
		uint64_t t = g->started_ns + (uint64_t)((double)sum.sent / g->o.rate * 1e9);

		due = t > due ? t : due;
	}
	now = due ? now_ns() : 0;
	if (due <= now)
		return;
	push(a, g->wait, NOTE_ZONE, 0, 0, NULL);
	sleep_ns(due - now);
	if (a->depth)
		pop(a);
}

static void
spin_ns(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/* In these frames a marker is made while the game runs. */
static bool
makes_marker(unsigned f)
{
	return f % 70 == 33;
}

static void
play_frame(struct game *g, unsigned f)
{
	struct actor *a = &g->actor[0], guest;
	bool loading, churn = g->o.churn && f % g->o.churn == g->o.churn - 1;
	unsigned total = frame_events(g, f, &loading), mine;

	if (makes_marker(f)) {
		/* From now on one of the places uses it. */
		own_marker(g, LATE + g->late++);
		g->code[MAIN].place[1 + f % 30].m = g->kit[MAIN].m[g->kit[MAIN].n - 1];
	}
	push(a, g->player_loop, NOTE_ZONE, 0, 0, NULL);
	if (churn) {
		guest = (struct actor){ .g = g, .kind = MISC, .group = "Scripting Threads", .budget = 120,
			.rng = seed_of(g->o.seed, 5000 + f) };
		snprintf(guest.name, sizeof guest.name, "Guest %u", f);
		if (pthread_create(&guest.thread, NULL, passer_by, &guest) != 0)
			abort();
	}
	mine = share_out(g, f, total, loading);
	for (unsigned i = 0; i < 8; i++)
		walk(a, mine / 8);
	if (!g->o.plain && (next(&g->rng) & 255) == 0) {
		push(a, g->collect, NOTE_ZONE, 0, 0, NULL);
		spin_ns(g->o.fps > 0 ? 45000000 : 3000000);
		if (a->depth)
			pop(a);
	}
	push(a, g->present, NOTE_ZONE, 0, 0, NULL);
	if (--g->working > 0) {
		while (sem_wait(&g->done) != 0)
			;
	}
	if (churn)
		pthread_join(guest.thread, NULL);
	if (a->depth > 1)
		pop(a);
	if (!g->o.plain)
		sample_counters(g, a, f);
	pace(g, a, f);
	while (a->depth)
		pop(a);
}

void
game_play(struct game *g, struct account *acc, int (*each)(void *, unsigned), void *arg)
{
	g->a = acc;
	acc->seed = g->o.seed;
	g->actor[0].t = account_thread(acc, g->actor[0].group, g->actor[0].name);
	/* One after the other, so that each has the same number in every run. */
	for (unsigned i = 1; i < g->nactor; i++) {
		if (pthread_create(&g->actor[i].thread, NULL, actor_main, &g->actor[i]) != 0)
			abort();
		while (sem_wait(&g->done) != 0)
			;
	}
	g->started_ns = now_ns();
	for (unsigned f = 0; f < g->o.frames; f++) {
		if (each && each(arg, f))
			break;
		engine_frame();
		acc->frames++;
		g->actor[0].t->frames++;
		play_frame(g, f);
	}
	for (unsigned i = 1; i < g->nactor; i++) {
		g->actor[i].budget = 0;
		sem_post(&g->actor[i].go);
		pthread_join(g->actor[i].thread, NULL);
	}
	acc->done = 1;
}

void
game_solo(struct game *g, struct account_thread *t, uint64_t seed, unsigned events)
{
	struct actor a = { .g = g, .t = t, .kind = MISC, .rng = seed_of(seed, 3) };

	walk(&a, events);
}

void
game_played(struct game *g, const struct account *a)
{
	for (unsigned f = 0; f < a->frames; f++) {
		if (makes_marker(f) && f / 70 >= g->late)
			own_marker(g, LATE + g->late++);
	}
}

/* --- what a note means ------------------------------------------------------------------ */

const char *
game_name(const struct game *g, const struct note *n)
{
	const struct unity_marker *m = engine_marker_at(n->id - 1);

	if (n->kind == NOTE_LABEL)
		return g->label[n->val % LABELS].text;
	return m ? m->name : "?";
}

bool
game_is_float(const struct game *g, uint32_t marker)
{
	uint32_t first = g->counter[0] ? g->counter[0]->id : 0;

	return first && marker >= first && marker < first + COUNTERS && (marker - first) % 5 == 3;
}

const char *
game_text(const struct game *g, const struct note *n)
{
	(void)g;
	return n->val >> 32 < NFILES ? files[n->val >> 32] : NULL;
}
