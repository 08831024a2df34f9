// Methods that short names show alike: by arguments, by class, by namespace. Tick() is a frame.
using System;
using System.Runtime.CompilerServices;

namespace Far {
	class Game {
		public static double Sum;

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static void Work(int n) { Sum += n; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static void Work(string s) { Sum += s.Length; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		public static void Work() { Sum++; }
	}
}

class Game {
	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Work(int n) { Far.Game.Sum += n; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Work(int[] a, ref string s) { Far.Game.Sum += a.Length + s.Length; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Tick()
	{
		string s = "abc";

		Work(1000);
		Work(new int[3], ref s);
		Far.Game.Work(7);
		Far.Game.Work(s);
		Far.Game.Work();
	}

	static void Main()
	{
		for (int i = 0; i < 40; i++)
			Tick();
		Console.WriteLine(Far.Game.Sum > 0);
	}
}
