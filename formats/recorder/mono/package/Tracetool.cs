// Starting and stopping tracetool's recording from a program that runs under mono --profile=tracetool:...
// Put this file into the program. Where nothing records every call does nothing; see tracetool-mono(7).
using System;
using System.Runtime.InteropServices;
using System.Text;

public static class Tracetool {
	public enum State { Off = 0, Paused = 1, Recording = 2 }

	const string Library = "mono-profiler-tracetool";

	[DllImport(Library)] static extern int tracetool_mono_api();
	[DllImport(Library)] static extern int tracetool_mono_start();
	[DllImport(Library)] static extern int tracetool_mono_stop();
	[DllImport(Library)] static extern int tracetool_mono_dump();
	[DllImport(Library)] static extern int tracetool_mono_heapshot();
	[DllImport(Library)] static extern int tracetool_mono_flush(int ms);
	[DllImport(Library)] static extern int tracetool_mono_state();
	[DllImport(Library)] static extern void tracetool_mono_mark(byte[] text);
	[DllImport(Library)] static extern void tracetool_mono_label(byte[] text);
	[DllImport(Library)] static extern void tracetool_mono_meta(byte[] key, byte[] value);

	static readonly bool loaded = Find();

	static bool Find() {
		try {
			return tracetool_mono_api() >= 1 && tracetool_mono_state() != 0;
		} catch (DllNotFoundException) {
			return false;
		} catch (EntryPointNotFoundException) {
			return false;
		}
	}

	/// <summary>True if the module records this program.</summary>
	public static bool Loaded { get { return loaded; } }

	public static State Now { get { return loaded ? (State)tracetool_mono_state() : State.Off; } }

	/// <summary>Record from now on. False if it records already, or nothing can be recorded.</summary>
	public static bool Start() { return loaded && tracetool_mono_start() == 0; }

	/// <summary>Pause. The program then pays only for what its code was compiled with.</summary>
	public static bool Stop() { return loaded && tracetool_mono_stop() == 0; }

	/// <summary>Flight recorder (keep=): write the events held.</summary>
	public static bool Dump() { return loaded && tracetool_mono_dump() == 0; }

	/// <summary>Have a heap shot taken soon (heapshot).</summary>
	public static bool Heapshot() { return loaded && tracetool_mono_heapshot() == 0; }

	/// <summary>Have everything so far written to the file; wait for it, at most the given time.</summary>
	public static bool Flush(int milliseconds) { return loaded && tracetool_mono_flush(milliseconds) == 0; }

	/// <summary>A mark: a text at this moment on this thread.</summary>
	public static void Mark(string text) {
		if (loaded && tracetool_mono_api() >= 2)
			tracetool_mono_mark(Bytes(text));
	}

	/// <summary>What the program does from now on: tables and captures can be cut there, --from-label.</summary>
	public static void Label(string text) {
		if (loaded)
			tracetool_mono_label(Bytes(text));
	}

	/// <summary>A fact about the capture, which holds until the same key is set again.</summary>
	public static void Meta(string key, string value) {
		if (loaded)
			tracetool_mono_meta(Bytes(key), Bytes(value));
	}

	static byte[] Bytes(string s) { return Encoding.UTF8.GetBytes((s ?? "") + "\0"); }
}
