/* Fuzz target: captures that Unity's Editor saves (.data). */
#include "whole.h"
