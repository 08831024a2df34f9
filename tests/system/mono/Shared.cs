// Helpers that all frames and threads call: who calls them for once makes a frame long. args: quest|sleep|jobs|scene|lock|rethrow|tree
using System;
using System.Runtime.CompilerServices;
using System.Threading;

static class Burn
{
	static double sum;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Spin(int n)
	{
		double x = 1;
		for (int i = 0; i < n; i++)
			x = x * 1.0000001 + 0.0000001;
		sum += x;
	}
}

static class Physics
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Step()
	{
		for (int i = 0; i < 500; i++)
			Burn.Spin(2000);
	}
}

static class Quests
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Evaluate()
	{
		for (int i = 0; i < 40; i++)
			Script();
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Script()
	{
		Burn.Spin(100000);
	}
}

static class Jobs
{
	public static readonly Semaphore Begin = new Semaphore(0, 100);

	public static void Run()
	{
		for (;;) {
			Begin.WaitOne();
			Bake();
		}
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Bake()
	{
		for (int i = 0; i < 20; i++)
			Burn.Spin(1000000);
	}
}

static class Keeper
{
	public static readonly object Gate = new object();

	public static void Run()
	{
		for (;;) {
			lock (Gate)
				Thread.Sleep(15);
			Thread.Sleep(60);
		}
	}
}

static class Tree
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static int Visit(int depth)
	{
		Burn.Spin(20000);
		return depth == 0 ? 0 : Visit(depth - 1) + 1;
	}
}

static class Loader
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Parse(int n)
	{
		for (int i = 0; i < n; i++)
			try {
				try {
					throw new FormatException();
				} catch (FormatException e) {
					throw new InvalidOperationException("", e);
				}
			} catch (InvalidOperationException) {
			}
		for (int i = 0; i < n / 2; i++)
			try {
				throw new FormatException();
			} catch (FormatException) {
			}
	}
}

static class Game
{
	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Tick(int frame, string kind)
	{
		Physics.Step();
		if (kind == "scene" && frame > 170)
			Physics.Step();
		if (kind == "quest" && frame % 70 == 34)
			Quests.Evaluate();
		if (kind == "sleep")
			Thread.Sleep(frame % 50 == 25 ? 20 : 2);
		if (kind == "lock")
			lock (Keeper.Gate)
				Burn.Spin(10000);
		if (kind == "tree" && frame % 70 == 34)
			Tree.Visit(200);
		if (kind == "rethrow" && frame % 50 == 25)
			Loader.Parse(1000);
		if (kind == "jobs" && frame % 60 == 30)
			Jobs.Begin.Release(4);
	}

	static void Main(string[] args)
	{
		for (int i = 0; i < 4 && args[0] == "jobs"; i++)
			new Thread(Jobs.Run) { IsBackground = true }.Start();
		if (args[0] == "lock")
			new Thread(Keeper.Run) { IsBackground = true, Name = "Keeper" }.Start();
		for (int frame = 1; frame <= 300; frame++)
			Tick(frame, args[0]);
	}
}
