/**
 * Names of markers and methods for which the library asks, of all producers: those that wait, and those that allocate for their caller. The library itself
 * contains no such names.
 */
#include "model/names.h"
#include "model/waits.h"

const char *const tt_wait_markers[] = {
	"Contention",
	/* Mono and .NET: sleeping, joining, waiting for another thread, including spinning. */
	"System.Threading.Thread:Sleep", "System.Threading.Thread:Join", "System.Threading.Thread:Yield", "System.Threading.Thread:SpinWait",
	"System.Threading.Monitor:Wait", "System.Threading.Monitor:ObjWait", "System.Threading.Monitor:Monitor_wait",
	"System.Threading.Monitor:Enter", "System.GC:WaitForPendingFinalizers",
	"System.Threading.WaitHandle:Wait", "System.Threading.WaitHandle:InternalWait", "System.Threading.WaitHandle:SignalAndWait",
	"System.Threading.ManualResetEventSlim:Wait", "System.Threading.SemaphoreSlim:Wait",
	"System.Threading.CountdownEvent:Wait", "System.Threading.Barrier:SignalAndWait",
	"System.Threading.Tasks.Task:Wait", "System.Threading.SpinWait:Spin",
	"System.Diagnostics.Process:WaitForExit",
	/* Calls that block in the system until something external happens. */
	"System.Net.Sockets.Socket:Accept", "System.Net.Sockets.Socket:Poll", "System.Net.Sockets.Socket:Select",
	"System.Net.Sockets.Socket:Receive", "System.Net.Sockets.Socket:Connect", "System.Net.Sockets.NetworkStream:Read",
	"System.Net.Sockets.TcpListener:Accept", "System.IO.Pipes.NamedPipeServerStream:WaitForConnection",
	"System.Console:Read", "System.IO.MonoIO:Read",
	"Mono.Unix.Native.Syscall:accept", "Mono.Unix.Native.Syscall:poll", "Mono.Unix.Native.Syscall:select",
	"Mono.Unix.Native.Syscall:read", "Mono.Unix.Native.Syscall:recv", "Mono.Unix.Native.Syscall:wait",
	"Mono.Unix.Native.Syscall:pause", "Mono.Unix.Native.Syscall:nanosleep", "Mono.Unix.UnixSignal:Wait",
	/* Unity: the markers the manual lists as waiting (common markers reference, 2022.3). */
	"WaitForTargetFPS", "WaitForLastPresentation", "Gfx.WaitFor", "Gfx.PresentFrame", "GfxDeviceMetal.WaitFor", "XR.WaitForGPU",
	"WaitForJobGroup", "Semaphore.WaitForSignal", "WaitForRenderThread", "WaitForGfxCommands",
	"[I]dle",
	NULL,
};

/* Waits that sleep until a given time. */
const char *const tt_sleep_markers[] = { "System.Threading.Thread:Sleep", "Mono.Unix.Native.Syscall:nanosleep", "WaitForTargetFPS", NULL };

/* Waits that only the system ends, and no other thread of the program. The engine's own markers have no class in their name. */
const char *const tt_system_waits[] = { "System.Net.", "System.IO.", "System.Console:", "System.Diagnostics.Process:WaitForExit",
	"Mono.Unix.Native.Syscall:", "[F]ile.Open", "[F]ile.Read", "[F]ile.Seek", "[F]ile.Close", NULL };

/* Unity: the first one waits only for Application.targetFrameRate or vertical sync, the others also for a late GPU. */
const char *const tt_limit_markers[] = { "WaitForTargetFPS", "WaitForLastPresentation", "Gfx.WaitForPresent", NULL };
const unsigned tt_limit_only = 1;

/* Unity: waits of the render thread until the GPU is ready, or the display takes the frame. */
const char *const tt_gpu_wait_markers[] = { "Gfx.PresentFrame", "WaitForGPU", "GfxDeviceMetal.WaitFor", NULL };

/* Unity: those of these waits that end when the display takes a frame. */
const char *const tt_present_markers[] = { "Gfx.PresentFrame", NULL };

/* Engines' own namespaces: scripts call their methods, which are not scripts themselves. */
const char *const tt_engine_namespaces[] = { "UnityEngine", "UnityEditor", "UnityEngineInternal", "Unity", "TMPro", NULL };

/* Markers of work that a frame's own calls do not explain: causes of long frames (lib/why). */
const char *const tt_collect_markers[] = { "GC.Pause", "GC.Collect", "GarbageCollector.CollectIncremental", NULL };
const char *const tt_compile_markers[] = { "Mono.JIT", NULL };
/* Unity: work at the first use of a shader variant, on the GPU's side (manual: warm up PSOs, check how Unity loads shaders). */
const char *const tt_shader_markers[] = { "CreateGPUProgram", "Shader.CompileGPUProgram", "CreateGraphicsGraphicsPipelineImpl", NULL };
const char *const tt_lock_markers[] = { "System.Threading.Monitor:Enter", "System.Threading.Monitor:TryEnter",
	"System.Threading.Monitor:ReliableEnter", "System.Threading.Monitor:try_enter", "System.Threading.SpinLock:Enter",
	"System.Threading.ReaderWriterLock", NULL };
/* Unity's manual: the Asset Loading Profiler module, how Unity loads shaders, files. "[F]ile" is the engine's marker, not a method of a class File. */
const char *const tt_load_markers[] = { "Loading.", "Application.LoadLevel", "Application.Integrate Assets", "Preload Single Step",
	"SceneManager.Load", "SceneManager:LoadScene", "AssetBundle.Load", "AssetBundle:Load", "Resources.Load", "Resources:Load",
	"AssetBundle.PerformAssetLoad", "LoadSceneOperation", "LoadFileThreaded", "ReadObjectFromSerializedFile", "AsyncReadManager.SyncRequest",
	"LoadAssembly", "Shader.Parse", "[F]ile.Open", "[F]ile.Read", "[F]ile.Seek", "[F]ile.Close",
	"System.Reflection.Assembly:Load", "System.AppDomain:Load", "System.IO.FileStream:Read", "System.IO.FileStream:.ctor", "System.IO.File:Read",
	"System.IO.File:Open", "System.IO.StreamReader:", "System.IO.BinaryReader:", NULL };
/* Unity's Resources.UnloadUnusedAssets, which searches assets, not objects of scripts. */
const char *const tt_unload_markers[] = { "GarbageCollectAssetsProfile", "GC.MarkDependencies", "UnloadUnusedAssets", "AssetBundle.Unload",
	"AssetBundle:Unload", "UnloadScene", NULL };

const char *const tt_collect_requests[] = { "System.GC:", NULL };
const char *const tt_collect_calls[] = { "System.GC:Collect (", "System.GC:InternalCollect (", "System.GC:_Collect (", NULL };
const char *const tt_constructors[] = { ":.ctor", NULL };

/* Words in names of methods that mostly wait for others, or read what others send; these are not frames of a game. */
const char *const tt_waiting_words[] = { "accept", "lock", "poll", "read", "receive", "recv", "sleep", "wait", NULL };

/* Namespaces of the class library; each includes all namespaces below it. */
const char *const tt_library_namespaces[] = { "System", "Mono", "Microsoft", NULL };

/* Unity's render thread. */
const char *const tt_render_threads[] = { "Render Thread", NULL };

/* The phases of Unity's PlayerLoop in order; a step's marker is called PHASE.STEP. */
const char *const tt_frame_phases[] = { "TimeUpdate", "Initialization", "EarlyUpdate", "FixedUpdate", "PreUpdate", "Update", "PreLateUpdate",
	"PostLateUpdate", NULL };

/* Unity: markers that call the steps of a frame or the methods of scripts. They request nothing, and their time is that of what they call. */
const char *const tt_loop_markers[] = { "PlayerLoop", "BehaviourUpdate", "LateBehaviourUpdate", "FixedBehaviourUpdate", "CoroutinesDelayedCalls", NULL };

/* Mono 2 to 6: methods that the runtime implements, and methods that reflective calls pass through. */
const char *const tt_alloc_helpers[] = {
	"string:.ctor ", "string:Ctor ", "string:CreateString ", "string:FastAllocateString ", "string:InternalAllocateStr ",
	"System.String:FastAllocateString ", "System.String:InternalAllocateStr ", "object:MemberwiseClone ",
	"System.Object:MemberwiseClone ", "System.Array:CreateInstanceImpl ", "System.Reflection.MonoMethod:InternalInvoke ",
	"System.Reflection.MonoCMethod:InternalInvoke ", "System.Reflection.RuntimeMethodInfo:InternalInvoke ",
	"System.Reflection.RuntimeConstructorInfo:InternalInvoke ", "System.RuntimeType:CreateInstanceInternal ",
	"System.Activator:CreateInstanceInternal ",
	NULL,
};

const char *const tt_plumbing[] = { "(wrapper ", "System.Threading.Monitor:", "System.Runtime.InteropServices.GCHandle:", NULL };

/* Parts of names that change how the remaining name is read: Unity's deep profiling, and Mono's wrappers of its own calls. */
static const char *const forms[] = { ".dll!", "__icall_wrapper_", NULL };

const struct tt_known_names tt_known_names[] = {
	{ "waits", tt_wait_markers, TT_NAME_HAS },
	{ "waits for the frame limit", tt_limit_markers, TT_NAME_HAS },
	{ "sleeps until a time", tt_sleep_markers, TT_NAME_HAS },
	{ "waits for the GPU on the render thread", tt_gpu_wait_markers, TT_NAME_HAS },
	{ "hands a frame to the display", tt_present_markers, TT_NAME_HAS },
	{ "a phase of Unity's PlayerLoop, and a dot", tt_frame_phases, TT_NAME_STEP },
	{ "calls the steps of a frame", tt_loop_markers, TT_NAME_IS },
	{ "collects garbage", tt_collect_markers, TT_NAME_HAS },
	{ "asks for a collection", tt_collect_requests, TT_NAME_HAS },
	{ "is a collection where none are recorded", tt_collect_calls, TT_NAME_HAS },
	{ "compiles", tt_compile_markers, TT_NAME_HAS },
	{ "compiles shaders", tt_shader_markers, TT_NAME_HAS },
	{ "asks for a lock", tt_lock_markers, TT_NAME_HAS },
	{ "loads", tt_load_markers, TT_NAME_HAS },
	{ "unloads", tt_unload_markers, TT_NAME_HAS },
	{ "allocates what its caller asked for", tt_alloc_helpers, TT_NAME_BEGINS },
	{ "does the runtime's part of a call", tt_plumbing, TT_NAME_BEGINS },
	{ "constructs an object", tt_constructors, TT_NAME_HAS },
	{ "a method that waits for others", tt_waiting_words, TT_NAME_WORD },
	{ "the class library", tt_library_namespaces, TT_NAME_NAMESPACE },
	{ "an engine's own methods", tt_engine_namespaces, TT_NAME_NAMESPACE },
	{ "how the rest of the name is to be read", forms, TT_NAME_HAS },
	{ "a thread that hands the GPU its work", tt_render_threads, TT_NAME_IS },
	{ NULL, NULL, TT_NAME_HAS },
};
