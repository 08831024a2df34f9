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

	static class Program {
		static void Main() {
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
