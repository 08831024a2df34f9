// A method that asks for a collection every 40th frame, and allocates more than all others: most collections that nobody asks for start in it, too.
using System;
using System.Runtime.CompilerServices;

class Entry
{
	public Entry next, other;
}

static class Save
{
	static Entry last;
	static int n;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Flush(int frame)
	{
		for (int i = 0; i < 1500; i++) {
			last = new Entry { next = last };
			if (++n % 60000 == 0)
				last = null;
		}
		if (frame % 40 == 0)
			GC.Collect();
	}
}

static class Game
{
	static double sum;

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Tick(int frame)
	{
		for (int i = 0; i < 100000; i++)
			sum += Math.Sqrt(i + frame);
		Save.Flush(frame);
	}

	static void Main()
	{
		for (int frame = 1; frame <= 600; frame++)
			Tick(frame);
	}
}
