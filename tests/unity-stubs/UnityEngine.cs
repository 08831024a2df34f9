// Our own declarations of the UnityEngine names that the package uses. See README.md.

using System;
using System.Collections.Generic;

namespace UnityEngine
{
    // What tests set and look at; no part of Unity.
    public static class StubLoop
    {
        public static readonly List<MonoBehaviour> Behaviours = new List<MonoBehaviour>();
        public static readonly List<string> Log = new List<string>();
        public static readonly List<FrameTiming> Timings = new List<FrameTiming>();
        public static ulong CpuTimerFrequency = 1000000000;
        public static int CaptureCalls;
        public static int RecordersAlive;

        // One frame of the player loop, as far as scripts see it.
        public static void Frame()
        {
            foreach (MonoBehaviour b in Behaviours.ToArray())
                Send(b, "Update");
            foreach (MonoBehaviour b in Behaviours.ToArray())
                Send(b, "LateUpdate");
        }

        internal static void Send(MonoBehaviour b, string message)
        {
            var m = b.GetType().GetMethod(message, System.Reflection.BindingFlags.Instance |
                System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Public);
            if (m != null)
                m.Invoke(b, null);
        }
    }

    public enum RuntimePlatform { LinuxPlayer = 13 }

    public static class Application
    {
        public static string unityVersion { get { return "2022.3.1f1-stub"; } }
        public static RuntimePlatform platform { get { return RuntimePlatform.LinuxPlayer; } }
        public static string buildGUID { get { return "00112233445566778899aabbccddeeff"; } }
        public static string version { get { return "1.2.3"; } }
        public static string productName { get { return "Stub Game"; } }
        public static string persistentDataPath = System.IO.Path.GetTempPath();
        public static string dataPath { get { return persistentDataPath; } }
        public static bool isEditor { get { return false; } }
        public static int targetFrameRate { get { return 60; } }
    }

    public enum DeviceType { Unknown, Handheld, Console, Desktop }

    public static class SystemInfo
    {
        public static string deviceModel { get { return "Stub \"Device\" \u00b5"; } }
        public static DeviceType deviceType { get { return DeviceType.Desktop; } }
        public static string operatingSystem { get { return "Stub OS 1"; } }
        public static string processorType { get { return "Stub CPU"; } }
        public static int processorCount { get { return 2; } }
        public static int systemMemorySize { get { return 4096; } }
        public static string graphicsDeviceName { get { return "Stub GPU"; } }
        public static string graphicsDeviceVersion { get { return "Stub API 1.0"; } }
        public static int graphicsMemorySize { get { return 1024; } }
    }

    public static class QualitySettings
    {
        public static int vSyncCount { get { return 1; } }
    }

    public static class Debug
    {
        public static bool isDebugBuild { get { return true; } }
        public static void Log(object message) { StubLoop.Log.Add("log: " + message); }
        public static void LogWarning(object message) { StubLoop.Log.Add("warning: " + message); }
        public static void LogException(Exception exception) { StubLoop.Log.Add("exception: " + exception); }
    }

    [Flags]
    public enum HideFlags { None = 0, HideInHierarchy = 1, DontSave = 52, HideAndDontSave = 61 }

    public class Object
    {
        public string name { get; set; }
        public HideFlags hideFlags { get; set; }
        public static void DontDestroyOnLoad(Object target) { }
        public static void Destroy(Object obj)
        {
            var g = obj as GameObject;
            if (g == null)
                return;
            foreach (MonoBehaviour b in g.components) {
                StubLoop.Behaviours.Remove(b);
                StubLoop.Send(b, "OnDestroy");
            }
        }
    }

    public sealed class GameObject : Object
    {
        internal readonly List<MonoBehaviour> components = new List<MonoBehaviour>();

        public GameObject(string name) { this.name = name; }

        public T AddComponent<T>() where T : Component, new()
        {
            var c = new T();
            var b = c as MonoBehaviour;
            if (b != null) {
                components.Add(b);
                StubLoop.Behaviours.Add(b);
            }
            return c;
        }
    }

    public class Component : Object { }
    public class Behaviour : Component
    {
        public bool enabled { get; set; }
    }

    public class MonoBehaviour : Behaviour { }

    public static class Time
    {
        public static float unscaledDeltaTime { get { return 0.25f; } }
    }

    public class AddComponentMenu : Attribute
    {
        public AddComponentMenu(string menuName) { }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute { }

    public enum RuntimeInitializeLoadType { AfterSceneLoad, BeforeSceneLoad }

    [AttributeUsage(AttributeTargets.Method)]
    public class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
        public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType loadType) { }
    }

    public struct FrameTiming
    {
        public double cpuFrameTime;
        public double gpuFrameTime;
        public ulong cpuTimePresentCalled;
        public ulong cpuTimeFrameComplete;
        public float heightScale;
        public float widthScale;
        public uint syncInterval;
#if UNITY_2022_1_OR_NEWER
        public double cpuMainThreadFrameTime;
        public double cpuMainThreadPresentWaitTime;
        public double cpuRenderThreadFrameTime;
        public ulong frameStartTimestamp;
        public ulong firstSubmitTimestamp;
#endif
    }

    public static class FrameTimingManager
    {
        public static void CaptureFrameTimings() { StubLoop.CaptureCalls++; }

        // Newest first, as the engine does it.
        public static uint GetLatestTimings(uint numFrames, FrameTiming[] timings)
        {
            uint n = 0;
            for (int i = StubLoop.Timings.Count - 1; i >= 0 && n < numFrames; i--)
                timings[n++] = StubLoop.Timings[i];
            return n;
        }

        public static ulong GetCpuTimerFrequency() { return StubLoop.CpuTimerFrequency; }
    }
}

namespace UnityEngine.Events
{
    public delegate void UnityAction<T0>(T0 arg0);
    public delegate void UnityAction<T0, T1>(T0 arg0, T1 arg1);
}

namespace UnityEngine.SceneManagement
{
    public enum LoadSceneMode { Single, Additive }

    public struct Scene
    {
        public Scene(string name, int buildIndex) : this() { this.name = name; this.buildIndex = buildIndex; }
        public string name { get; private set; }
        public int buildIndex { get; private set; }
    }

    public static class SceneManager
    {
        static Scene active = new Scene("Menu", 0);

        public static event Events.UnityAction<Scene, LoadSceneMode> sceneLoaded;
        public static event Events.UnityAction<Scene> sceneUnloaded;
        public static event Events.UnityAction<Scene, Scene> activeSceneChanged;

        public static Scene GetActiveScene() { return active; }

        // No part of Unity.
        public static void StubLoad(string name, int index)
        {
            Scene old = active;
            active = new Scene(name, index);
            if (sceneUnloaded != null)
                sceneUnloaded(old);
            if (activeSceneChanged != null)
                activeSceneChanged(old, active);
            if (sceneLoaded != null)
                sceneLoaded(active, LoadSceneMode.Single);
        }
    }
}

namespace UnityEngine.Scripting
{
    [AttributeUsage(AttributeTargets.Assembly)]
    public class AlwaysLinkAssemblyAttribute : Attribute { }
}

namespace Unity.Profiling
{
    public struct ProfilerCategory
    {
        public static ProfilerCategory Internal { get { return new ProfilerCategory(); } }
        public static ProfilerCategory Render { get { return new ProfilerCategory(); } }
    }

    [Flags]
    public enum ProfilerRecorderOptions { None = 0, StartImmediately = 1, KeepAliveDuringDomainReload = 2, Default = 24 }

    public struct ProfilerRecorder : IDisposable
    {
        bool valid;

        public bool Valid { get { return valid; } }

        public static ProfilerRecorder StartNew(ProfilerCategory category, string statName, int capacity = 1,
            ProfilerRecorderOptions options = ProfilerRecorderOptions.Default)
        {
            UnityEngine.StubLoop.RecordersAlive++;
            return new ProfilerRecorder { valid = true };
        }

        public void Dispose()
        {
            if (valid)
                UnityEngine.StubLoop.RecordersAlive--;
            valid = false;
        }
    }
}
