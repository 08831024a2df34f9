/*
 * Names that are Unity's own: the order of their lists, in which they are looked up, and what is in them.
 */
#include "check.h"
#include "producers/unity_markers.h"

enum { MAX = 256 };

/* Copy the name at ${s}, which a bar or the line's end ends; return where the next one begins, or NULL. */
static const char *
take(const char *s, char *name)
{
	const size_t n = strcspn(s, "|");

	CHECK(n > 0 && n < MAX);
	memcpy(name, s, n);
	name[n] = '\0';
	return s[n] ? s + n + 1 : NULL;
}

static void
check_list(const struct unity_names *l, bool groups)
{
	char last[MAX] = "", name[MAX], group[MAX + 4];
	size_t names = 0;

	for (size_t i = 0; i < l->n; i++)
		for (const char *s = l->line[i]; s; names++) {
			s = take(s, name);
			CHECK(strcmp(last, name) < 0);
			memcpy(last, name, sizeof last);
			snprintf(group, sizeof group, "%s.x", name);
			CHECK(groups ? unity_published_group(group) == strlen(name) : unity_is_published(name));
			for (const char *c = name; *c; c++)
				CHECK(*c >= ' ' && *c < 0x7f);
		}
	CHECK(names > 0);
}

TEST(each_listed_name_is_found)
{
	for (const struct unity_names *l = unity_names; l->n; l++)
		check_list(l, false);
	check_list(&unity_groups, true);
}

/* From the manual's reference of markers, and what two real captures have. */
TEST(names_of_the_engine_are_kept)
{
	static const char *const names[] = { "MasterDSP", "Audio.Thread", "Camera.Render", "GfxDeviceD3D12.WaitForLastPresent", "UnsafeUtility.Malloc",
		"Animators.FireAnimationEventsAndBehaviours", "AsyncUploadManager.AsyncBufferResized", "Physics2D.Simulate", "Idle", "PlayerLoop",
		"PreLateUpdate.ScriptRunBehaviourLateUpdate", "PostLateUpdate.PresentAfterDraw", "Update.ScriptRunBehaviourUpdate", "GC.Alloc",
		"Main Thread", "Render Thread", "Job.Worker 0", "Job.Worker 17", "Background Job.Worker 3", "Loading.PreloadManager",
		"Unity Job System.Worker Thread", "Scripting Threads.#18704", "Inl_UniversalRenderPipeline.RenderSingleCameraInternal",
		"Inl_DrawOpaqueObjects", "Unaccounted time between: Start of Frame and Camera.Render",
		"UnityEngine.CoreModule.dll!UnityEngine::Camera.FireOnPreCull()", "mscorlib.dll!System::GC.Collect()",
		"mscorlib.dll!System.Collections.Generic::List`1..ctor()", "UnityEngine.UI.dll!::<>c..cctor()", "Filename",
		"UnityEngine.UI.dll!UnityEngine.EventSystems::UIBehaviour.Start() [Coroutine: MoveNext]" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		CHECK_EQ_INT(unity_is_published(names[i]), 1);
}

TEST(names_of_a_game_are_not)
{
	static const char *const names[] = { "", "Enemy.Update", "Assembly-CSharp.dll!::ProfileLog.Start()", "MasterDSP2", "masterdsp", "MasterDS", "Camera",
		"Job.Worker", "Job.Worker 1a", "Inl_", "Inl_Enemy", "7", "Update.", "UnityEngine.CoreModule.dll!UnityEngine::List<Enemy>.Add()",
		"mscorlib.dll!System.Collections.Generic::List`1[Enemy].Add()", "mscorlib.dll!System::Action`1<Enemy>.Invoke()",
		"UnityEngine.CoreModule.dll!UnityEngine::Object.Instantiate(Enemy)", "|", "Idle|", "Camera.Render|Camera.RenderSkybox", "Job.Worker #1" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		CHECK_EQ_INT(unity_is_published(names[i]), 0);
}

TEST(threads_of_the_engines_groups_keep_the_group)
{
	CHECK_EQ_INT(unity_published_group("Scripting Threads.EnemyNet"), 17);
	CHECK_EQ_INT(unity_published_group("Job.Worker 0"), 3);
	CHECK_EQ_INT(unity_published_group("Scripting Threads"), 0);
	CHECK_EQ_INT(unity_published_group("Enemies.Job"), 0);
	CHECK_EQ_INT(unity_published_group(".Job"), 0);
	CHECK_EQ_INT(unity_published_group(""), 0);
}
