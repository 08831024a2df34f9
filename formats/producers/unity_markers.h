/**
 * Names of markers that are Unity's own, and not a game's: anybody can look them up.
 *
 * Source: Unity's manual (profiler markers reference), the types of its published namespace UnityEngine.PlayerLoop, which name the steps of a frame, and the
 * names of its assemblies and of the class library's, with which the markers of their methods begin.
 */
#ifndef TT_PRODUCERS_UNITY_MARKERS_H
#define TT_PRODUCERS_UNITY_MARKERS_H

#include <stdbool.h>

/* True if ${name} is the marker of a part of the engine, or of a method of its assemblies or of the class library without type arguments. */
bool unity_is_published(const char *name);

#endif
