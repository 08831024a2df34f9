/**
 * Interprets the options stored in captures: the kinds of events (enum tt_records) that Mono's recorders were asked to record.
 *
 * Source of facts for the log profiler: recordings of one program by Mono 6.8 with each option alone and with others, and captures by 4.2 and 4.6. If the
 * defaults of an older version are unknown, only kinds that an option names count.
 */
#ifndef TT_PRODUCERS_MONO_H
#define TT_PRODUCERS_MONO_H

#include <stdbool.h>
#include <stdint.h>

#include "model/capture.h"

/* The section of the program's own counters, which carry the section's name. */
#define MONO_SECTION_CUSTOM 0x8000

/* Return the name of the runtime's section ${id} of counters; NULL: it has no name, or is unknown. */
const char *mono_section(uint64_t id);

/* Set the kind and unit of the counter ${d} from Mono's numbers for section, type, unit and variance. The name of a custom section must be set already. */
void mono_counter(struct tt_def *d, uint64_t section, uint64_t type, uint64_t unit, uint64_t variance);

/* Return the kinds recorded with the log profiler's ${options}: "log:nodefaults,gc,output=..."; "" in data versions before 13, which do not store options. */
uint32_t mlpd_option_records(const char *options, unsigned version);

/* Return the maximum nesting of calls that the log profiler records with these ${options}; 101 without the option calldepth, or without any options. */
uint32_t mlpd_option_nested(const char *options);

/* True if the capture's producer is our own module. */
bool mono_made(const char *producer);

/* Return the kinds recorded by our module with the option "--profile=tracetool:..." in ${command}; 0 without that option. */
uint32_t mono_module_option_records(const char *command);

/* Return the kinds in our module's fact "mono.records": names separated by commas. */
uint32_t mono_module_records(const char *names);

/* Return the option that records a kind of events, or NULL: of the log profiler, of the log profiler before data version 14, of our module. */
const char *mlpd_advice(enum tt_records what);
const char *mlpd_advice_old(enum tt_records what);
const char *mono_module_advice(enum tt_records what);

#endif
