// The game that README.md speaks of: frames that begin at Game:Tick, a few allocations each. args: frames, ms to sleep in each.
// With MORE defined it allocates half as much again.
using System;
using System.Collections.Generic;
using System.Threading;

static class Game
{
	static readonly List<byte[]> live = new List<byte[]>();

	static int Update(int n)
	{
#if MORE
		const int each = 6;
#else
		const int each = 4;
#endif
		for (int i = 0; i < each; i++)
			live.Add(new byte[64 + n % 7]);
		if (live.Count > 100)
			live.Clear();
		return live.Count;
	}

	static int Tick(int n)
	{
		int sum = 0;
		for (int i = 0; i < 5; i++)
			sum += Update(n + i);
		return sum;
	}

	static int Main(string[] args)
	{
		int sum = 0, frames = args.Length > 0 ? int.Parse(args[0]) : 200, ms = args.Length > 1 ? int.Parse(args[1]) : 0;
		Thread.CurrentThread.Name = "Main";
		for (int i = 0; i < frames; i++) {
			sum += Tick(i);
			if (ms > 0)
				Thread.Sleep(ms);
		}
		Console.WriteLine(sum > 0 ? "over" : "nothing");
		return 0;
	}
}
