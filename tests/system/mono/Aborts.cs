// Aborts inside the runtime, in the ways its crash handler must cope with: with a lock of the heap held ("heap"), or without ("plain").
using System;
using System.Runtime.InteropServices;
using System.Threading;

class Aborts
{
	[DllImport("libc")] static extern void abort();
	[DllImport("libc")] static extern IntPtr malloc(IntPtr n);
	[DllImport("libc")] static extern void free(IntPtr p);

	// As a program does that frees what it has freed: glibc finds it with the heap's lock held, and aborts.
	static void SpoilHeap()
	{
		var block = new IntPtr[64];
		for (int i = 0; i < block.Length; i++)
			block[i] = malloc((IntPtr)3000);
		for (int i = 0; i < block.Length; i += 2)
			free(block[i]);
		for (int i = 0; i < block.Length; i += 2)
			for (int at = -8; at < 64; at += 8)
				Marshal.WriteInt64(block[i], at, 0x4141414141414141);
		for (int i = 0; i < 1000; i++)
			malloc((IntPtr)(2000 + i * 16));
	}

	static int Main(string[] args)
	{
		Console.WriteLine("runs");
		Console.Out.Flush();
		if (args.Length > 0 && args[0] == "heap")
			SpoilHeap();
		else
			abort();
		return 0;
	}
}
