// What scripts call: starting and stopping captures, marks, labels, facts.

using System;
using System.IO;
using System.Runtime.InteropServices;
using UnityEngine;

namespace TracetoolUnity
{
    /// <summary>The result of a call.</summary>
    public enum TracetoolResult
    {
        Ok = 0,
        /// <summary>An option could not be read. <see cref="Tracetool.Message"/> says which.</summary>
        BadOption = -1,
        /// <summary>A capture runs already, or none runs.</summary>
        WrongState = -2,
        /// <summary>Unity offers no profiler interface here: there is nothing to record.</summary>
        NoProfiler = -3,
        /// <summary>The file or the memory could not be obtained. <see cref="Tracetool.Message"/> says why.</summary>
        SystemError = -4,
        /// <summary>The native library is not in this build.</summary>
        NoLibrary = -100,
    }

    public enum TracetoolState
    {
        Idle = 0,
        /// <summary>Requested; begins with the next frame.</summary>
        Starting = 1,
        Capturing = 2,
        /// <summary>The rest is being written.</summary>
        Stopping = 3,
    }

    /// <summary>Counts of the running capture so far, or of the last one.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct TracetoolCounts
    {
        /// <summary>Events in the file by now: while capturing, all but those of about the last second.</summary>
        public ulong Events;
        /// <summary>Events not kept, because the ring in memory was full.</summary>
        public ulong Dropped;
        /// <summary>Bytes written to the file.</summary>
        public ulong Bytes;
        public ulong Frames;
        /// <summary>Markers whose events are recorded.</summary>
        public ulong Markers;
        /// <summary>Markers left out by the options.</summary>
        public ulong Filtered;
    }

    /// <summary>Starts and stops captures of Unity's profiler events to a file, and adds marks, labels and
    /// facts to them. Every member may be used at any time and from any thread, unless it says otherwise.
    /// Where the native library is missing, calls do nothing.
    /// </summary>
    public static class Tracetool
    {
        static readonly object probing = new object();
        static volatile bool probed, available;
        static volatile string missing = "";

        /// <summary>True if the native library is there.</summary>
        public static bool IsAvailable
        {
            get { return probed ? available : Probe(); }
        }

        /// <summary>True if Unity offers its profiler's events here; false before the library is loaded as a
        /// plug-in.</summary>
        public static bool HasProfiler
        {
            get { return IsAvailable && Native.tracetool_interface() > 0; }
        }

        public static TracetoolState State
        {
            get { return IsAvailable ? (TracetoolState)Native.tracetool_state() : TracetoolState.Idle; }
        }

        /// <summary>True if a capture runs or is about to begin.</summary>
        public static bool IsCapturing
        {
            get
            {
                TracetoolState s = State;
                return s == TracetoolState.Starting || s == TracetoolState.Capturing;
            }
        }

        /// <summary>The library's last message, or why it is not there.</summary>
        public static string Message
        {
            get { return IsAvailable ? Native.Message() : missing; }
        }

        public static TracetoolCounts Counts
        {
            get
            {
                TracetoolCounts c = default(TracetoolCounts);
                if (IsAvailable)
                    Native.tracetool_counts(out c, Marshal.SizeOf(typeof(TracetoolCounts)));
                return c;
            }
        }

        /// <summary>A name for a new capture in the folder where the game may write:
        /// tracetool-DATE-TIME.ttc. Main thread only.
        /// </summary>
        public static string DefaultPath
        {
            get
            {
                return Path.Combine(Application.persistentDataPath,
                    "tracetool-" + DateTime.UtcNow.ToString("yyyyMMdd-HHmmss",
                        System.Globalization.CultureInfo.InvariantCulture) + ".ttc");
            }
        }

        /// <summary>
        /// Capture to a file from the next frame on. Whether the file could be made is known a moment later:
        /// <see cref="State"/> and <see cref="Message"/>.
        /// </summary>
        /// <param name="path">The file; null or empty for the one from the environment or the command line.
        /// %t and %p stand for the time and the process.</param>
        /// <param name="options">NAME=VALUE, separated by semicolons, as in the package's documentation.</param>
        public static TracetoolResult Start(string path, string options = null)
        {
            if (!IsAvailable)
                return TracetoolResult.NoLibrary;
            return (TracetoolResult)Native.tracetool_start(Native.Text(path), Native.Text2(options));
        }

        /// <summary>Capture to <see cref="DefaultPath"/>. Main thread only.</summary>
        public static TracetoolResult Start()
        {
            return IsAvailable ? Start(DefaultPath) : TracetoolResult.NoLibrary;
        }

        /// <summary>End the capture with the next frame.</summary>
        public static TracetoolResult Stop()
        {
            return IsAvailable ? (TracetoolResult)Native.tracetool_stop() : TracetoolResult.NoLibrary;
        }

        /// <summary>Flight recorder (option keep): write the events held.</summary>
        public static TracetoolResult Dump()
        {
            return IsAvailable ? (TracetoolResult)Native.tracetool_dump() : TracetoolResult.NoLibrary;
        }

        /// <summary>A mark on the calling thread, now.</summary>
        public static void Mark(string text)
        {
            if (IsAvailable)
                Native.tracetool_mark(Native.Text(text));
        }

        /// <summary>What the game does from now on: "level 3", "boss fight".</summary>
        public static void Label(string text)
        {
            if (IsAvailable)
                Native.tracetool_label(Native.Text(text));
        }

        /// <summary>A fact about the run, for the running capture and every later one; an empty value
        /// forgets it.</summary>
        public static void Meta(string key, string value)
        {
            if (IsAvailable && !string.IsNullOrEmpty(key))
                Native.tracetool_meta(Native.Text(key), Native.Text2(value));
        }

        // Look for the library once. The call is also what makes Android load it.
        static bool Probe()
        {
            lock (probing) {
                if (probed)
                    return available;
                try {
                    int api = Native.tracetool_api();
#if TRACETOOL_STATIC && ENABLE_IL2CPP && !UNITY_EDITOR
                    Native.tracetool_register();
#endif
                    available = api >= Native.ApiVersion;
                    if (!available)
                        missing = "tracetool: the library is too old (version " + api + " of its functions; " +
                            Native.ApiVersion + " is needed)";
                } catch (DllNotFoundException e) {
                    missing = "tracetool: the library is not in this build: " + e.Message;
                } catch (EntryPointNotFoundException e) {
                    missing = "tracetool: the library has not the functions it should have: " + e.Message;
                } catch (BadImageFormatException e) {
                    missing = "tracetool: the library is for another processor: " + e.Message;
                } catch (NotSupportedException e) {
                    missing = "tracetool: this platform loads no libraries: " + e.Message;
                }
                probed = true;
                return available;
            }
        }
    }
}
