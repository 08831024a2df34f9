// The menu Tools > Tracetool of the Editor, and its preferences.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using UnityEditor;
using UnityEngine;

namespace TracetoolUnity.Editor
{
    // Tools > Tracetool: start and stop a capture of the Editor, with or without a game playing in it, and
    // find the file.
    [InitializeOnLoad]
    static class TracetoolMenu
    {
        const string Menu = "Tools/Tracetool/";
        const string LastKey = "Tracetool.LastCapture";

        static bool ran;

        static TracetoolMenu()
        {
            EditorApplication.playModeStateChanged += OnPlayMode;
            // Scripts are loaded anew while captures go on.
            if (Tracetool.State != TracetoolState.Idle)
                EditorApplication.update += Watch;
        }

        // Tell how the capture ended, or that it did not begin: the file is made and ended in the background.
        static void Watch()
        {
            TracetoolState s = Tracetool.State;
            if (s != TracetoolState.Idle) {
                ran = ran || s != TracetoolState.Starting;
                return;
            }
            EditorApplication.update -= Watch;
            if (ran)
                Debug.Log("tracetool: " + Tracetool.Message);
            else
                Debug.LogWarning("tracetool: " + Tracetool.Message);
            ran = false;
        }

        static string Last
        {
            get { return SessionState.GetString(LastKey, ""); }
            set { SessionState.SetString(LastKey, value); }
        }

        [MenuItem(Menu + "Start Capture", false, 1)]
        static void StartCapture()
        {
            try {
                Directory.CreateDirectory(TracetoolSettings.Folder);
            } catch (Exception e) {
                Debug.LogException(e);
                return;
            }
            string path = Path.Combine(TracetoolSettings.Folder, "editor-" +
                DateTime.UtcNow.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture) + ".ttc");
            if (Tracetool.State == TracetoolState.Idle)
                TracetoolFeed.SendFacts();
            TracetoolResult result = Tracetool.Start(path, TracetoolSettings.Options);
            if (result == TracetoolResult.Ok) {
                Last = path;
                EditorApplication.update += Watch;
            } else {
                Debug.LogWarning("tracetool: no capture: " + Explain(result));
            }
        }

        [MenuItem(Menu + "Start Capture", true)]
        static bool MayStart()
        {
            return Tracetool.IsAvailable && Tracetool.State == TracetoolState.Idle;
        }

        [MenuItem(Menu + "Stop Capture", false, 2)]
        static void StopCapture()
        {
            Tracetool.Stop();
        }

        [MenuItem(Menu + "Stop Capture", true)]
        static bool MayStop()
        {
            return Tracetool.IsCapturing;
        }

        [MenuItem(Menu + "Reveal Last Capture", false, 20)]
        static void Reveal()
        {
            EditorUtility.RevealInFinder(Last);
        }

        [MenuItem(Menu + "Reveal Last Capture", true)]
        static bool MayReveal()
        {
            return Last.Length > 0 && File.Exists(Last);
        }

        [MenuItem(Menu + "Settings...", false, 40)]
        static void OpenSettings()
        {
            SettingsService.OpenUserPreferences(TracetoolSettings.Place);
        }

        static string Explain(TracetoolResult result)
        {
            if (result == TracetoolResult.NoProfiler)
                return "the plug-in has not been given the profiler. Restart the Editor after installing the package.";
            string message = Tracetool.Message;
            return message.Length > 0 ? message : result.ToString();
        }

        static void OnPlayMode(PlayModeStateChange change)
        {
            if (change == PlayModeStateChange.ExitingPlayMode && TracetoolSettings.StopWithPlay &&
                Tracetool.IsCapturing)
                StopCapture();
        }
    }

    // Preferences > Tracetool: of this user on this machine.
    static class TracetoolSettings
    {
        public const string Place = "Preferences/Tracetool";
        const string FolderKey = "Tracetool.Folder", OptionsKey = "Tracetool.Options";
        const string StopKey = "Tracetool.StopWithPlay";

        public static string Folder
        {
            get
            {
                string set = EditorPrefs.GetString(FolderKey, "");
                return set.Length > 0 ? set : Path.GetFullPath(Path.Combine(Application.dataPath, "..", "Captures"));
            }
        }

        public static string Options
        {
            get { return EditorPrefs.GetString(OptionsKey, ""); }
        }

        public static bool StopWithPlay
        {
            get { return EditorPrefs.GetBool(StopKey, true); }
        }

        [SettingsProvider]
        static SettingsProvider Provide()
        {
            return new SettingsProvider(Place, SettingsScope.User) {
                label = "Tracetool",
                keywords = new HashSet<string> { "tracetool", "capture", "profiler" },
                guiHandler = search => Draw(),
            };
        }

        static void Draw()
        {
            EditorGUI.BeginChangeCheck();
            string folder = EditorGUILayout.TextField(
                new GUIContent("Folder", "Where captures go. Empty: Captures in the project's folder."),
                EditorPrefs.GetString(FolderKey, ""));
            string options = EditorGUILayout.TextField(
                new GUIContent("Options", "NAME=VALUE, separated by semicolons, as in the package's documentation."),
                Options);
            bool stop = EditorGUILayout.Toggle(
                new GUIContent("Stop With Play Mode", "End a running capture when play mode ends."), StopWithPlay);
            if (EditorGUI.EndChangeCheck()) {
                EditorPrefs.SetString(FolderKey, folder.Trim());
                EditorPrefs.SetString(OptionsKey, options.Trim());
                EditorPrefs.SetBool(StopKey, stop);
            }
            EditorGUILayout.HelpBox(!Tracetool.IsAvailable ? Tracetool.Message :
                Tracetool.HasProfiler ? "The recorder is ready." :
                "The recorder has not been given the profiler. Restart the Editor after installing the package.",
                Tracetool.HasProfiler ? MessageType.Info : MessageType.Warning);
        }
    }
}
