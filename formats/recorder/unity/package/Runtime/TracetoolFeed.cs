// Feeds captures with what only scripts know: facts about build and device, scenes, frame timings.

using System;
using System.Globalization;
using Unity.Profiling;
using UnityEngine;
using UnityEngine.SceneManagement;

// Nothing in a scene refers to this assembly: without this, players would be built without it and Begin
// never run.
[assembly: UnityEngine.Scripting.AlwaysLinkAssembly]
[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("Tracetool.Editor")]

namespace TracetoolUnity
{
    // What only scripts can know and captures should hold: facts about build and device, scenes, frame
    // timings. One hidden object that lives as long as the game; while nothing is captured it asks for the
    // state once a frame.
    [AddComponentMenu("")]
    sealed class TracetoolFeed : MonoBehaviour
    {
        // Unity hands out timings of a frame when its GPU work is over: four frames later.
        const uint Delay = 4;

        // FrameTimingManager measures while something listens to these. Their category differs between
        // versions.
        static readonly string[] counters = {
            "CPU Total Frame Time", "CPU Main Thread Frame Time", "CPU Render Thread Frame Time", "GPU Frame Time",
        };

        readonly FrameTiming[] timings = new FrameTiming[8];
        readonly Native.Timing[] fresh = new Native.Timing[8];
        readonly Native.Settings[] settings = new Native.Settings[8];
        ProfilerRecorder[] recorders;
        ulong newest;
        bool feeding;
        static string scene;

        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.BeforeSceneLoad)]
        static void Begin()
        {
            if (!Tracetool.IsAvailable) {
                if (Debug.isDebugBuild)
                    Debug.Log(Tracetool.Message);
                return;
            }
            SendFacts();
            var o = new GameObject("tracetool") { hideFlags = HideFlags.HideInHierarchy };
            DontDestroyOnLoad(o);
            o.AddComponent<TracetoolFeed>().Listen();
        }

        // Facts about this build and this device.
        internal static void SendFacts()
        {
            Tracetool.Meta("unity_version", Application.unityVersion);
            Tracetool.Meta("platform", Application.platform.ToString());
            Tracetool.Meta("scripting_backend", Backend);
            Tracetool.Meta("build", Application.isEditor ? "editor" : Debug.isDebugBuild ? "development" : "release");
            Tracetool.Meta("build_guid", Application.buildGUID);
            Tracetool.Meta("app", Application.productName);
            Tracetool.Meta("app_version", Application.version);
            Tracetool.Meta("device", SystemInfo.deviceModel);
            Tracetool.Meta("device_type", SystemInfo.deviceType.ToString());
            Tracetool.Meta("os", SystemInfo.operatingSystem);
            Tracetool.Meta("cpu", SystemInfo.processorType);
            Tracetool.Meta("cpu_count", Number(SystemInfo.processorCount));
            Tracetool.Meta("memory_mib", Number(SystemInfo.systemMemorySize));
            Tracetool.Meta("gpu", SystemInfo.graphicsDeviceName);
            Tracetool.Meta("gpu_api", SystemInfo.graphicsDeviceVersion);
            Tracetool.Meta("gpu_memory_mib", Number(SystemInfo.graphicsMemorySize));
            Tracetool.Meta("vsync", Number(QualitySettings.vSyncCount));
            Tracetool.Meta("target_fps", Number(Application.targetFrameRate));
            scene = null;
            SendScene();
        }

        static void SendScene()
        {
            string now = SceneManager.GetActiveScene().name;
            if (now == scene)
                return;
            scene = now;
            Tracetool.Meta("scene", now);
        }

        static string Backend
        {
            get
            {
#if ENABLE_IL2CPP && !UNITY_EDITOR
                return "il2cpp";
#else
                return "mono";
#endif
            }
        }

        static string Number(int n)
        {
            return n.ToString(CultureInfo.InvariantCulture);
        }

        void Listen()
        {
            SceneManager.activeSceneChanged += OnActiveScene;
            SceneManager.sceneLoaded += OnLoaded;
            SceneManager.sceneUnloaded += OnUnloaded;
        }

        void OnDestroy()
        {
            SceneManager.activeSceneChanged -= OnActiveScene;
            SceneManager.sceneLoaded -= OnLoaded;
            SceneManager.sceneUnloaded -= OnUnloaded;
            Detach();
        }

        static void OnActiveScene(Scene before, Scene now)
        {
            SendScene();
        }

        static void OnLoaded(Scene loaded, LoadSceneMode mode)
        {
            SendScene();
            if (Tracetool.IsCapturing)
                Tracetool.Mark("scene loaded: " + loaded.name);
        }

        static void OnUnloaded(Scene unloaded)
        {
            if (Tracetool.IsCapturing)
                Tracetool.Mark("scene unloaded: " + unloaded.name);
        }

        void LateUpdate()
        {
            bool capturing = Tracetool.IsCapturing;
            if (capturing && !feeding)
                Attach();
            else if (!capturing && feeding)
                Detach();
            if (feeding)
                Feed();
        }

        void Attach()
        {
            feeding = true;
            newest = 0;
            // Where nothing has this name in this category, the recorder is not valid and costs nothing.
            recorders = new ProfilerRecorder[2 * counters.Length];
            for (int i = 0; i < counters.Length; i++) {
                recorders[2 * i] = ProfilerRecorder.StartNew(ProfilerCategory.Internal, counters[i]);
                recorders[2 * i + 1] = ProfilerRecorder.StartNew(ProfilerCategory.Render, counters[i]);
            }
        }

        void Detach()
        {
            feeding = false;
            if (recorders == null)
                return;
            foreach (ProfilerRecorder r in recorders)
                r.Dispose();
            recorders = null;
        }

        // Hand over the timings that are new since the last frame, oldest first.
        void Feed()
        {
            FrameTimingManager.CaptureFrameTimings();
            uint got = FrameTimingManager.GetLatestTimings((uint)timings.Length, timings);
            if (got == 0)
                return;
            ulong frequency = FrameTimingManager.GetCpuTimerFrequency();
            uint n = 0;
            // Without a time there is no telling which are new: take one each frame. So with the first.
            uint most = newest == 0 || Key(ref timings[0]) == 0 ? 1 : Math.Min(got, (uint)timings.Length);
            while (n < most && (Key(ref timings[n]) == 0 || Key(ref timings[n]) > newest))
                n++;
            for (uint i = 0; i < n; i++) {
                fresh[i] = Convert(ref timings[n - 1 - i], n - 1 - i, frequency);
                settings[i] = SettingsOf(ref timings[n - 1 - i]);
            }
            newest = Math.Max(newest, Key(ref timings[0]));
            if (n > 0)
                Native.tracetool_frame_timings2(fresh, settings, (int)n, frequency);
        }

        // A time that tells frames apart; 0 where the platform gives none.
        static ulong Key(ref FrameTiming t)
        {
#if UNITY_2022_1_OR_NEWER
            return t.frameStartTimestamp != 0 ? t.frameStartTimestamp : t.cpuTimePresentCalled;
#else
            return t.cpuTimePresentCalled;
#endif
        }

        static Native.Timing Convert(ref FrameTiming t, uint back, ulong frequency)
        {
            var r = new Native.Timing {
                CpuTotalMs = t.cpuFrameTime,
                GpuMs = t.gpuFrameTime,
                PresentCalled = t.cpuTimePresentCalled,
                FrameComplete = t.cpuTimeFrameComplete,
                Age = Delay + back,
            };
#if UNITY_2022_1_OR_NEWER
            r.CpuMainMs = t.cpuMainThreadFrameTime;
            r.CpuPresentWaitMs = t.cpuMainThreadPresentWaitTime;
            r.CpuRenderMs = t.cpuRenderThreadFrameTime;
            r.FrameStart = t.frameStartTimestamp;
            r.FirstSubmit = t.firstSubmitTimestamp;
            // Some platforms do not measure when the GPU is done, but add its time to that of the first
            // submission, ...
            if (r.FrameComplete != 0 && r.FirstSubmit != 0) {
                double sum = r.FirstSubmit + r.GpuMs * frequency / 1000;
                if (Math.Abs(sum - r.FrameComplete) <= Math.Max(frequency / 1e6, 2))
                    r.Flags = Native.CompleteComputed;
            }
#endif
            // ... or give that of presenting, where they know no GPU time.
            if (r.GpuMs == 0 && r.FrameComplete != 0 && r.FrameComplete == r.PresentCalled)
                r.Flags = Native.CompleteComputed;
            return r;
        }

        static Native.Settings SettingsOf(ref FrameTiming t)
        {
            return new Native.Settings {
                HeightScale = t.heightScale,
                WidthScale = t.widthScale,
                SyncInterval = t.syncInterval,
            };
        }
    }
}
