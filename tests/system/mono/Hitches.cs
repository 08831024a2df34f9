// A game of 60 frames a second with three kinds of hitch, for README.md: a level that is loaded while the game plays, a
// collection of garbage, and a lock that a saving thread holds. Argument: the number of frames. The level is there before
// recording starts (option paused, formats/recorder/mono/package/Tracetool.cs).
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

public class Game
{
	static readonly object world = new object();
	static readonly List<object[]> level = new List<object[]>();

	// Busy for so long, so that a frame takes what it takes also where timers are coarse.
	public static void Spin(double milliseconds)
	{
		long end = Stopwatch.GetTimestamp() + (long)(milliseconds * Stopwatch.Frequency / 1000);
		while (Stopwatch.GetTimestamp() < end)
			;
	}

	static void Tick(int frame)
	{
		long end = Stopwatch.GetTimestamp() + Stopwatch.Frequency / 60;
		lock (world)
			Enemies.Think(frame);
		Physics.Step();
		Hud.Draw(frame);
		if (frame % 60 == 25)
			Level.LoadTextures();
		if (frame % 60 == 40)
			Level.Unload(level);
		Renderer.DrawScene();
		double left = (end - Stopwatch.GetTimestamp()) * 1000.0 / Stopwatch.Frequency;
		if (left > 1)
			Thread.Sleep((int)left);
	}

	public static int Main(string[] args)
	{
		int frames = int.Parse(args[0]);
		Thread.CurrentThread.Name = "Main";
		new Thread(SaveGame.Run) { Name = "Saving", IsBackground = true }.Start();
		for (int i = 0; i < 400000; i++)
			level.Add(new object[] { new byte[40], i });
		GC.Collect();
		Tracetool.Start();
		for (int i = 0; i < frames; i++) {
			if (i % 60 == 50)
				SaveGame.Begin();
			Tick(i);
		}
		return 0;
	}

	static class SaveGame
	{
		static readonly SemaphoreSlim begin = new SemaphoreSlim(0), holds = new SemaphoreSlim(0);

		// Comes back when the other thread has the lock.
		public static void Begin()
		{
			begin.Release();
			holds.Wait();
		}

		public static void Run()
		{
			for (;;) {
				begin.Wait();
				lock (world) {
					holds.Release();
					Write();
				}
			}
		}

		static void Write() { Thread.Sleep(30); }
	}
}

static class Enemies
{
	public static void Think(int frame)
	{
		for (int i = 0; i < 3; i++)
			FindPath(i);
	}

	static void FindPath(int enemy) { Game.Spin(1.1); }
}

static class Physics
{
	public static void Step() { Game.Spin(1.9); }
}

static class Hud
{
	public static void Draw(int frame)
	{
		for (int i = 0; i < 8; i++)
			Label(frame, i);
		Game.Spin(0.6);
	}

	static string Label(int frame, int i) { return "enemy " + i + ": " + frame * i; }
}

static class Renderer
{
	public static void DrawScene() { Game.Spin(3.8); }
}

static class Level
{
	public static void LoadTextures()
	{
		for (int i = 0; i < 3; i++)
			Decode(i);
	}

	static void Decode(int texture) { Game.Spin(8.5); }

	public static void Unload(List<object[]> level)
	{
		level.RemoveRange(level.Count * 3 / 4, level.Count / 4);
		GC.Collect();
	}
}
