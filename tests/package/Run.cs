// Run.cs MODE [FILE]: the package outside Unity, under Mono, with the stand-ins of tests/unity-stubs.
// Prints what is wrong; the exit status is the number of it.
//
//   missing      there is no library: nothing happens, and Tracetool.Message has it
//   alone        the library without a Unity: says that there is no profiler
//   told         a library that prints what it is told: the caller compares that
//   hosted FILE  the library with a profiler interface made of delegates below: a capture of 60 frames goes to FILE
//   editor DIR [missing]   the same through the Editor's menu; a capture goes into DIR (compiled with UNITY_EDITOR)

using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using TracetoolUnity;
using UnityEngine;
using UnityEngine.SceneManagement;

static class Run
{
    static int wrong;

    static void Is(object what, object want, string name)
    {
        if (Equals(what, want))
            return;
        Console.WriteLine("{0} is {1}, not {2}", name, what, want);
        wrong++;
    }

    static void True(bool b, string name)
    {
        Is(b, true, name);
    }

    static int Main(string[] args)
    {
        switch (args[0]) {
        case "missing": Missing(args[1]); break;
        case "alone": Alone(); break;
        case "told": Told(); break;
        case "hosted": Host.Run(args[1], True); break;
#if UNITY_EDITOR
        case "editor": Editor(args[1], args.Length > 2); break;
#endif
        default: return 99;
        }
        return wrong;
    }

    internal static void Startup()
    {
        typeof(Tracetool).Assembly.GetType("TracetoolUnity.TracetoolFeed")
            .GetMethod("Begin", BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, null);
    }

#if UNITY_EDITOR
    static object Menu(string type, string method)
    {
        return Assembly.Load("Tracetool.Editor").GetType("TracetoolUnity.Editor." + type, true)
            .GetMethod(method, BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, null);
    }

    static void Editor(string folder, bool missing)
    {
        System.Runtime.CompilerServices.RuntimeHelpers.RunClassConstructor(
            Assembly.Load("Tracetool.Editor").GetType("TracetoolUnity.Editor.TracetoolMenu", true).TypeHandle);
        UnityEditor.EditorPrefs.SetString("Tracetool.Folder", folder);
        if (!missing)
            Host.Load();
        Menu("TracetoolSettings", "Draw");
        True(StubLoop.Log[0].Contains(missing ? "not in this build" : "is ready"), "settings: " + StubLoop.Log[0]);
        Is(Menu("TracetoolMenu", "MayStart"), !missing, "may start");
        Is(Menu("TracetoolMenu", "MayStop"), false, "may stop");
        Is(Menu("TracetoolMenu", "MayReveal"), false, "may reveal");
        Menu("TracetoolMenu", "StartCapture");
        if (missing) {
            True(StubLoop.Log[1].StartsWith("warning: tracetool: no capture: "), "log: " + StubLoop.Log[1]);
            return;
        }
        True(Host.Wait(TracetoolState.Capturing), "the capture begins: " + Tracetool.Message);
        UnityEditor.EditorApplication.update();
        Is(Menu("TracetoolMenu", "MayStart"), false, "may start while capturing");
        Is(Menu("TracetoolMenu", "MayStop"), true, "may stop while capturing");
        UnityEditor.EditorApplication.StubChange(UnityEditor.PlayModeStateChange.ExitingPlayMode);
        True(Host.Wait(TracetoolState.Idle), "leaving play mode ends the capture");
        UnityEditor.EditorApplication.update();
        True(UnityEditor.EditorApplication.update == null, "the menu stops watching");
        True(StubLoop.Log[StubLoop.Log.Count - 1].StartsWith("log: tracetool: capture " + folder),
            "the end is told: " + StubLoop.Log[StubLoop.Log.Count - 1]);
        Is(Menu("TracetoolMenu", "MayReveal"), true, "may reveal");
        Menu("TracetoolMenu", "Reveal");
        string last = StubLoop.Log[StubLoop.Log.Count - 1];
        True(last.StartsWith("reveal: " + folder) && last.EndsWith(".ttc"), "revealed: " + last);

        UnityEditor.EditorPrefs.SetString("Tracetool.Options", "ring=much");
        Menu("TracetoolMenu", "StartCapture");
        last = StubLoop.Log[StubLoop.Log.Count - 1];
        True(last.StartsWith("warning: tracetool: no capture: option \"ring=much\""),
            "a wrong option is told: " + last);
    }
#endif

    static void Missing(string message)
    {
        Startup();
        Is(StubLoop.Behaviours.Count, 0, "objects made without a library");
        Is(StubLoop.Log.Count, 1, "lines in the log");
        True(StubLoop.Log[0].Contains(message), "the log tells that " + message + ": " + StubLoop.Log[0]);
        Is(Tracetool.IsAvailable, false, "IsAvailable");
        Is(Tracetool.HasProfiler, false, "HasProfiler");
        Is(Tracetool.State, TracetoolState.Idle, "State");
        Is(Tracetool.Start("x.ttc"), TracetoolResult.NoLibrary, "Start(path)");
        Is(Tracetool.Start(), TracetoolResult.NoLibrary, "Start()");
        Is(Tracetool.Stop(), TracetoolResult.NoLibrary, "Stop");
        Is(Tracetool.Dump(), TracetoolResult.NoLibrary, "Dump");
        Is(Tracetool.Counts.Events, 0ul, "Counts.Events");
        True(Tracetool.Message.Contains(message), "Message tells that " + message);
        // What a game would do in every frame must not look for the library again.
        var clock = System.Diagnostics.Stopwatch.StartNew();
        for (int i = 0; i < 100000; i++) {
            Tracetool.Mark("a");
            Tracetool.Label("b");
            Tracetool.Meta("k", "v");
        }
        True(clock.ElapsedMilliseconds < 1000, "300,000 calls without a library take less than a second");
    }

    static void Told()
    {
        Startup();
        Is(Tracetool.Start("/tmp/\u00e4 b.ttc", "keep=10s;meta=k=\ud83d\ude00"), TracetoolResult.Ok, "Start");
        Is(Tracetool.Message, "a message of 1024 bytes at most: \u00b5", "Message");
        Is(Tracetool.Counts.Events, 1ul, "Counts.Events");
        Is(Tracetool.Counts.Dropped, 2ul, "Counts.Dropped");
        Is(Tracetool.Counts.Bytes, 3ul, "Counts.Bytes");
        Is(Tracetool.Counts.Frames, 4ul, "Counts.Frames");
        Is(Tracetool.Counts.Markers, 5ul, "Counts.Markers");
        Is(Tracetool.Counts.Filtered, ulong.MaxValue, "Counts.Filtered");
        Tracetool.Mark("a longer text and");
        Tracetool.Mark("a short one");
        Tracetool.Label(null);
        Is(Tracetool.Dump(), TracetoolResult.WrongState, "Dump");

        // One frame; none that is new; three at once; one that adds GPU time itself; one without GPU time; one without any time.
        Host.Add(1);
        StubLoop.Frame();
        StubLoop.Frame();
        Host.Add(2);
        Host.Add(3);
        Host.Add(4);
        StubLoop.Frame();
        FrameTiming t = Host.Timing(5);
        t.cpuTimeFrameComplete = t.cpuTimePresentCalled - 1;
#if UNITY_2022_1_OR_NEWER
        t.cpuTimeFrameComplete = t.firstSubmitTimestamp + 8000000;
#endif
        StubLoop.Timings.Add(t);
        StubLoop.Frame();
        // No GPU time, and as its end the time of presenting.
        t = Host.Timing(7);
        t.gpuFrameTime = 0;
        t.cpuTimeFrameComplete = t.cpuTimePresentCalled;
        StubLoop.Timings.Add(t);
        StubLoop.Frame();
        StubLoop.Timings.Add(new FrameTiming { cpuFrameTime = 6 });
        StubLoop.Frame();
        SceneManager.StubLoad("Level", 1);
        Is(StubLoop.RecordersAlive, 8, "recorders attached");
        Tracetool.Stop();
        StubLoop.Frame();
        Is(StubLoop.RecordersAlive, 0, "recorders attached");
        SceneManager.StubLoad("Menu", 0);
        StubLoop.Frame();
    }

    static void Alone()
    {
        True(Tracetool.IsAvailable, "IsAvailable: " + Tracetool.Message);
        Is(Tracetool.HasProfiler, false, "HasProfiler");
        Is(Tracetool.State, TracetoolState.Idle, "State");
        Is(Tracetool.Start("/nowhere/x.ttc"), TracetoolResult.NoProfiler, "Start");
        Is(Tracetool.Start(), TracetoolResult.NoProfiler, "Start()");
        Is(Tracetool.Stop(), TracetoolResult.WrongState, "Stop");
        Is(Tracetool.Dump(), TracetoolResult.WrongState, "Dump");
        Tracetool.Mark("m\u00e4rk \ud83d\ude00");
        Tracetool.Mark(null);
        Tracetool.Label(new string('l', 100000));
        Tracetool.Meta("key", "value");
        Tracetool.Meta("key", null);
        Tracetool.Meta(null, "value");
        Tracetool.Meta("", "");
        Is(Tracetool.IsCapturing, false, "IsCapturing");
        Is(Tracetool.Counts.Events, 0ul, "Counts.Events");
        True(Tracetool.Message != null, "Message is a text");
        Startup();
        Is(StubLoop.Behaviours.Count, 1, "objects that feed");
        StubLoop.Frame();
        Is(StubLoop.CaptureCalls, 0, "frame timings asked for while idle");
        Is(StubLoop.RecordersAlive, 0, "recorders attached while idle");

        // Game threads call without producing garbage: a buffer each.
        var threads = new List<Thread>();
        for (int i = 0; i < 4; i++) {
            var t = new Thread(() => {
                for (int k = 0; k < 10000; k++)
                    Tracetool.Mark("from a thread");
            });
            t.Start();
            threads.Add(t);
        }
        foreach (Thread t in threads)
            t.Join();
        Tracetool.Mark("warm");
        int before = GC.CollectionCount(0);
        for (int k = 0; k < 300000; k++)
            Tracetool.Mark("steady");
        Is(GC.CollectionCount(0), before, "collections caused by 300,000 marks");
    }
}

// A profiler as small as it can be: one category, one marker, frames.
static class Host
{
    delegate IntPtr GetFn(ulong high, ulong low);
    delegate void AddFn(ulong high, ulong low, IntPtr p);
    delegate int RegisterFn(IntPtr cb, IntPtr user);
    delegate int EventFn(IntPtr marker, IntPtr cb, IntPtr user);
    delegate void DescFn(IntPtr desc, IntPtr user);
    delegate void FrameFn(IntPtr user);
    delegate void EmitFn(IntPtr marker, ushort type, ushort n, IntPtr data, IntPtr user);

    [DllImport("tracetool-unity")] static extern void UnityPluginLoad(IntPtr interfaces);
    [DllImport("tracetool-unity")] static extern void UnityPluginUnload();

    static readonly List<Delegate> alive = new List<Delegate>();
    static IntPtr table, category, marker;
    static FrameFn frame;
    static EmitFn emit;
    static IntPtr frameUser, emitUser;

    static IntPtr Function(Delegate d)
    {
        alive.Add(d);
        return Marshal.GetFunctionPointerForDelegate(d);
    }

    static IntPtr Table(params IntPtr[] functions)
    {
        IntPtr p = Marshal.AllocHGlobal(functions.Length * IntPtr.Size);
        Marshal.Copy(functions, 0, p, functions.Length);
        return p;
    }

    static void Build()
    {
        category = Marshal.AllocHGlobal(16);
        Marshal.WriteInt32(category, 0, 1);
        Marshal.WriteInt32(category, 4, unchecked((int)0x30a0f0ffu));
        Marshal.WriteIntPtr(category, 8, Marshal.StringToHGlobalAnsi("Scripts"));
        marker = Marshal.AllocHGlobal(32);
        Marshal.WriteIntPtr(marker, 0, IntPtr.Zero);
        Marshal.WriteInt32(marker, 8, 77);
        Marshal.WriteInt16(marker, 12, 2);
        Marshal.WriteInt16(marker, 14, 1);
        Marshal.WriteIntPtr(marker, 16, Marshal.StringToHGlobalAnsi("Player.Update"));
        Marshal.WriteIntPtr(marker, 24, IntPtr.Zero);

        IntPtr none = Function(new RegisterFn((cb, user) => 0));
        IntPtr noEvent = Function(new EventFn((m, cb, user) => {
            emit = null;
            return 0;
        }));
        table = Table(
            Function(new RegisterFn((cb, user) => {
                ((DescFn)Marshal.GetDelegateForFunctionPointer(cb, typeof(DescFn)))(category, user);
                return 0;
            })), none,
            Function(new RegisterFn((cb, user) => {
                ((DescFn)Marshal.GetDelegateForFunctionPointer(cb, typeof(DescFn)))(marker, user);
                return 0;
            })), none,
            Function(new EventFn((m, cb, user) => {
                emit = (EmitFn)Marshal.GetDelegateForFunctionPointer(cb, typeof(EmitFn));
                emitUser = user;
                return 0;
            })), noEvent,
            Function(new RegisterFn((cb, user) => {
                frame = (FrameFn)Marshal.GetDelegateForFunctionPointer(cb, typeof(FrameFn));
                frameUser = user;
                return 0;
            })),
            Function(new RegisterFn((cb, user) => {
                frame = null;
                return 0;
            })), none, none, none, none);
    }

    static void Frame()
    {
        if (frame != null)
            frame(frameUser);
    }

    public static bool Wait(TracetoolState want)
    {
        for (int i = 0; i < 500 && Tracetool.State != want; i++) {
            Frame();
            Thread.Sleep(10);
        }
        return Tracetool.State == want;
    }

    public static void Load()
    {
        Build();
        IntPtr get = Function(new GetFn((high, low) => high == 0x5DEB59E88F2D4571ul ? table : IntPtr.Zero));
        UnityPluginLoad(Table(IntPtr.Zero, IntPtr.Zero, get, Function(new AddFn((h, l, p) => { }))));
    }

    public static void Run(string file, Action<bool, string> check)
    {
        Load();
        check(Tracetool.HasProfiler, "HasProfiler");
        global::Run.Startup();
        check(Tracetool.Start(file) == TracetoolResult.Ok, "Start: " + Tracetool.Message);
        check(Tracetool.Start(file) == TracetoolResult.WrongState, "a second Start is refused");
        check(Wait(TracetoolState.Capturing), "the capture begins: " + Tracetool.Message);

        for (int i = 0; i < 60; i++) {
            if (i == 20)
                SceneManager.StubLoad("Level", 1);
            if (i == 30)
                Tracetool.Label("boss \u00b5");
            if (i == 40)
                Tracetool.Mark("shot");
            check(emit != null, "events are asked for in frame " + i);
            emit(marker, 0, 0, IntPtr.Zero, emitUser);
            Thread.Sleep(1);
            emit(marker, 1, 0, IntPtr.Zero, emitUser);
            // Every fourth frame the engine has nothing new; after that, two.
            if (i % 4 != 3) {
                Add(i);
                if (i % 4 == 0 && i > 0)
                    StubLoop.Timings.Insert(StubLoop.Timings.Count - 1, Timing(i - 1));
            }
            StubLoop.Frame();
            Frame();
        }
        check(StubLoop.RecordersAlive == 8, "recorders attached while capturing: " + StubLoop.RecordersAlive);
        TracetoolCounts c = Tracetool.Counts;
        check((c.Events == 0 || c.Events >= 120) && c.Dropped == 0 && c.Markers == 1 && c.Frames >= 60, string.Format(
            "counts: {0} events, {1} dropped, {2} markers, {3} frames", c.Events, c.Dropped, c.Markers, c.Frames));
        check(Tracetool.Stop() == TracetoolResult.Ok, "Stop");
        check(Wait(TracetoolState.Idle), "the capture ends");
        StubLoop.Frame();
        check(StubLoop.RecordersAlive == 0, "recorders attached after the capture: " + StubLoop.RecordersAlive);
        check(Tracetool.Counts.Bytes > 0, "bytes are written");

        // Facts are for every capture.
        check(Tracetool.Start(file + ".2") == TracetoolResult.Ok, "Start again: " + Tracetool.Message);
        check(Wait(TracetoolState.Capturing), "the second capture begins: " + Tracetool.Message);
        Tracetool.Stop();
        check(Wait(TracetoolState.Idle), "the second capture ends");
        UnityPluginUnload();
    }

    public static FrameTiming Timing(int i)
    {
        ulong start = 1000000000ul + 16666667ul * (ulong)i;
        return new FrameTiming {
            cpuFrameTime = 16.5 + i, gpuFrameTime = 8,
            cpuTimePresentCalled = start + 10000000, cpuTimeFrameComplete = start + 12000000,
            heightScale = 0.5f, widthScale = 0.75f, syncInterval = (uint)i % 3,
#if UNITY_2022_1_OR_NEWER
            cpuMainThreadFrameTime = 9.25, cpuMainThreadPresentWaitTime = 5.5, cpuRenderThreadFrameTime = 4.125,
            frameStartTimestamp = start, firstSubmitTimestamp = start + 1000000,
#endif
        };
    }

    public static void Add(int i)
    {
        StubLoop.Timings.Add(Timing(i));
    }
}
