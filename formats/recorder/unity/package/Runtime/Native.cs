// The native library, by P/Invoke.

using System;
using System.Runtime.InteropServices;
using System.Text;

namespace TracetoolUnity
{
    // The library's C functions, version 2 of tracetool_unity.h. Texts go over as bytes of UTF-8 with a
    // NUL, because what P/Invoke makes of a string by itself differs between Mono on Windows and elsewhere.
    static class Native
    {
        // Where IL2CPP has compiled the recorder's source into the player, its functions are in the player
        // itself.
#if TRACETOOL_STATIC && ENABLE_IL2CPP && !UNITY_EDITOR
        const string Library = "__Internal";
#else
        const string Library = "tracetool-unity";
#endif
        const CallingConvention C = CallingConvention.Cdecl;

        public const int ApiVersion = 2;

        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_api();
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_interface();
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_start(byte[] path,
            byte[] options);
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_stop();
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_dump();
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_state();
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_message([Out] byte[] to,
            int size);
        [DllImport(Library, CallingConvention = C)] public static extern void tracetool_mark(byte[] text);
        [DllImport(Library, CallingConvention = C)] public static extern void tracetool_label(byte[] text);
        [DllImport(Library, CallingConvention = C)] public static extern void tracetool_meta(byte[] key, byte[] value);
        [DllImport(Library, CallingConvention = C)] public static extern void tracetool_frame_timings2([In] Timing[] t,
            [In] Settings[] s, int n, ulong ticksPerSecond);
        [DllImport(Library, CallingConvention = C)] public static extern void tracetool_counts(out TracetoolCounts c,
            int size);
#if TRACETOOL_STATIC && ENABLE_IL2CPP && !UNITY_EDITOR
        [DllImport(Library, CallingConvention = C)] public static extern int tracetool_register();
#endif

        // struct tracetool_frame_timing: 80 bytes.
        [StructLayout(LayoutKind.Sequential)]
        public struct Timing
        {
            public double CpuTotalMs, CpuMainMs, CpuPresentWaitMs, CpuRenderMs, GpuMs;
            public ulong FrameStart, FirstSubmit, PresentCalled, FrameComplete;
            public uint Flags, Age;
        }

        // struct tracetool_frame_settings: 12 bytes.
        [StructLayout(LayoutKind.Sequential)]
        public struct Settings
        {
            public float HeightScale, WidthScale;
            public uint SyncInterval;
        }

        public const uint CompleteComputed = 1;

        [ThreadStatic] static byte[] first, second;

        // The text in a buffer of the calling thread: nothing is allocated once that is large enough.
        public static byte[] Text(string s)
        {
            return Encode(s, ref first);
        }

        // For the second text of one call.
        public static byte[] Text2(string s)
        {
            return Encode(s, ref second);
        }

        static byte[] Encode(string s, ref byte[] buffer)
        {
            s = s ?? "";
            int most = Encoding.UTF8.GetMaxByteCount(s.Length) + 1;
            if (buffer == null || buffer.Length < most)
                buffer = new byte[Math.Max(most, 256)];
            int n = Encoding.UTF8.GetBytes(s, 0, s.Length, buffer, 0);
            buffer[n] = 0;
            return buffer;
        }

        public static string Message()
        {
            var buffer = new byte[1024];
            int n = Math.Min(tracetool_message(buffer, buffer.Length), buffer.Length - 1);
            return Encoding.UTF8.GetString(buffer, 0, Math.Max(n, 0));
        }
    }
}
