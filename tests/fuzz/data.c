/* Fuzz target: what Unity's Editor saves. */
#include "whole.h"
