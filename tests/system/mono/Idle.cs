// A server that mostly waits: the main thread accepts, receives and joins, the others sleep.
using System;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

static class Idle {
	static int sum;
	public static int Work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
	public static string Text(int n) { var b = new StringBuilder(); for (int i = 0; i < n; i++) b.Append(i); return b.ToString(); }
	static void Reader(Socket s) { var b = new byte[16]; while (s.Receive(b) > 0) sum += Work(1000); }
	static void Sleeper() { for (int i = 0; i < 40; i++) { Thread.Sleep(60); sum += Work(1000); } }
	static void Client(object port) {
		Thread.Sleep(1500);
		var c = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
		c.Connect(new IPEndPoint(IPAddress.Loopback, (int)port));
		for (int i = 0; i < 10; i++) { Thread.Sleep(100); c.Send(new byte[] { 1 }); }
		c.Close();
	}
	static void Main() {
		var l = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
		l.Bind(new IPEndPoint(IPAddress.Loopback, 0));
		l.Listen(1);
		var sleeper = new Thread(Sleeper) { Name = "Sleeper" };
		sleeper.Start();
		new Thread(Client) { Name = "Client" }.Start(((IPEndPoint)l.LocalEndPoint).Port);
		Reader(l.Accept());
		sleeper.Join();
		for (int i = 0; i < 50; i++) sum += Text(200).Length;
		typeof(Idle).GetMethod("Work").Invoke(null, new object[] { 5 });
		Console.WriteLine(sum > 0);
	}
}
