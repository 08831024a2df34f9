/* What programs do that recorders stumble over; a known number of calls of each Mark... method says whether ours did.
   threads N | domains N | async N | finalizers N | recursion N | overflow | tail N | dynamic N | generics N | count */
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

public class Remote : MarshalByRefObject {
	[MethodImpl(MethodImplOptions.NoInlining)] public int MarkDomain(int n) { return n + 1; }
}

class Mortal {
	public static int Gone;
	~Mortal() { Interlocked.Increment(ref Gone); }
}

class Box<T> {
	public class Inner<U> { [MethodImpl(MethodImplOptions.NoInlining)] public static int MarkInner(T t, U u) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)] public static int MarkBox<V>(T t, V v) { return 1; }
}

static class Rough {
	static int sum;

	[MethodImpl(MethodImplOptions.NoInlining)] static int MarkThread(int n) { return n + 1; }
	[MethodImpl(MethodImplOptions.NoInlining)] static int MarkStep(int n) { return n + 1; }
	[MethodImpl(MethodImplOptions.NoInlining)] static int MarkAsync(int n) { return n + 1; }

	static void Threads(int n) {
		for (int i = 0; i < n; i += 20) {
			var some = new Thread[20];
			for (int k = 0; k < some.Length; k++) {
				some[k] = new Thread(o => Interlocked.Add(ref sum, MarkThread((int)o)), 128 << 10);
				some[k].Name = "t" + (i + k);
				some[k].Start(i + k);
			}
			foreach (var t in some)
				t.Join();
		}
	}

	static void Domains(int n) {
		for (int i = 0; i < n; i++) {
			var d = AppDomain.CreateDomain("domain " + i);
			var r = (Remote)d.CreateInstanceAndUnwrap(typeof(Remote).Assembly.FullName, "Remote");
			sum += r.MarkDomain(i);
			AppDomain.Unload(d);
		}
	}

	static async Task<int> Deep(int n) {
		await Task.Yield();
		int less = n > 0 ? await Deep(n - 1) : 0;
		if (n % 7 == 3) {
			try {
				await Fails(n);
			} catch (InvalidOperationException) {
				less++;
			}
		}
		return MarkAsync(less);
	}

	static async Task Fails(int n) {
		await Task.Yield();
		throw new InvalidOperationException("n " + n);
	}

	static void Finalizers(int n) {
		for (int i = 0; i < n; i++)
			new Mortal();
		for (int i = 0; i < 100 && Mortal.Gone < n - 1; i++) {
			GC.Collect();
			GC.WaitForPendingFinalizers();
		}
		Console.WriteLine(Mortal.Gone);
	}

	[MethodImpl(MethodImplOptions.NoInlining)] static int MarkRecursion(int n) { return n == 0 ? 0 : MarkRecursion(n - 1) + 1; }
	[MethodImpl(MethodImplOptions.NoInlining)] static int MarkEndless(int n) { return MarkEndless(n + 1) + 1; }

	/* static int MarkTail(int n) { return n == 0 ? 0 : tail MarkTail(n - 1); } */
	static void Tail(int n) {
		var a = AppDomain.CurrentDomain.DefineDynamicAssembly(new AssemblyName("Tails"), AssemblyBuilderAccess.Run);
		var t = a.DefineDynamicModule("Tails").DefineType("Tails", TypeAttributes.Public);
		var m = t.DefineMethod("MarkTail", MethodAttributes.Public | MethodAttributes.Static, typeof(int), new[] { typeof(int) });
		var il = m.GetILGenerator();
		var more = il.DefineLabel();
		il.Emit(OpCodes.Ldarg_0);
		il.Emit(OpCodes.Brtrue, more);
		il.Emit(OpCodes.Ldc_I4_0);
		il.Emit(OpCodes.Ret);
		il.MarkLabel(more);
		il.Emit(OpCodes.Ldarg_0);
		il.Emit(OpCodes.Ldc_I4_1);
		il.Emit(OpCodes.Sub);
		il.Emit(OpCodes.Tailcall);
		il.Emit(OpCodes.Call, m);
		il.Emit(OpCodes.Ret);
		t.CreateType().GetMethod("MarkTail").Invoke(null, new object[] { n });
	}

	static void Dynamic(int n) {
		for (int i = 0; i < n; i++) {
			var m = new DynamicMethod("MarkDynamic" + i % 10, typeof(int), new[] { typeof(int) }, typeof(Rough).Module);
			var il = m.GetILGenerator();
			il.Emit(OpCodes.Ldarg_0);
			il.Emit(OpCodes.Call, typeof(Rough).GetMethod("MarkStep", BindingFlags.Static | BindingFlags.NonPublic));
			il.Emit(OpCodes.Ret);
			sum += ((Func<int, int>)m.CreateDelegate(typeof(Func<int, int>)))(i);
			if (i % 100 == 99)
				GC.Collect();
		}
	}

	static int Main(string[] a) {
		int n = a.Length > 1 ? int.Parse(a[1]) : 0;
		switch (a[0]) {
		case "threads": Threads(n); break;
		case "domains": Domains(n); break;
		case "async": Console.WriteLine(Deep(n).Result); break;
		case "finalizers": Finalizers(n); break;
		case "recursion": Console.WriteLine(MarkRecursion(n)); break;
		case "overflow": return MarkEndless(0);
		case "tail": Tail(n); break;
		case "dynamic": Dynamic(n); break;
		case "generics":
			for (int i = 0; i < n; i++) {
				sum += Box<int>.MarkBox(1, "s") + Box<string>.MarkBox("s", 2) + Box<List<Remote>>.MarkBox(null, 0.5);
				sum += Box<int>.Inner<string>.MarkInner(1, "s") + Box<Mortal>.Inner<int[]>.MarkInner(null, null);
			}
			break;
		case "count":
			/* Says how many calls are behind it, till it is killed. */
			var to = Console.OpenStandardOutput();
			for (int i = 0;; i += 500) {
				for (int k = 0; k < 500; k++)
					sum += MarkStep(k);
				to.Write(BitConverter.GetBytes(i + 500), 0, 4);
			}
		default: return 2;
		}
		return 0;
	}
}
