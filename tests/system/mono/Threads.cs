// What several threads do to one thing: they make, move, lock and free it. It prints where its objects were and are.
//
//     Threads.exe          objects and a lock of one thread, moved by a collection of another; handles that another thread frees
//     Threads.exe names    threads that allocate, and others after them that do nothing
using System;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Kept { public long a; }
class Lock { public long a; }

static class Threads
{
	const int Objects = 10, Handles = 300, Pairs = 20;
	static Kept[] kept = new Kept[Objects];
	static Lock shared;
	static long[] was = new long[Objects + 1];
	static object garbage;
	static volatile bool held;

	static unsafe long Address(object o)
	{
		TypedReference r = __makeref(o);
		return *(long *)((IntPtr *)&r)[1];
	}

	static void On(string name, ThreadStart what)
	{
		var t = new Thread(what) { Name = name };
		t.Start();
		t.Join();
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Make(int from, int to)
	{
		for (int i = from; i < to; i++) {
			kept[i] = new Kept();
			was[i] = Address(kept[i]);
		}
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeAndEnd()
	{
		Make(0, Objects / 2);
		shared = new Lock();
		was[Objects] = Address(shared);
	}

	static void MakeAndStay(ManualResetEvent made, ManualResetEvent end)
	{
		Make(Objects / 2, Objects);
		made.Set();
		end.WaitOne();
	}

	static void Waste(int n)
	{
		for (int i = 0; i < n; i++)
			garbage = new byte[64];
	}

	// Another thread has the lock until this one waits for it, which is all that this one waits for.
	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Fight()
	{
		var me = Thread.CurrentThread;
		held = false;
		var other = new Thread(() => {
			lock (shared) {
				held = true;
				while ((me.ThreadState & ThreadState.WaitSleepJoin) == 0)
					Thread.Sleep(1);
			}
		}) { Name = "Holder" };
		other.Start();
		while (!held)
			Thread.Yield();
		lock (shared)
			garbage = null;
		other.Join();
	}

	static void Free(int n)
	{
		var queue = new BlockingCollection<GCHandle>();
		var freer = new Thread(() => {
			for (int i = 0; i < n; i++)
				queue.Take().Free();
		}) { Name = "Freer" };
		freer.Start();
		for (int i = 0; i < Handles; i++) {
			var h = GCHandle.Alloc(garbage, GCHandleType.Weak);
			if (i < n)
				queue.Add(h);
		}
		freer.Join();
	}

	static void Names()
	{
		for (int i = 0; i < Pairs; i++) {
			On("Maker" + i, () => {
				for (int k = 0; k < 100; k++)
					garbage = new int[10];
			});
			On("Idler" + i, () => Thread.Sleep(1));
		}
	}

	static void Main(string[] args)
	{
		if (args.Length > 0) {
			Names();
			return;
		}
		Waste(1000);
		On("Maker", MakeAndEnd);
		ManualResetEvent made = new ManualResetEvent(false), end = new ManualResetEvent(false);
		var stays = new Thread(() => MakeAndStay(made, end)) { Name = "Stayer" };
		stays.Start();
		made.WaitOne();
		Fight();
		Waste(1000);
		GC.Collect();
		Fight();
		On("Fighter", Fight);
		Free(Handles - 7);
		end.Set();
		stays.Join();
		for (int i = 0; i < Objects; i++)
			Console.WriteLine("kept {0:x} {1:x}", was[i], Address(kept[i]));
		Console.WriteLine("lock {0:x} {1:x}", was[Objects], Address(shared));
	}
}
