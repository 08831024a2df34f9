/* Fuzz target: captures of Mono's log profiler. */
#include "whole.h"
