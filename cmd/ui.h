/**
 * The messages that people see on standard error, and a progress bar on a terminal.
 *
 * Every message is one line "tracetool: ..." written by one write(2), so that lines of several processes do not mix; the bar is erased first. Nothing here
 * can fail: an error on standard error is ignored.
 *
 * Threads: any thread may log; the thread that makes progress draws the bar.
 */
#ifndef TT_CMD_UI_H
#define TT_CMD_UI_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"
#include "option/opts.h"

enum ui_when { UI_AUTO, UI_ALWAYS, UI_NEVER };

/* The options every verb has. */
struct ui_opts {
	bool quiet, verbose, help;
	int color, progress;          /* enum ui_when */
	uint64_t max_memory;          /* bytes, UINT64_MAX for no limit; 0: not given */
	int64_t max_time;             /* ns; 0: not given, no limit */
};
extern const struct tt_opt ui_opt[];
#define UI_GROUP(type, member) { "Limits and messages", ui_opt, offsetof(type, member) }

struct ui {
	pthread_mutex_t lock;
	struct ui_opts opts;
	bool bar;                     /* true: a bar is wanted */
	bool drawn;                   /* true: the bar is on the screen */
	int64_t start_ns;             /* start of the run */
	char phase[32];
	int64_t phase_ns;             /* start of the present phase */
	uint64_t phase_at;            /* bytes that were done when the phase was first seen */
};

void ui_init(struct ui *ui);

/* Apply the options; from here on the bar may appear. */
void ui_set(struct ui *ui, const struct ui_opts *o);

/* Print one line on standard error, at every level of verbosity. */
void ui_say(struct ui *ui, const char *fmt, ...) TT_PRINTF(2, 3);

/* The callbacks of struct tt_env and struct tt_progress; ${arg} is the struct ui. */
void ui_log(void *arg, enum tt_log_level level, const char *line);
void ui_tick(void *arg, const char *phase, uint64_t done, uint64_t total);

/* Draw the caller's line in place of the bar. */
void ui_line(struct ui *ui, const char *text);

/* Erase the bar; the next tick draws it again. */
void ui_erase(struct ui *ui);

/* ui_color: true if descriptor ${fd} gets colours. ui_width: the columns of its terminal; 0: not a terminal. */
bool ui_color(const struct ui *ui, int fd);
unsigned ui_width(int fd);

/* Monotonic time in ns, from an arbitrary start. */
int64_t ui_clock(void);

#endif
