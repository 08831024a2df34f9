// a little of everything that a table shows: threads with and without a name, one after the other and so under one id; domains; large
// and small objects, finalizers, handles; locks; exceptions thrown and raised by compiled code; a thread that sleeps
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
class Fin { ~Fin () { P.Done++; } }
class Node { public Node Next; public int [] Load; }
public class Plug : MarshalByRefObject { public int Work (int n) { var l = new List<Plug> (); for (int i = 0; i < n; i++) l.Add (new Plug ()); return l.Count; } }
class P {
    public static volatile int Done;
    static readonly object hot = new object ();
    static Node keep;
    static byte [] [] big = new byte [31] [];
    static int none;
    static double Spin (int n) { double x = 0; for (int i = 0; i < n; i++) x += Math.Sqrt (i); return x; }
    static void Body () { Spin (1000); }
    static void OneByOne () {
        new Thread (Body) { Name = "NAMED" }.Run ();
        for (int i = 0; i < 10; i++) new Thread (Body).Run ();
        new Thread (Body) { Name = "LAST" }.Run ();
    }
    static void Sleeper () { Thread.Sleep (120); Spin (10); }
    static void Objects () {
        for (int i = 0; i < big.Length; i++) big [i] = new byte [60000];
        for (int i = 0; i < 900; i++) { var n = new Node { Load = new int [i % 17] }; if (i % 4 == 0) { n.Next = keep; keep = n; } }
        for (int i = 0; i < 20; i++) new Fin ();
        GC.Collect ();
        GC.WaitForPendingFinalizers ();
        GC.Collect (0);
    }
    static void Handles () {
        for (int i = 0; i < 12; i++) { var h = GCHandle.Alloc (new byte [100], (GCHandleType) (i % 4)); if (i % 3 > 0) h.Free (); }
    }
    static void Lock () { lock (hot) Spin (10); }
    static void Locks () {
        Thread t;
        lock (hot) { t = new Thread (Lock) { Name = "waits" }; t.Start (); Thread.Sleep (20); }
        t.Join ();
    }
    static void Domains () {
        for (int i = 0; i < 2; i++) {
            var d = AppDomain.CreateDomain ("plug" + i);
            ((Plug) d.CreateInstanceAndUnwrap (typeof (Plug).Assembly.FullName, "Plug")).Work (50);
            AppDomain.Unload (d);
        }
    }
    static void Raise (int what) {
        object o = "text"; int [] a = new int [3];
        switch (what) {
        case 0: a [3 + none] = 1; break;
        case 1: Done += ((int []) o).Length; break;
        case 2: Done = 1 / none; break;
        case 3: checked { Done = int.MaxValue - none; Done = Done + Done; } break;
        default: throw new InvalidOperationException ("thrown");
        }
    }
    static void Throws () {
        for (int i = 0; i < 6; i++) try { Raise (i); } catch (Exception) { none = 0; }
    }
    static void Main () {
        var sleeper = new Thread (Sleeper) { Name = "sleeper" };
        sleeper.Start ();
        OneByOne (); Objects (); Handles (); Locks (); Domains (); Throws ();
        sleeper.Join ();
        Console.WriteLine (big.Length + " " + (keep == null));
    }
}
static class More { public static void Run (this Thread t) { t.Start (); t.Join (); } }
