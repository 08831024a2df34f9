// A game that pauses the recording while it loads: no frame of what is recorded is long.
using System.Threading;

static class Pause {
	static void Step() { Thread.Sleep(1); }
	static void Main() {
		for (int i = 0; i < 60; i++) {
			Step();
			if (i == 30) {
				Tracetool.Stop();
				Thread.Sleep(300);
				Tracetool.Start();
			}
		}
	}
}
