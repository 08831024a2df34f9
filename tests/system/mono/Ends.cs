/* Ends as it is told: exit N | throw | failfast | kill | wait (for whoever ends it; says "ready" first). */
using System;
using System.Diagnostics;
using System.Threading;

class Ends
{
	static int Step(int i) { return i * 3 + 1; }

	static int Main(string[] args)
	{
		int n = 0;

		for (int i = 0; i < 50000; i++)
			n = Step(n);
		Console.WriteLine("ready");
		Console.Out.Flush();
		switch (args[0]) {
		case "exit": return int.Parse(args[1]);
		case "throw": throw new InvalidOperationException("thrown");
		case "failfast": Environment.FailFast("failed"); break;
		case "kill": Process.GetCurrentProcess().Kill(); break;
		case "wait": Thread.Sleep(Timeout.Infinite); break;
		}
		return n;
	}
}
