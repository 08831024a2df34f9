// What peers.py knows of before it runs: Peers.exe CASE does a fixed number of allocations, calls, throws, waits for locks or objects.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Node { public Node next; }
class Mark { }

static class Peers {
    static readonly object gate = new object ();
    static Node chain;

    [MethodImpl (MethodImplOptions.NoInlining)] static object One () { return new object (); }
    static void Allocations () { for (int i = 0; i < 1000000; i++) One (); }

    [MethodImpl (MethodImplOptions.NoInlining)] static void MainWork () { Thread.SpinWait (100); }
    [MethodImpl (MethodImplOptions.NoInlining)] static void HelperWork () { Thread.SpinWait (100); }
    [MethodImpl (MethodImplOptions.NoInlining)] static void Helper () { for (int i = 0; i < 10; i++) HelperWork (); }
    static void Threads () {
        var helper = new Thread (Helper) { Name = "BusyHelper" };
        helper.Start ();
        for (int i = 0; i < 10; i++) MainWork ();
        helper.Join ();
    }

    // The lock is given back only once the other thread is known to wait for it: each round is one contention and one acquisition.
    static void Waiter () { lock (gate) MainWork (); }
    static void Locks () {
        for (int i = 0; i < 5; i++) {
            var waiter = new Thread (Waiter);
            lock (gate) {
                waiter.Start ();
                while ((waiter.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Yield ();
            }
            waiter.Join ();
        }
    }

    [MethodImpl (MethodImplOptions.NoInlining)] static void Throw () { throw new ArgumentException (); }
    static int finals, caught;
    [MethodImpl (MethodImplOptions.NoInlining)] static void Leave () {
        try { try { Throw (); } finally { finals++; } } catch (ArgumentException) { caught++; }
    }
    static void Exceptions () { for (int i = 0; i < 1000; i++) Leave (); }

    [MethodImpl (MethodImplOptions.NoInlining)] static void Grow (int n) { for (int i = 0; i < n; i++) chain = new Node { next = chain }; }
    static void Heap () {
        Grow (5000);
        GC.Collect ();
        Grow (23);
        GC.Collect ();
        GC.KeepAlive (chain);
    }

    // Each level calls the next; every second time the last one allocates and throws.
    [MethodImpl (MethodImplOptions.NoInlining)] static void Level3 (int i) { Level2 (i); }
    [MethodImpl (MethodImplOptions.NoInlining)] static void Level2 (int i) { Level1 (i); }
    [MethodImpl (MethodImplOptions.NoInlining)] static void Level1 (int i) { Level0 (i); }
    [MethodImpl (MethodImplOptions.NoInlining)] static void Level0 (int i) {
        if (i % 2 == 0) return;
        GC.KeepAlive (new Mark ());
        throw new InvalidOperationException ();
    }
    static void Paths () {
        for (int i = 0; i < 2020; i++) {
            try { Level3 (i); } catch (InvalidOperationException) { caught++; }
        }
    }

    static int Main (string [] args) {
        switch (args [0]) {
        case "allocations": Allocations (); break;
        case "threads": Threads (); break;
        case "locks": Locks (); break;
        case "exceptions": Exceptions (); return finals == 1000 && caught == 1000 ? 0 : 1;
        case "heap": Heap (); break;
        case "paths": Paths (); return caught == 1010 ? 0 : 1;
        default: return 2;
        }
        return 0;
    }
}
