// A game of 10 ms frames for the gate: Update 4 ms, Draw 6 ms. Arguments: frames, and what got worse: "alloc" (16 KiB of
// garbage in every frame), "spin" (2 ms more), or nothing.
using System.Diagnostics;

public class Game
{
	static byte[] kept;
	static bool alloc, spin;

	// Busy, so that a frame takes what it takes also where timers are coarse.
	static void Work(long microseconds)
	{
		long end = Stopwatch.GetTimestamp() + microseconds * Stopwatch.Frequency / 1000000;
		while (Stopwatch.GetTimestamp() < end)
			;
	}

	static void Update() { Work(4000); }
	static void Draw() { Work(6000); }
	static void Garbage() { kept = new byte[16384]; }

	static void Spin()
	{
		long end = Stopwatch.GetTimestamp() + 2 * Stopwatch.Frequency / 1000;
		while (Stopwatch.GetTimestamp() < end)
			;
	}

	static void Frame()
	{
		Update();
		Draw();
		if (alloc)
			Garbage();
		if (spin)
			Spin();
	}

	public static int Main(string[] args)
	{
		int frames = int.Parse(args[0]);
		alloc = args.Length > 1 && args[1] == "alloc";
		spin = args.Length > 1 && args[1] == "spin";
		for (int i = 0; i < frames; i++)
			Frame();
		return kept == null ? 0 : 0;
	}
}
