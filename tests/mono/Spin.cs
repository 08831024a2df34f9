/*
 * Spin MS [BUSY [IDLE]]: keeps BUSY threads at work for MS milliseconds each, three quarters of it in Heavy and one in
 * Light; IDLE threads wait meanwhile. The main thread is the first busy one.
 */
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

class Spin
{
	static double sink;

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Heavy(int n)
	{
		double x = 1;

		for (int i = 0; i < n; i++)
			x = x * 1.0000001 + 1e-9;
		sink = x;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Light(int n)
	{
		double x = 1;

		for (int i = 0; i < n; i++)
			x = x * 1.0000001 + 1e-9;
		sink = x;
	}

	static void Work(int ms)
	{
		Stopwatch watch = Stopwatch.StartNew();

		while (watch.ElapsedMilliseconds < ms) {
			Heavy(300000);
			Light(100000);
		}
	}

	static void Main(string[] args)
	{
		int ms = int.Parse(args[0]);
		int busy = args.Length > 1 ? int.Parse(args[1]) : 1, idle = args.Length > 2 ? int.Parse(args[2]) : 0;
		ManualResetEvent end = new ManualResetEvent(false);
		Thread[] threads = new Thread[busy - 1];

		for (int i = 0; i < idle; i++) {
			Thread t = new Thread(() => end.WaitOne());
			t.Name = "Idle " + i;
			t.Start();
		}
		for (int i = 0; i < busy - 1; i++) {
			threads[i] = new Thread(() => Work(ms));
			threads[i].Name = "Busy " + i;
			threads[i].Start();
		}
		Work(ms);
		foreach (Thread t in threads)
			t.Join();
		end.Set();
	}
}
