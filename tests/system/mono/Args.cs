// Arguments, locals and results of every kind, each with a value that is easily found again.
using System;
using System.Runtime.CompilerServices;

class Shown {
	public class Thing { public int Value; }
	public struct Point { public int X, Y; }
	public enum Kind : short { None, Some = 7 }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static int Numbers(sbyte a, byte b, int c, uint d, long e, float f, double g) { return a + b; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public int Texts(string a, string b, char c) { return c; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Objects(Thing a, Point b, Kind c, bool d) { }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Alike(string a, string b, bool c, int d, string e, bool f, object g) { }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Maybe(int? a, int? b, bool? c, decimal? d, Point? e, Kind? f, ref long? g) { }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static decimal Money(decimal a, decimal b, decimal c, decimal d, decimal e) { return a + d; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static string Result(int n) {
		if (n < 0)
			throw new ArgumentException("n");
		int twice = n * 2;
		return "result of " + twice;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static double Locals(int n) {
		sbyte a = (sbyte)-n;
		long b = n * 1000000007L;
		double c = n / 4.0;
		string d = "local " + n;
		Thing e = new Thing();
		Point f = new Point { X = n };
		bool g = n > 3;
		Thing h = null;
		ushort[] i = new ushort[n];
		if (g)
			c += a + b + d.Length + e.Value + f.X + i.Length;
		for (int j = 0; j < 5; j++)
			c += j;
		return h == null ? c : 0;
	}

	static class Program {
		static void Main() {
			More.Run();
			Locals(9);
			Numbers(-5, 200, -70000, 4000000000, -9000000000, 0.25f, 1.5);
			new Shown().Texts("grün 終", null, 'x');
			Objects(new Thing(), new Point { X = 1, Y = 2 }, Kind.Some, true);
			Result(21);
			long? g = 1L << 40;
			Alike(null, "null", true, 1, "true", false, null);
			Maybe(79, null, false, 1.50m, new Point(), Kind.Some, ref g);
			Money(1.50m, -0.000001m, decimal.MaxValue, 12345678901234567890m, 0m);
			try {
				Result(-1);
			} catch (ArgumentException) {
			}
		}
	}
}

// Of every kind that a method's signature can have.
unsafe class More {
	public enum Wide : long { Far = 1L << 40 }
	public struct Spot {
		public int X;
		[MethodImpl(MethodImplOptions.NoInlining)] public int Own(int a) { return X + a; }
	}
	public class Kept<T> { public T Value; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Kinds(ref int a, int *b, IntPtr c, UIntPtr d, int? e, Kept<int> f, object g, object h, Wide i, string j, short k,
	    ushort l, ulong m) { }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static int Many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n, int o, int p,
	    int q, int r, int s, int t, int u, int v, int w, int x, int y, int z) { return z; }

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Refer(ref string a, ref long b, out int c, ref Spot d, out string e) { c = a.Length; e = a; }

	[MethodImpl(MethodImplOptions.NoInlining)] public static void Nothing() { }
	[MethodImpl(MethodImplOptions.NoInlining)] public static Spot Made(int n) { return new Spot { X = n }; }
	[MethodImpl(MethodImplOptions.NoInlining)] public static object Boxed(int n) { return "boxed " + n; }

	public static void Run() {
		int a = 4711;
		Kinds(ref a, (int *)0x1230, (IntPtr)(-77), (UIntPtr)78, 79, new Kept<int>(), "an object's text", null, Wide.Far,
		    new string('L', 1000), -300, 65000, 18000000000000000000);
		Many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26);
		string text = "a text", taken;
		long twelve = 12;
		Spot spot = new Spot { X = 5 };
		Refer(ref text, ref twelve, out a, ref spot, out taken);
		Nothing();
		Made(81).Own(82);
		Boxed(83);
	}
}
