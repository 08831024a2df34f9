// Heap.exe OBJECTS SHOTS: a heap of linked objects that grows, collected once a step: each is a heap shot.
using System;
using System.Collections.Generic;

class Node {
	public Node next, other;
	public object[] list;
	public string name;
	public int value;
}

class Leaf : Node {
	public byte[] data;
}

static class Heap {
	static List<Node> all = new List<Node>();

	static void Main(string[] args)
	{
		int objects = int.Parse(args[0]), shots = int.Parse(args[1]);
		var random = new Random(1);

		for (int shot = 0; shot < shots; shot++) {
			for (int i = 0; i < objects / shots; i++) {
				Node n = i % 3 == 0 ? new Leaf { data = new byte[random.Next(48)] } : new Node();
				n.value = i;
				if (all.Count > 0) {
					n.next = all[random.Next(all.Count)];
					n.other = all[all.Count - 1];
				}
				if (i % 4 == 0)
					n.name = "node " + i % 1000;
				if (i % 8 == 0)
					n.list = new object[] { n.next, n, n.other };
				all.Add(n);
			}
			GC.Collect();
		}
	}
}
