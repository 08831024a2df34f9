// Runs a program in domains of its own, one after another, which go before the end. Arguments: the program, how often.
using System;

static class Unload {
	static void Main(string[] a) {
		for (int i = 0; i < int.Parse(a[1]); i++) {
			var other = AppDomain.CreateDomain("other " + i);
			other.ExecuteAssembly(a[0], new string[0]);
			AppDomain.Unload(other);
		}
	}
}
