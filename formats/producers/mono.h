/**
 * What Mono's recorders were asked to record, from the options stored in captures: enum tt_records.
 *
 * Source of facts for the log profiler: recordings of one program by Mono 6.8 with each option alone and with others, and
 * captures by 4.2 and 4.6. Where an older version's defaults are not known, only what an option names counts.
 */
#ifndef TT_PRODUCERS_MONO_H
#define TT_PRODUCERS_MONO_H

#include <stdbool.h>
#include <stdint.h>

#include "model/capture.h"

/* The section of counters that brings its name with it: those of the program. */
#define MONO_SECTION_CUSTOM 0x8000

/* Put what Mono's numbers for a counter's section, type, unit and variance mean into ${d}. It has the name of a custom section already. */
void mono_counter(struct tt_def *d, uint64_t section, uint64_t type, uint64_t unit, uint64_t variance);

/* ${options}: "log:nodefaults,gc,output=..."; "" in data versions before 13, which do not hold them. */
uint32_t mlpd_told(const char *options, unsigned version);

/* True if the capture's producer is our own module. */
bool mono_made(const char *producer);

/* Of our own module: ${command} has "--profile=tracetool:..." in it, else 0. */
uint32_t mono_module_told(const char *command);

/* Of our own module: its fact "mono.records", names with commas between. */
uint32_t mono_module_records(const char *names);

/* The option to record a kind of events with, NULL where there is none: of the log profiler, of it before data version 14, of our module. */
const char *mlpd_advice(enum tt_records what);
const char *mlpd_advice_old(enum tt_records what);
const char *mono_module_advice(enum tt_records what);

#endif
