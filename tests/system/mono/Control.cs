// Drives the module by its C# functions: Counted(n) is called a known number of times in each state.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Control {
	// What a program may do that calls the module itself.
	[DllImport("mono-profiler-tracetool")] static extern void tracetool_mono_label(byte[] text);
	[DllImport("mono-profiler-tracetool")] static extern void tracetool_mono_meta(byte[] key, byte[] value);

	static int sum;

	[MethodImpl(MethodImplOptions.NoInlining)] static void Before(int i) { sum += i; }
	[MethodImpl(MethodImplOptions.NoInlining)] static void During(int i) { sum += i; }
	[MethodImpl(MethodImplOptions.NoInlining)] static void After(int i) { sum += i; }

	static void Times(int n, Action<int> a) {
		for (int i = 0; i < n; i++)
			a(i);
	}

	static void Rounds(int n) {
		for (int i = 0; i < n; i++) {
			Times(10, Before);
			Tracetool.Start();
			Times(7, During);
			Tracetool.Stop();
			Times(10, After);
		}
	}

	static int Main(string[] a) {
		switch (a[0]) {
		case "api":
			Console.WriteLine("{0} {1}", Tracetool.Loaded, Tracetool.Now);
			Tracetool.Meta("level", "forêt");
			Rounds(int.Parse(a[1]));
			Tracetool.Start();
			Tracetool.Label("fin — 終");
			Console.WriteLine("{0} {1} {2}", Tracetool.Start(), Tracetool.Dump(), Tracetool.Flush(5000));
			return 0;
		case "labels":
			// Known calls under each label; one label is set while recording is paused.
			Tracetool.Label("menu");
			Times(3, Before);
			Tracetool.Label("boss fight");
			Times(5, During);
			Tracetool.Mark("half way");
			Times(5, During);
			Tracetool.Stop();
			Tracetool.Label("level=2");
			Tracetool.Start();
			Times(4, After);
			return 0;
		case "more":
			// What the module was asked to keep and shoot; nothing else.
			Tracetool.Meta("", "no key");
			Tracetool.Meta("a key", "a value");
			Tracetool.Label(null);
			tracetool_mono_label(null);
			tracetool_mono_meta(null, null);
			Tracetool.Flush(0);
			bool shot = Tracetool.Heapshot();
			GC.Collect();
			Console.WriteLine("{0} {1} {2} {3} {4}", shot, Tracetool.Dump(), Tracetool.Flush(5000), Tracetool.Stop(), Tracetool.Stop());
			return 0;
		case "threads":
			// Others call while recording is switched on and off.
			bool end = false;
			var threads = new Thread[3];
			for (int i = 0; i < threads.Length; i++) {
				threads[i] = new Thread(() => { while (!Volatile.Read(ref end)) Times(100, After); });
				threads[i].Start();
			}
			Rounds(int.Parse(a[1]));
			Volatile.Write(ref end, true);
			foreach (var t in threads)
				t.Join();
			return 0;
		case "lines":
			// Does what it is told: calls of During, and back.
			Console.WriteLine("ready");
			for (string line; (line = Console.ReadLine()) != null;) {
				Times(int.Parse(line), During);
				Console.WriteLine(Tracetool.Now);
			}
			return 0;
		}
		return 2;
	}
}
