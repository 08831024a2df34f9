// Our own declarations of the UnityEditor names that the package uses. See README.md.

using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEngine
{
    public class GUIContent
    {
        public GUIContent(string text, string tooltip) { }
    }
}

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public class InitializeOnLoadAttribute : Attribute { }

    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public sealed class MenuItem : Attribute
    {
        public MenuItem(string itemName, bool isValidateFunction) { }
        public MenuItem(string itemName, bool isValidateFunction, int priority) { }
    }

    public enum PlayModeStateChange { EnteredEditMode, ExitingEditMode, EnteredPlayMode, ExitingPlayMode }

    public static class EditorApplication
    {
        public delegate void CallbackFunction();
        public static CallbackFunction update;

        public static event Action<PlayModeStateChange> playModeStateChanged;

        // No part of Unity.
        public static void StubChange(PlayModeStateChange change)
        {
            if (playModeStateChanged != null)
                playModeStateChanged(change);
        }
    }

    public static class EditorPrefs
    {
        static readonly Dictionary<string, object> kept = new Dictionary<string, object>();

        static T Get<T>(string key, T otherwise)
        {
            object o;
            return kept.TryGetValue(key, out o) ? (T)o : otherwise;
        }

        public static string GetString(string key, string defaultValue) { return Get(key, defaultValue); }
        public static void SetString(string key, string value) { kept[key] = value; }
        public static bool GetBool(string key, bool defaultValue) { return Get(key, defaultValue); }
        public static void SetBool(string key, bool value) { kept[key] = value; }
    }

    public static class SessionState
    {
        public static string GetString(string key, string defaultValue)
        {
            return EditorPrefs.GetString("session:" + key, defaultValue);
        }

        public static void SetString(string key, string value) { EditorPrefs.SetString("session:" + key, value); }
    }

    public static class EditorUtility
    {
        public static void RevealInFinder(string path) { StubLoop.Log.Add("reveal: " + path); }
    }

    public static class SettingsService
    {
        public static void OpenUserPreferences(string settingsPath) { StubLoop.Log.Add("preferences: " + settingsPath); }
    }

    public enum SettingsScope { User, Project }

    [AttributeUsage(AttributeTargets.Method)]
    public class SettingsProviderAttribute : Attribute { }

    public class SettingsProvider
    {
        public SettingsProvider(string path, SettingsScope scopes, IEnumerable<string> keywords = null) { }
        public string label { get; set; }
        public IEnumerable<string> keywords { get; set; }
        public Action<string> guiHandler { get; set; }
    }

    public enum MessageType { None, Info, Warning, Error }

    public static class EditorGUI
    {
        public static void BeginChangeCheck() { }
        public static bool EndChangeCheck() { return true; }
    }

    public static class EditorGUILayout
    {
        public static string TextField(GUIContent label, string text) { return text; }
        public static bool Toggle(GUIContent label, bool value) { return value; }
        public static void HelpBox(string message, MessageType type) { StubLoop.Log.Add("help: " + message); }
    }
}
