/* 200,000 objects that stay: a list through all of them, each with an array. */
using System;

class Garbage
{
	class Node
	{
		public Node Next;
		public int[] Data;
	}

	static Node first;

	static void Main()
	{
		for (int i = 0; i < 200000; i++)
			first = new Node { Next = first, Data = new int[i % 8] };
		Console.WriteLine(first.Data.Length);
	}
}
