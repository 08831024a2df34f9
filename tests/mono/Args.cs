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
			Locals(9);
			Numbers(-5, 200, -70000, 4000000000, -9000000000, 0.25f, 1.5);
			new Shown().Texts("grün 終", null, 'x');
			Objects(new Thing(), new Point { X = 1, Y = 2 }, Kind.Some, true);
			Result(21);
			try {
				Result(-1);
			} catch (ArgumentException) {
			}
		}
	}
}
