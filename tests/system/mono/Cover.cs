// Each line with code says behind "//=" how often it runs, and where the argument makes it another number, which.
// Arguments: none; "throw" for an end by an exception; "wait" for whoever kills it; "failfast", some seconds later;
// "slow" for an end after some seconds, through which something runs.
using System;
using System.Collections.Generic;
using System.Threading;

static class Numbers
{
	public static int Sum(int n)
	{ //= 2
		int s = 0; //= 2
		for (int i = 0; i < n; i++) { //= 15
			if (i % 2 == 0) //= 13
				s += i; //= 7
			else
				s -= 1; //= 6
			if (i > 1000) //= 13
				throw new InvalidOperationException(); //= 0
		} //= 13
		return s; //= 2
	} //= 2

	public static int Never(int n)
	{ //= 0
		return n + 1; //= 0
	} //= 0
}

class Pool<T>
{
	readonly List<T> free = new List<T>(); //= 2

	public void Put(T t)
	{ //= 3
		free.Add(t); //= 3
	} //= 3

	public static U Same<U>(U u)
	{ //= 3
		return u; //= 3
	} //= 3

	public void Unused()
	{ //= 0
		free.Clear(); //= 0
	} //= 0
}

class Program
{
	static int Count { get; set; } //= 10

	static IEnumerable<int> Three()
	{ //= 1
		yield return 1; //= 1
		yield return 2; //= 1
		yield return 3; //= 1
	} //= 1

	static void Catch()
	{ //= 1
		try { //= 1
			int.Parse("no number"); //= 1
			Count = 100; //= 0
		} catch (FormatException) { //= 1
			Count = 0; //= 1
		} finally { //= 1
			Count += 1; //= 1
		} //= 1
	} //= 1

	static void Main(string[] args)
	{ //= 1
		Console.WriteLine(Numbers.Sum(10) + Numbers.Sum(3)); //= 1
		var numbers = new Pool<int>(); //= 1
		numbers.Put(Pool<int>.Same(1)); //= 1
		numbers.Put(Pool<string>.Same(2)); //= 1
		new Pool<string>().Put(Pool<int>.Same("three")); //= 1
		foreach (int i in Three()) //= 4
			Count += i; //= 3
		Catch(); //= 1
		Func<int, int> twice = x => x * 2; //= 3
		Console.WriteLine(twice(twice(Count))); //= 1
		if (args.Length > 0) //= 1
			End(args[0]); //= 0 wait=1 failfast=1 slow=1
	} //= 1 wait=0 failfast=0

	static void End(string how)
	{ //= 0 wait=1 failfast=1 slow=1
		Console.WriteLine("ending"); //= 0 wait=1 failfast=1 slow=1
		Console.Out.Flush(); //= 0 wait=1 failfast=1 slow=1
		if (how == "throw") //= 0 wait=1 failfast=1 slow=1
			throw new Exception("asked for"); //= 0
		if (how == "wait") //= 0 wait=1 failfast=1 slow=1
			Thread.Sleep(Timeout.Infinite); //= 0 wait=1
		for (int i = 0; i < 45; i++) //= 0 failfast=46 slow=46
			Thread.Sleep(100); //= 0 failfast=45 slow=45
		if (how == "failfast") //= 0 failfast=1 slow=1
			Environment.FailFast("failed as asked"); //= 0 failfast=1
	} //= 0 slow=1
}
