// Domains that come and go: what is defined in one, such as the class of an exception, may have the address of what an earlier one defined.
using System;

class E0 : Exception {}
class E1 : Exception {}
class E2 : Exception {}
class E3 : Exception {}

class Part : MarshalByRefObject
{
	public void Raise(int which)
	{
		Exception e;

		switch (which) {
		case 0: e = new E0(); break;
		case 1: e = new E1(); break;
		case 2: e = new E2(); break;
		default: e = new E3(); break;
		}
		for (int i = 0; i < 10; i++) {
			try {
				throw e;
			} catch (Exception) {
			}
		}
	}
}

class Reuse
{
	static void Main()
	{
		for (int i = 0; i < 24; i++) {
			var d = AppDomain.CreateDomain("part " + i);
			((Part)d.CreateInstanceAndUnwrap(typeof(Part).Assembly.FullName, "Part")).Raise(i % 4);
			AppDomain.Unload(d);
		}
	}
}
