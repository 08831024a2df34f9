/*
 * Spin MS [BUSY [IDLE]]: keeps BUSY threads at work for MS milliseconds each, three quarters of it in Heavy and one in
 * Light; IDLE threads wait meanwhile. The main thread is the first busy one. Spin Nr ...: for N rounds each, however
 * long they take.
 */
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

class Spin
{
	static volatile float sink;

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Heavy(int n)
	{
		double x = 1;

		for (int i = 0; i < n; i++)
			x = x * 1.0000001 + 1e-9;
		sink = (float)x;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Light(int n)
	{
		double x = 1;

		for (int i = 0; i < n; i++)
			x = x * 1.0000001 + 1e-9;
		sink = (float)x;
	}

	static void Work(int ms, int rounds)
	{
		Stopwatch watch = Stopwatch.StartNew();
		uint chance = 1;

		/* Rounds of one length, about that of the time between samples, would have these fall at the same place in many. */
		while (rounds > 0 ? rounds-- > 1 : watch.ElapsedMilliseconds < ms) {
			chance = chance * 1664525 + 1013904223;
			int n = 50000 + (int)(chance >> 8) % 100000;

			Heavy(3 * n);
			Light(n);
		}
	}

	static void Main(string[] args)
	{
		int ms = int.Parse(args[0].TrimEnd('r')), rounds = args[0].EndsWith("r") ? ms : 0;
		int busy = args.Length > 1 ? int.Parse(args[1]) : 1, idle = args.Length > 2 ? int.Parse(args[2]) : 0;
		ManualResetEvent end = new ManualResetEvent(false);
		Thread[] threads = new Thread[busy - 1];

		for (int i = 0; i < idle; i++) {
			Thread t = new Thread(() => end.WaitOne());
			t.Name = "Idle " + i;
			t.Start();
		}
		for (int i = 0; i < busy - 1; i++) {
			threads[i] = new Thread(() => Work(ms, rounds));
			threads[i].Name = "Busy " + i;
			threads[i].Start();
		}
		Work(ms, rounds);
		foreach (Thread t in threads)
			t.Join();
		end.Set();
	}
}
