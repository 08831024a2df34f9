/**
 * Names of markers that Unity publishes; the contract is in unity_markers.h.
 */
#include "producers/unity_markers.h"

#include <string.h>

/* Steps of each phase of the PlayerLoop. */
static const struct { const char *phase; const char *step[96]; } steps[] = {
	{ "TimeUpdate", {
		"WaitForLastPresentationAndUpdateTime", "ProfilerStartFrame",
	} },
	{ "Initialization", {
		"PlayerUpdateTime", "ProfilerStartFrame", "UpdateCameraMotionVectors", "DirectorSampleTime", "AsyncUploadTimeSlicedUpdate",
		"SynchronizeInputs", "SynchronizeState", "XREarlyUpdate",
	} },
	{ "EarlyUpdate", {
		"PollPlayerConnection", "PollHtcsPlayerConnection", "GpuTimestamp", "AnalyticsCoreStatsUpdate", "UnityWebRequestUpdate",
		"UnityConnectClientUpdate", "CloudWebServicesUpdate", "ExecuteMainThreadJobs", "ProcessMouseInWindow", "ClearIntermediateRenderers",
		"ClearLines", "PresentBeforeUpdate", "ResetFrameStatsAfterPresent", "UpdateAsyncInstantiate", "UpdateAsyncReadbackManager",
		"UpdateStreamingManager", "UpdateTextureStreamingManager", "UpdatePreloading", "UpdateContentLoading", "RendererNotifyInvisible",
		"PlayerCleanupCachedData", "UpdateMainGameViewRect", "UpdateCanvasRectTransform", "XRUpdate", "UpdateInputManager", "ProcessRemoteInput",
		"ScriptRunDelayedStartupFrame", "UpdateKinect", "DeliverIosPlatformEvents", "ARCoreUpdate", "DispatchEventQueueEvents",
		"Physics2DEarlyUpdate", "PhysicsResetInterpolatedTransformPosition", "PhysicsResetInterpolatedPoses", "SpriteAtlasManagerUpdate",
		"PerformanceAnalyticsUpdate", "TangoUpdate",
	} },
	{ "FixedUpdate", {
		"ClearLines", "NewInputFixedUpdate", "NewInputEndFixedUpdate", "DirectorFixedSampleTime", "AudioFixedUpdate",
		"ScriptRunBehaviourFixedUpdate", "DirectorFixedUpdate", "LegacyFixedAnimationUpdate", "XRFixedUpdate", "PhysicsFixedUpdate",
		"Physics2DFixedUpdate", "PhysicsClothFixedUpdate", "DirectorFixedUpdatePostPhysics", "ScriptRunDelayedFixedFrameRate",
	} },
	{ "PreUpdate", {
		"PhysicsUpdate", "Physics2DUpdate", "PhysicsClothUpdate", "CheckTexFieldInput", "IMGUISendQueuedEvents", "NewInputUpdate",
		"NewInputEndUpdate", "SendMouseEvents", "AIUpdate", "WindUpdate", "UpdateVideo",
	} },
	{ "Update", {
		"ScriptRunBehaviourUpdate", "ScriptRunDelayedDynamicFrameRate", "ScriptRunDelayedTasks", "DirectorUpdate",
	} },
	{ "PreLateUpdate", {
		"AIUpdatePostScript", "DirectorUpdateAnimationBegin", "LegacyAnimationUpdate", "DirectorUpdateAnimationEnd", "DirectorDeferredEvaluate",
		"UIElementsUpdatePanels", "UpdateNetworkManager", "UpdateMasterServerInterface", "UNetUpdate", "EndGraphicsJobsAfterScriptUpdate",
		"EndGraphicsJobsLate", "ConstraintManagerUpdate", "ParticleSystemBeginUpdateAll", "Physics2DLateUpdate", "PhysicsLateUpdate",
		"ScriptRunBehaviourLateUpdate",
	} },
	{ "PostLateUpdate", {
		"PlayerSendFrameStarted", "DirectorLateUpdate", "ScriptRunDelayedDynamicFrameRate", "PhysicsSkinnedClothBeginUpdate", "UpdateRectTransform",
		"UpdateCanvasRectTransform", "PlayerUpdateCanvases", "UpdateAudio", "UpdateVideo", "VFXUpdate", "ParticleSystemEndUpdateAll",
		"EndGraphicsJobsAfterScriptLateUpdate", "UpdateSubstance", "UpdateCustomRenderTextures", "XRPostLateUpdate", "XRPostPresent",
		"XRPreEndFrame", "UpdateAllRenderers", "UpdateLightProbeProxyVolumes", "EnlightenRuntimeUpdate", "UpdateAllSkinnedMeshes",
		"ProcessWebSendMessages", "SortingGroupsUpdate", "UpdateVideoTextures", "DirectorRenderImage", "PlayerEmitCanvasGeometry",
		"PlayerRenderUIEBatchModeOffscreen", "PhysicsSkinnedClothFinishUpdate", "FinishFrameRendering", "BatchModeUpdate", "PlayerSendFrameComplete",
		"UpdateCaptureScreenshot", "PresentAfterDraw", "ClearImmediateRenderers", "PlayerSendFramePostPresent", "UpdateResolution", "InputEndFrame",
		"TriggerEndOfFrameCallbacks", "GUIClearEvents", "ShaderHandleErrors", "ResetInputAxis", "ThreadedLoadingDebug", "ProfilerSynchronizeStats",
		"MemoryFrameMaintenance", "ExecuteGameCenterCallbacks", "ProfilerEndFrame", "GraphicsWarmupPreloadedShaders",
		"ObjectDispatcherPostLateUpdate",
	} },
};

static const char *const markers[] = {
	"PlayerLoop", "EditorLoop", "Overhead", "UpdateScreenManagerAndInput", "Profiler.CollectEditorStats", "Profiler.CollectGlobalStats",
	"Profiler.FinalizeAndSendFrame", "BehaviourUpdate", "FixedBehaviourUpdate", "LateBehaviourUpdate", "CoroutinesDelayedCalls", "Camera.Render",
	"Camera.ImageEffects", "Culling", "SceneCulling", "PrepareSceneNodes", "CullSendEvents", "Drawing", "Render.OpaqueGeometry",
	"Render.TransparentGeometry", "Render.Mesh", "Render.ModelShadows", "Render.MotionVectors", "RenderForward.RenderLoopJob",
	"RenderForwardOpaque.Prepare", "RenderForwardOpaque.Sort", "RenderForwardOpaque.Render", "RenderForwardOpaque.CollectShadows",
	"RenderForwardAlpha.Prepare", "RenderForwardAlpha.Sort", "RenderForwardAlpha.Render", "RenderLoop.Draw", "RenderLoop.DrawSRPBatcher",
	"RenderTexture.SetActive", "Shadows.CullShadowCasters", "Shadows.PrepareShadowmap", "Shadows.RenderJob", "Shadows.RenderJobDir",
	"Shadows.RenderJobPoint", "Shadows.RenderJobSpot", "Shadows.RenderShadowMap", "Gfx.PresentFrame", "Gfx.ProcessCommands", "Gfx.WaitForCommands",
	"Gfx.WaitForGfxCommandsFromMainThread", "Gfx.WaitForPresent", "Gfx.WaitForPresentOnGfxThread", "Gfx.WaitForRenderThread", "Gfx.WaitForLastPresent",
	"Graphics.PresentAndSync", "Device.Present", "WaitForTargetFPS", "Mono.JIT", "GarbageCollector.CollectIncremental", "GC.Alloc", "GC.Collect", "Idle",
	"JobHandle.Complete", "Semaphore.WaitForSignal", "WaitForJobGroup", "WaitForJobGroupID", "JobAlloc.Grow", "JobAlloc.Overflow",
	"Physics.FetchResults", "Physics.Interpolation", "Physics.Processing", "Physics.ProcessingCloth", "Physics.ProcessReports", "Physics.Simulate",
	"Physics.SyncColliderTransform", "Physics.SyncRigidbodyTransform", "Physics.UpdateBodies", "Physics.UpdateCloth", "Physics2D.Simulate",
	"Physics2D.SyncTransforms", "Animation.DestroyAnimationClip", "Animation.RebindInternalState", "Animators.DirtySceneObjects",
	"Animators.IKAndTwoBoneJob", "Animators.ProcessRootMotionJob", "Animators.Update", "Animators.WriteJob", "Animator.ApplyBuiltinRootMotionJob",
	"Animator.Initialize", "Director.PrepareFrame", "Director.PrepareFrameJob", "Director.ProcessFrame", "Director.ProcessAnimationJob",
	"Director.SampleTime", "Canvas.BuildBatch", "Canvas.RenderOverlays", "Canvas.SendWillRenderCanvases",
	"UGUI.Rendering.EmitWorldScreenspaceCameraGeometry", "UGUI.Rendering.RenderOverlays", "UGUI.Rendering.UpdateBatches", "UIR.DrawChain",
	"GUI.ProcessEvents", "GUI.Repaint", "ParticleSystem.EndUpdateAll", "ParticleSystem.Update", "ParticleSystem.UpdateJob", "MeshSkinning.Update",
	"MeshSkinning.CalcMatrices", "MeshSkinning.Skin", "UpdateRendererBoundingVolumes", "AudioManager.FixedUpdate", "AudioManager.Update", "Instantiate",
	"Instantiate.Awake", "Instantiate.Copy", "Instantiate.Produce", "Destroy", "GameObject.Activate", "GameObject.Deactivate", "LogStringToConsole",
	"ProcessRemoteInput", "Transform.SetParent", "Loading.AwakeFromLoad", "Loading.LockPersistentManager", "Loading.ReadObject",
	"Loading.UpdatePreloading",
};

/* How assemblies of the engine, of its packages and of the class library begin. */
static const char *const assemblies[] = { "UnityEngine.", "UnityEditor.", "Unity.", "mscorlib.", "netstandard.", "System." };

static bool
is_step(const char *name)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const size_t n = strlen(steps[i].phase);

		if (strncmp(name, steps[i].phase, n) != 0 || name[n] != '.')
			continue;
		for (const char *const *s = steps[i].step; *s; s++)
			if (strcmp(name + n + 1, *s) == 0)
				return true;
	}
	return false;
}

/* A type argument may be one of the game's. */
static bool
is_engine_method(const char *name)
{
	for (size_t i = 0; i < sizeof assemblies / sizeof *assemblies; i++)
		if (strncmp(name, assemblies[i], strlen(assemblies[i])) == 0)
			return strstr(name, ".dll!") && !strpbrk(name, "<[`");
	return false;
}

bool
unity_is_published(const char *name)
{
	for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
		if (strcmp(name, markers[i]) == 0)
			return true;
	return is_step(name) || is_engine_method(name);
}
