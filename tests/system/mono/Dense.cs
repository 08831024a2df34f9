// Costs: loops that do nearly nothing but what is asked for. args: calls|alloc|game, how many rounds.
// Prints the wall time of the loop alone, in microseconds, and the processor time of its thread.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

static class Dense {
	static int sum;

	/* Six steps of a random generator: as little as a method that is worth calling does, some 3 ns a call. */
	[MethodImpl(MethodImplOptions.NoInlining)] static int Leaf(int i) {
		uint x = (uint)i | 1;
		for (int k = 0; k < 6; k++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
		}
		return (int)x;
	}
	[MethodImpl(MethodImplOptions.NoInlining)] static int Twig(int i) { return Leaf(i) + Leaf(i + 1); }
	[MethodImpl(MethodImplOptions.NoInlining)] static int Branch(int i) { return Twig(i) - Twig(i + 2); }

	static void Calls(int rounds) {
		for (int i = 0; i < rounds; i++)
			sum += Branch(i);
	}

	sealed class Node { public Node Next; public int Value; }

	static void Alloc(int rounds) {
		Node n = null;
		for (int i = 0; i < rounds; i++)
			n = new Node { Next = i % 64 == 0 ? null : n, Value = i };
		sum += n.Value;
	}

	/* A frame: some numbers crunched in loops, some calls, some garbage. */
	sealed class Body {
		public double X, Y, VX = 1, VY = 0.5;
		public void Step(double dt) {
			for (int i = 0; i < 40; i++) {
				X += VX * dt;
				Y += VY * dt;
				if (X > 100 || X < -100)
					VX = -VX;
				if (Y > 100 || Y < -100)
					VY = -VY;
			}
		}
	}

	static readonly List<Body> bodies = new List<Body>();

	static void Frame(int no) {
		foreach (var b in bodies)
			b.Step(0.016);
		var names = new List<string>();
		for (int i = 0; i < 20; i++)
			names.Add("body " + i);
		sum += names.Count + no;
	}

	static void Game(int rounds) {
		for (int i = 0; i < 200; i++)
			bodies.Add(new Body { X = i, Y = -i });
		for (int i = 0; i < rounds; i++)
			Frame(i);
	}

	struct Time { public long Seconds, Nanoseconds; }
	[DllImport("libc")] static extern int clock_gettime(int clock, ref Time t);

	static long ThreadMicroseconds() {
		const int CLOCK_THREAD_CPUTIME_ID = 3;
		var t = new Time();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, ref t);
		return t.Seconds * 1000000 + t.Nanoseconds / 1000;
	}

	static int Main(string[] a) {
		Action<int> loop = a[0] == "calls" ? (Action<int>)Calls : a[0] == "alloc" ? (Action<int>)Alloc : Game;
		int rounds = int.Parse(a[1]);
		loop(1);
		long before = ThreadMicroseconds();
		var w = Stopwatch.StartNew();
		loop(rounds);
		w.Stop();
		Console.WriteLine("{0} {1}", w.Elapsed.Ticks / 10, ThreadMicroseconds() - before);
		return sum == 42 ? 1 : 0;
	}
}
