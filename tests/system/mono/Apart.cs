// Domains that run the same methods. Each line with code says behind "//=" how often it is counted to run, as in Cover.cs. Arguments: none, for one domain after
// another; "return" for a domain that runs a method once more after another one compiled it, which is not counted, and then sleeps so many seconds; "other" for
// a program that another domain runs and takes with it.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Box<T>
{
	T last;

	public void Put(T t)
	{ //= 24 return=11 other=14
		last = t; //= 24 return=11 other=14
	} //= 24 return=11 other=14
}

class Runner : MarshalByRefObject
{
	public void Run(int n)
	{ //= 3 return=1 other=2
		for (int i = 0; i < n; i++) { //= 15 return=4 other=9
			Work.Do(i % 2 == 0); //= 12 return=3 other=7
			new Box<string>().Put(""); //= 12 return=3 other=7
			new Box<int>().Put(i); //= 12 return=3 other=7
		} //= 12 return=3 other=7
	} //= 3 return=1 other=2
}

static class Work
{
	static int done;

	[MethodImpl(MethodImplOptions.NoInlining)]
	public static void Do(bool even)
	{ //= 12 return=53 other=7
		if (even) //= 12 return=53 other=7
			done++; //= 7 return=52 other=4
		else
			done--; //= 5 return=1 other=3
	} //= 12 return=53 other=7

	static void Other(string name, int n)
	{ //= 2 return=1 other=0
		var domain = AppDomain.CreateDomain(name); //= 2 return=1 other=0
		((Runner)domain.CreateInstanceAndUnwrap(typeof(Runner).Assembly.FullName, "Runner")).Run(n); //= 2 return=1 other=0
		AppDomain.Unload(domain); //= 2 return=1 other=0
	} //= 2 return=1 other=0

	static void Here()
	{ //= 0 return=1
		for (int i = 0; i < 51; i++) { //= 0 return=52
			Do(true); //= 0 return=51
			if (i == 49) //= 0 return=51
				Other("between", 3); //= 0 return=1
		} //= 0 return=51
		for (int i = 0; i < 5; i++) //= 0 return=6
			new Box<string>().Put("late"); //= 0 return=5
	} //= 0 return=1

	static void Program(string path)
	{ //= 0 other=1
		var domain = AppDomain.CreateDomain("other"); //= 0 other=1
		new Runner().Run(3); //= 0 other=1
		domain.ExecuteAssembly(path, new string[0]); //= 0 other=1
		AppDomain.Unload(domain); //= 0 other=1
		new Runner().Run(4); //= 0 other=1
	} //= 0 other=1

	static void Main(string[] args)
	{ //= 1
		if (args.Length == 0) { //= 1
			Other("one", 3); //= 1 return=0 other=0
			Other("two", 4); //= 1 return=0 other=0
			new Runner().Run(5); //= 1 return=0 other=0
		} else if (args[0] == "other") { //= 1 return=1 other=1
			Program(args[1]); //= 0 other=1
		} else { //= 0 return=1 other=1
			Here(); //= 0 return=1
			Thread.Sleep(1000 * int.Parse(args[1])); //= 0 return=1
		} //= 0 return=1
	} //= 1
}
