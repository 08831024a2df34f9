/* Fuzz target: captures of Unity's profiler. */
#include "whole.h"
