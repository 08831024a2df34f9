// A thousand objects each of known sizes, for what a heap shot says of them: a header of 16 bytes and eight for each field.
using System;

class Fits48 { long a, b, c, d; }
class Wants104 { long a, b, c, d, e, f, g, h, i, j, k; }
class Wants112 { long a, b, c, d, e, f, g, h, i, j, k, l; }

static class Slots {
	static readonly object[] keep = new object[3000];

	static void Main() {
		for (int i = 0; i < 1000; i++) {
			keep[3 * i] = new Fits48();
			keep[3 * i + 1] = new Wants104();
			keep[3 * i + 2] = new Wants112();
		}
		// Out of the nursery, where objects lie close together.
		GC.Collect();
		GC.Collect();
		Console.WriteLine(keep.Length);
	}
}
