// A game with a frame of 4 ms, and one thing planted into it: arguments KIND, EXTRA in ms, SEED, FILE to load. Of several things in the same
// frames, KIND and EXTRA are lists with + between. At the end it prints
// which frames had it, and which took longer than the game meant them to, because the machine was busy: what a frame should take is
// known, for its parts end at times that were set beforehand. The causes.py beside this file says what the kinds are.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

public static class Game
{
	public const int Frames = 150, Every = 15;

	public static string kind;              // the first
	public static double extra;             // of it
	static string[] kinds;
	static string[] extras;
	public static bool now;                 // this frame has it

	static void Tick(int frame)
	{
		Clock.Begin();
		if (Has("processors"))
			Jobs.Begin();
		Input.Poll();
		Ai.Step();
		Physics.Step();
		Net.Receive();
		Ui.Bind(frame);
		Audio.Mix();
		Emitter.Step();
		Assets.Update();
		World.Update();
		Renderer.Draw();
	}

	public static bool Has(string what) { return now && Array.IndexOf(kinds, what) >= 0; }

	// How much longer it is to take; 0: it is not planted.
	public static double Extra(string what)
	{
		int i = Array.IndexOf(kinds, what);
		return i < 0 ? 0 : double.Parse(extras[i], CultureInfo.InvariantCulture);
	}

	static bool Planted(int frame)
	{
		switch (kind) {
		case "quiet": return false;
		case "compiled": return frame == Frames / 2;
		case "processors": return frame >= 60 && frame < 90;
		case "growth": case "leak": case "collection": return true;
		default: return frame % Every == 9;
		}
	}

	public static int Main(string[] args)
	{
		bool[] planted = new bool[Frames];
		double[] late = new double[Frames];
		kinds = args[0].Split('+');
		extras = args[1].Split('+');
		kind = kinds[0];
		extra = Extra(kind);
		Clock.Seed(int.Parse(args[2]), kind == "processors");
		Assets.path = args[3];
		Thread.CurrentThread.Name = "Main";
		new Thread(Save.Run) { Name = "Save", IsBackground = true }.Start();
		new Thread(Jobs.Work) { Name = "Job", IsBackground = true }.Start();
		Save.Prepare();
		Emitter.Prepare();
		Level.Prepare();
		for (int i = 0; i < 2 * Every; i++) {           // all is compiled, but what is to be compiled later
			now = kind != "compiled" && (i == 9 || kind == "collection");
			Tick(i);
		}
		Ai.Forget();
		Net.Forget();
		Tracetool.Start();
		for (int i = 0; i < Frames; i++) {
			now = Planted(i);
			Tick(i);
			if (Has("outside"))
				Clock.Spend(extra);
			planted[i] = now;
			late[i] = Clock.Late();
		}
		Tracetool.Stop();
		for (int i = 0; i < Frames; i++) {
			if (planted[i])
				Console.WriteLine("planted {0}", i + 1);
			if (late[i] > 0.2)
				Console.WriteLine("late {0}", i + 1);
		}
		return 0;
	}
}

static class Clock
{
	static readonly double tick = 1000.0 / Stopwatch.Frequency;
	static double due, began;
	static bool own;
	static Random random;

	struct Time { public long seconds, nanoseconds; }

	[DllImport("libc")] static extern int clock_gettime(int clock, out Time time);

	public static double Now { get { return Stopwatch.GetTimestamp() * tick; } }

	// Parts of a frame end at times that were set or, with each, after so much processor time of their thread, which is longer where
	// another thread works, too.
	public static void Seed(int seed, bool each)
	{
		random = new Random(seed);
		own = each;
	}

	// Processor time of the calling thread.
	static double Own()
	{
		Time t;
		clock_gettime(3, out t);
		return t.seconds * 1e3 + t.nanoseconds / 1e6;
	}

	public static void Begin() { due = Now; }

	// So long, give or take a few percent.
	public static void About(double ms) { Spend(ms * (0.98 + 0.04 * random.NextDouble())); }

	public static void Spend(double ms)
	{
		if (own) {
			for (double until = Own() + ms; Own() < until;)
				;
			due = Now;
			return;
		}
		due += ms;
		while (Now < due)
			;
	}

	// What lies between takes as long as it takes.
	public static void Enter() { began = Now; }
	public static void Leave() { due += Now - began; }
	public static bool Within(double ms) { return Now - began < ms; }

	// How much longer than meant the frame has been.
	public static double Late() { return Now - due; }
}

static class Input
{
	public static void Poll()
	{
		Clock.About(0.2);
		if (!Game.Has("wait"))
			return;
		Clock.Enter();
		Thread.Sleep((int)Math.Ceiling(Game.extra + 0.5));        // the runtime wakes it up to a millisecond early
		Clock.Leave();
	}
}

static class Ai
{
	static int seen;

	public static void Step()
	{
		int calls = 6 + (Game.Has("calls") ? (int)Math.Round(Game.Extra("calls") / 0.1) : 0);
		for (int i = 0; i < calls; i++)
			Path(i);
		Sense();
	}

	static void Path(int i)
	{
		Clock.About(0.1);
		if (i == 3 && Game.Has("slow_call"))
			Clock.Spend(Game.Extra("slow_call"));
	}

	static void Sense()
	{
		Clock.About(0.1);
		if (Game.Has("growth"))
			Clock.Spend(Game.extra * seen++ / Game.Frames);
	}

	public static void Forget() { seen = 0; }
}

static class Physics
{
	public static void Step() { Clock.About(0.7); }
}

static class Net
{
	static readonly List<byte[]> kept = new List<byte[]>();
	static byte[] last;

	public static void Receive()
	{
		Clock.About(0.2);
		if (Game.Extra("drip") > 0)                             // in all frames
			for (int i = 0; i < 100; i++)
				last = new byte[1000];
		if (Game.Has("allocation")) {
			Clock.Enter();
			for (int i = 0; i < 6000 && Clock.Within(Game.extra); i++)
				last = new byte[1000];
			Clock.Leave();
		}
		if (Game.Has("leak")) {
			Clock.Enter();
			for (int i = 0; i < 25 * Game.extra; i++)       // 100 KB for each ms of the others
				kept.Add(new byte[4000]);
			Clock.Leave();
		}
	}

	public static void Forget() { kept.Clear(); }
}

static class Ui
{
	public static void Bind(int frame)
	{
		for (int i = 0; i < 4; i++)
			Label(frame, i);
		Clock.About(0.3);
		if (!Game.Has("exceptions"))
			return;
		Clock.Enter();
		while (Clock.Within(Game.extra))
			Read("score");
		Clock.Leave();
	}

	static string Label(int frame, int i) { return "row " + i + ": " + frame * i; }

	static int Read(string s)
	{
		try {
			throw new FormatException(s);
		} catch (FormatException) {
			return 0;
		}
	}
}

static class Audio
{
	public static void Mix() { Clock.About(0.3); }
}

// Many small objects in each frame, of which some live for the next frames.
static class Emitter
{
	static readonly object[][] kept = new object[Game.Every][];
	static double share;
	static int at;

	// How many have to live, so that a collection takes the time that is asked for.
	public static void Prepare()
	{
		if (Game.kind != "collection")
			return;
		double with = 0, without = 0;
		share = 1;
		for (int i = 0; i < 6 * Game.Every; i++) {
			int before = GC.CollectionCount(0);
			double from = Clock.Now;
			Emit();
			if (GC.CollectionCount(0) == before)
				without = Math.Max(without, Clock.Now - from);
			else if (i > 2 * Game.Every)
				with = Math.Max(with, Clock.Now - from);
		}
		share = Math.Min(1, Game.extra / Math.Max(with - without, 0.001));
	}

	public static void Step()
	{
		Clock.About(0.2);
		if (!Game.Has("collection"))
			return;
		Clock.Enter();
		Emit();
		Clock.Leave();
	}

	static void Emit()
	{
		object[] all = null;
		for (int i = 0; i < 1000; i++) {
			object[] s = new object[30];
			if (i < 1000 * share) {
				s[0] = all;
				all = s;
			}
		}
		kept[at++ % kept.Length] = all;
	}
}

static class Assets
{
	public static string path;
	static readonly byte[] part = new byte[65536];

	public static void Update()
	{
		Clock.About(0.1);
		if (Game.Has("loading"))
			Load();
		if (Game.Has("compiled")) {
			Clock.Enter();
			Level.Build();
			Clock.Leave();
		}
	}

	static void Load()
	{
		Clock.Enter();
		while (Clock.Within(Game.extra)) {
			using (FileStream f = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 1)) {
				while (Clock.Within(Game.extra) && f.Read(part, 0, part.Length) > 0)
					;
			}
		}
		Clock.Leave();
	}
}

// Methods that take long to compile: into each the calls of Bits are compiled, and into those theirs. Which of them takes as long as is
// asked for on this machine is found with others of their kind, which are compiled before the capture begins.
static class Level
{
	static readonly Func<int, int>[] probes = { Probe1, Probe2, Probe3 };
	static readonly int[] sizes = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
	static readonly Func<int, int>[] parts = { Part1, Part2, Part3, Part4, Part6, Part8, Part12, Part16, Part24, Part32 };
	static Func<int, int> chosen;
	static int seen;

	public static void Prepare()
	{
		double least = double.MaxValue;
		if (Game.kind != "compiled")
			return;
		foreach (Func<int, int> probe in probes) {
			double from = Clock.Now;
			seen = probe(seen);
			least = Math.Min(least, Clock.Now - from);
		}
		int i = 0;
		while (i + 1 < sizes.Length && sizes[i] * least < Game.extra)
			i++;
		chosen = parts[i];
	}

	public static void Build() { seen = chosen(seen); }

	static int Probe1(int x) { return Bits.D(x); }
	static int Probe2(int x) { return Bits.D(x); }
	static int Probe3(int x) { return Bits.D(x); }
	static int Part1(int x) { return Bits.D(x); }
	static int Part2(int x) { return Bits.D(Bits.D(x)); }
	static int Part3(int x) { return Bits.D(Bits.D(Bits.D(x))); }
	static int Part4(int x) { return Bits.E(x); }
	static int Part6(int x) { return Bits.E(Bits.D(Bits.D(x))); }
	static int Part8(int x) { return Bits.E(Bits.E(x)); }
	static int Part12(int x) { return Bits.E(Bits.E(Bits.E(x))); }
	static int Part16(int x) { return Bits.F(x); }
	static int Part24(int x) { return Bits.F(Bits.E(Bits.E(x))); }
	static int Part32(int x) { return Bits.F(Bits.F(x)); }
}

static class Bits
{
	const MethodImplOptions Inline = (MethodImplOptions)256;

	[MethodImpl(Inline)] static int A(int x) { return x * 31 + 7 ^ x >> 3; }
	[MethodImpl(Inline)] static int B(int x) { return A(A(A(A(x)))); }
	[MethodImpl(Inline)] static int C(int x) { return B(B(B(B(x)))); }
	[MethodImpl(Inline)] public static int D(int x) { return C(C(C(C(x)))); }
	[MethodImpl(Inline)] public static int E(int x) { return D(D(D(D(x)))); }
	[MethodImpl(Inline)] public static int F(int x) { return E(E(E(E(x)))); }
}

static class World
{
	static readonly object state = new object();

	public static void Update()
	{
		Clock.About(0.1);
		if (Game.Has("collect"))
			Save.Flush();
		if (!Game.Has("lock"))
			return;
		Clock.Enter();
		Save.Begin(state);
		Save.wanted = true;
		lock (state)
			Save.wanted = false;
		Clock.Leave();
	}
}

static class Save
{
	static readonly AutoResetEvent begin = new AutoResetEvent(false), holds = new AutoResetEvent(false), write = new AutoResetEvent(false);
	static readonly List<object[]> entries = new List<object[]>();
	static object state;
	public static volatile bool wanted;
	static string label;

	// As many live objects as a collection needs to take the time that is asked for.
	public static void Prepare()
	{
		const int many = 100000;
		double least = double.MaxValue;
		double extra = Game.Extra("collect");
		if (extra == 0)
			return;
		for (int i = 0; i < many; i++)
			entries.Add(new object[] { new byte[24] });
		for (int i = 0; i < 4; i++) {
			double from = Clock.Now;
			GC.Collect();
			least = Math.Min(least, Clock.Now - from);
		}
		int n = (int)Math.Min(4 * many, many * extra / least);
		while (entries.Count < n)
			entries.Add(new object[] { new byte[24] });
		if (n < many)
			entries.RemoveRange(n, many - n);
		GC.Collect();
	}

	public static void Flush()
	{
		Clock.Enter();
		if (Game.Has("label"))
			label = "saved at " + Clock.Now;
		GC.Collect();
		Clock.Leave();
	}

	// The other thread has the lock when this comes back, and keeps it for so long from when it is wanted.
	public static void Begin(object what)
	{
		state = what;
		begin.Set();
		holds.WaitOne();
		write.Set();
	}

	public static void Run()
	{
		for (;;) {
			begin.WaitOne();
			lock (state) {
				holds.Set();
				write.WaitOne();
				while (!wanted)
					Thread.Yield();
				Write();
			}
		}
	}

	static void Write()
	{
		for (double until = Clock.Now + Game.extra; Clock.Now < until;)
			;
	}
}

static class Jobs
{
	static readonly AutoResetEvent begin = new AutoResetEvent(false);

	// In each frame as much work on another thread as the frame is to take longer, on a processor that both share.
	public static void Begin() { begin.Set(); }

	public static void Work()
	{
		for (;;) {
			begin.WaitOne();
			Run();
		}
	}

	static void Run() { Clock.Spend(Game.extra); }
}

static class Renderer
{
	public static void Draw() { Clock.About(1.7); }
}
