/* Churn N: N threads, a few at a time, each with some work and some garbage. */
using System;
using System.Threading;

class Churn
{
	static int total;

	static void Live()
	{
		object o = null;

		for (int i = 0; i < 2000; i++)
			o = new int[i % 16];
		GC.KeepAlive(o);
		Interlocked.Increment(ref total);
	}

	static void Main(string[] args)
	{
		int n = int.Parse(args[0]);
		Thread[] some = new Thread[8];

		for (int i = 0; i < n; i++) {
			if (some[i % 8] != null)
				some[i % 8].Join();
			some[i % 8] = new Thread(Live);
			some[i % 8].Start();
		}
		foreach (Thread t in some)
			t.Join();
		Console.WriteLine(total);
	}
}
