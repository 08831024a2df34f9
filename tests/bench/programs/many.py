"""Print a C# program with many methods on many call paths.

9,000 methods in 1,500 classes and 40 namespaces, in layers that call deeper ones on conditions and allocate now and then.
It runs as Many.exe SECONDS THREADS; of the methods about 6,100 are called, on 50,000 paths.
"""
import random

METHODS, LAYERS, ROOTS = 9000, 12, 400
PER_LAYER = METHODS // LAYERS


def ref(i):
    return f"Game.N{i // 6 % 40}.C{i // 6}.M{i}"


def call(layer, j):
    low = (layer + 1) * PER_LAYER
    target = random.randrange(low, min(METHODS, low + PER_LAYER * 2))
    bit = random.randrange(8)
    mask = random.choice([1, 3, 3, 7])
    return f"if(((x>>{bit})&{mask})!=0) x+={ref(target)}(x+{j});"


def method(i):
    layer = i // PER_LAYER
    body = []
    if layer < LAYERS - 1:
        body = [call(layer, j) for j in range(random.choice([1, 1, 2, 2, 3]))]
    if random.random() < 0.06:
        body.append(f"P.keep=new C{i // 6}();")
    return f"public static int M{i}(int x){{ {' '.join(body)} return x*1103515245+12345; }}"


random.seed(7)
print("using System; using System.Collections.Generic; using System.Diagnostics; using System.Threading;")
for c in range(METHODS // 6):
    print(f"namespace Game.N{c % 40} {{ public class C{c} {{ public int A, B; public long D;")
    for i in range(6 * c, 6 * c + 6):
        print(method(i))
    print("}}")
print("""static class P {
    [ThreadStatic] public static object keep;
    static readonly Func<int, int>[] R = { %s };
    static int Frame(int s) {
        int x = s;
        for (int i = 0; i < 60; i++) x ^= R[(s * 31 + i * 7 & 0x7fffffff) %% R.Length](x * 2654435 + i);
        return x;
    }
    static void Main(string[] a) {
        int secs = int.Parse(a[0]);
        var l = new List<Thread>();
        for (int k = 0; k < int.Parse(a[1]); k++) {
            int s = k * 7919 + 1;
            var t = new Thread(() => {
                var sw = Stopwatch.StartNew();
                int x = s;
                while (sw.Elapsed.TotalSeconds < secs) x = Frame(x) * 31 + 7;
            }) { Name = "w" + k };
            t.Start();
            l.Add(t);
        }
        foreach (var t in l) t.Join();
    }
}""" % ", ".join(ref(i) for i in random.sample(range(PER_LAYER), ROOTS)))
