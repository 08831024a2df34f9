// Exceptions raised by compiled code, by "throw" and by the runtime: each way ten times, caught in the caller, in the method itself, or not.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

static class Raised {
	[MethodImpl(MethodImplOptions.NoInlining)] static int Index(int[] a, int i) { return a[i]; }
	[MethodImpl(MethodImplOptions.NoInlining)] static string Cast(object o) { return (string)o; }
	[MethodImpl(MethodImplOptions.NoInlining)] static int Overflow(int a) { return checked(a + 1); }
	[MethodImpl(MethodImplOptions.NoInlining)] static int Divide(int a, int b) { return a / b; }
	[MethodImpl(MethodImplOptions.NoInlining)] static int Null(int[] a) { return a.Length; }
	[MethodImpl(MethodImplOptions.NoInlining)] static void Store(object[] a, object o) { a[0] = o; }
	public static void Throw() { throw new ArgumentException("thrown"); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnIndex(int[] a, int i) { try { return a[i]; } catch (IndexOutOfRangeException) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnCast(object o) { try { return ((string)o).Length; } catch (InvalidCastException) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnOverflow(int a) { try { return checked(a + 1); } catch (OverflowException) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnDivide(int a, int b) { try { return a / b; } catch (DivideByZeroException) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnNull(int[] a) { try { return a.Length; } catch (NullReferenceException) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnStore(object[] a, object o) { try { a[0] = o; return 0; } catch (ArrayTypeMismatchException) { return 1; } }
	[MethodImpl(MethodImplOptions.NoInlining)]
	static int OwnThrow(int a) { try { if (a > 0) throw new ArgumentException("own"); return 0; } catch (ArgumentException) { return 1; } }

	static class Bad {
		static Bad() { throw new ArgumentException("type initializer"); }
		[MethodImpl(MethodImplOptions.NoInlining)] public static void Touch() { }
	}

	static int Try(Action f) { try { f(); return 0; } catch (Exception) { return 1; } }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int StartBetween() {
		try {
			try { Throw(); } finally { Tracetool.Start(); }
		} catch (ArgumentException) { return 1; }
		return 0;
	}

	static int Main(string[] args) {
		int n = 0, zero = 0;
		for (int i = 0; i < 10; i++) {
			switch (args[0]) {
			case "none": n++; break;
			case "index": n += Try(() => Index(new int[3], 5)); break;
			case "cast": n += Try(() => Cast(new object())); break;
			case "overflow": n += Try(() => Overflow(int.MaxValue)); break;
			case "divide": n += Try(() => Divide(5, zero)); break;
			case "null": n += Try(() => Null(null)); break;
			case "store": n += Try(() => Store(new string[1], new object())); break;
			case "throw": n += Try(Throw); break;
			case "own index": n += OwnIndex(new int[3], 5); break;
			case "own cast": n += OwnCast(new object()); break;
			case "own overflow": n += OwnOverflow(int.MaxValue); break;
			case "own divide": n += OwnDivide(5, zero); break;
			case "own null": n += OwnNull(null); break;
			case "own store": n += OwnStore(new string[1], new object()); break;
			case "own throw": n += OwnThrow(1); break;
			case "type initializer": n += Try(Bad.Touch); break;
			case "invoke": n += Try(() => typeof(Raised).GetMethod("Throw").Invoke(null, null)); break;
			case "start between": n += StartBetween(); break;
			}
		}
		Console.WriteLine(n);
		if (args[0] == "unhandled")
			Throw();
		if (args[0] == "unhandled in a thread") {
			var t = new Thread(Throw);
			t.Start();
			t.Join();
		}
		return 0;
	}
}
