// Heaps for causes.py: 100 frames, each with garbage. Arguments: what is kept, and after how many frames the program asks for a collection, how often.
// kept: more in each frame, by Game:Add; busy: the same, with more garbage; cache: as much, until frame 40; none.
using System;
using System.Collections.Generic;

class Kept { public long a, b; }

class Game
{
	static readonly List<object> kept = new List<object>();
	static object last;

	static void Add()
	{
		for (int i = 0; i < 2500; i++)
			kept.Add(new Kept());
	}

	static void Tick(bool keeps, int garbage)
	{
		if (keeps)
			Add();
		for (int i = 0; i < garbage; i++)
			last = new byte[4000];
	}

	static void Main(string[] args)
	{
		int every = int.Parse(args[1]), often = int.Parse(args[2]);

		for (int f = 1; f <= 100; f++) {
			Tick(args[0] == "kept" || args[0] == "busy" || (args[0] == "cache" && f <= 40), args[0] == "busy" ? 48 : 16);
			if (f % every == 0 && f <= every * often)
				GC.Collect();
		}
		GC.KeepAlive(kept);
	}
}
