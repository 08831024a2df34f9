/**
 * Prints what people see on standard error.
 */
#include "ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "out/table.h"
#include "sys/sys.h"

#define BAR_AFTER_NS INT64_C(1000000000)      /* no bar is shown before this time */
#define MESSAGE_MAX 1024                      /* maximum bytes of a message, including its end; a longer one is cut */
#define BAR_LINE_MAX 256                      /* maximum bytes of the line of the bar, or of the line in its place; a longer one is cut */

static const char *
when_value(size_t i)
{
	static const char *const v[] = { "auto", "always", "never", NULL };

	return v[i];
}

/* The setter of --max-memory. "0" means no limit, which differs from the option not being given. */
static int
set_memory(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	uint64_t *max = field;
	int rc = tt_opt_size(o, field, value, a, err);

	if (rc == TT_OK && *max == 0)
		*max = UINT64_MAX;
	return rc;
}

const struct tt_opt ui_opt[] = {
	{ .name = "max-memory", .arg = "SIZE", .set = set_memory, .at = offsetof(struct ui_opts, max_memory),
	    .help = "stop with an error rather than use more memory than this; default 1G, 0: no limit" },
	{ .name = "max-time", .arg = "DUR", .set = tt_opt_duration, .at = offsetof(struct ui_opts, max_time),
	    .help = "take at most this much time (like 30s, 10m); default: no limit" },
	{ .letter = 'q', .name = "quiet", .set = tt_opt_flag, .at = offsetof(struct ui_opts, quiet),
	    .help = "print only errors and losses" },
	{ .letter = 'v', .name = "verbose", .set = tt_opt_flag, .at = offsetof(struct ui_opts, verbose),
	    .help = "also print the readers chosen, passes over the input, time and memory used" },
	{ .name = "color", .arg = "WHEN", .set = tt_opt_choice,
	    .at = offsetof(struct ui_opts, color), .value = when_value,
	    .help = "use colours: auto (on a terminal, unless NO_COLOR is set), always or never" },
	{ .name = "progress", .arg = "WHEN", .set = tt_opt_choice,
	    .at = offsetof(struct ui_opts, progress), .value = when_value,
	    .help = "show a progress bar on standard error: auto (on a terminal, when the work takes more than a "
	            "second), always or never" },
	{ .letter = 'h', .name = "help", .set = tt_opt_flag, .at = offsetof(struct ui_opts, help),
	    .help = "print this text" },
	{ .name = NULL },
};

int64_t
ui_clock(void)
{
	return tt_sys_clock_ns();
}

void
ui_init(struct ui *ui)
{
	memset(ui, 0, sizeof *ui);
	pthread_mutex_init(&ui->lock, NULL);
	ui->start_ns = ui_clock();
}

void
ui_set(struct ui *ui, const struct ui_opts *o)
{
	ui->opts = *o;
	ui->bar = o->progress == UI_ALWAYS || (o->progress == UI_AUTO && !o->quiet && ui_width(2) > 0);
}

/* Write all bytes, unless the reader has gone. */
static void
put(const char *p, size_t n)
{
	while (n > 0) {
		const int64_t k = tt_sys_write(2, p, n);

		if (k <= 0)
			return;
		p += k;
		n -= (size_t)k;
	}
}

/* Erase the bar. Call with the lock held. */
static void
erase(struct ui *ui)
{
	if (ui->drawn)
		put("\r\033[K", 4);
	ui->drawn = false;
}

void
ui_erase(struct ui *ui)
{
	pthread_mutex_lock(&ui->lock);
	erase(ui);
	pthread_mutex_unlock(&ui->lock);
}

static void
say_line(struct ui *ui, const char *text)
{
	char line[sizeof "tracetool: " + MESSAGE_MAX];
	int n = snprintf(line, sizeof line - 1, "tracetool: %s", text);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;

	line[len] = '\n';
	pthread_mutex_lock(&ui->lock);
	erase(ui);
	put(line, len + 1);
	pthread_mutex_unlock(&ui->lock);
}

void
ui_say(struct ui *ui, const char *fmt, ...)
{
	char raw[MESSAGE_MAX], text[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof raw, fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);
	tt_utf8_line(text, sizeof text, raw);
	say_line(ui, text);
}

void
ui_log(void *arg, enum tt_log_level level, const char *line)
{
	(void)level;
	say_line(arg, line);
}

bool
ui_color(const struct ui *ui, int fd)
{
	const char *no = getenv("NO_COLOR");

	if (ui->opts.color != UI_AUTO)
		return ui->opts.color == UI_ALWAYS;
	return !(no && no[0]) && tt_sys_shows_colors(fd);
}

unsigned
ui_width(int fd)
{
	return tt_sys_columns(fd);
}

/* --- the bar ------------------------------------------------------------- */

#define BAR_CELLS 24
#define RATE_AFTER_S 0.05             /* seconds of a phase before its rate is shown: earlier rates are accidental */

/* Print the remaining time: "1:02:03", "4:05", "7 s". */
static void
put_eta(char *to, size_t size, uint64_t s)
{
	if (s >= 3600)
		snprintf(to, size, "%llu:%02llu:%02llu left", (unsigned long long)(s / 3600),
		    (unsigned long long)(s / 60 % 60), (unsigned long long)(s % 60));
	else if (s >= 60)
		snprintf(to, size, "%llu:%02llu left", (unsigned long long)(s / 60), (unsigned long long)(s % 60));
	else
		snprintf(to, size, "%llu s left", (unsigned long long)s);
}

/* Print the bar's line for ${done} of ${total} bytes at ${rate} bytes per second. */
static void
bar_line(char *to, size_t size, const char *phase, uint64_t done, uint64_t total, uint64_t rate)
{
	char cells[BAR_CELLS + 1], eta[48] = "", amount[32];

	if (total == 0) {
		*tt_put_bytes(amount, done > INT64_MAX ? INT64_MAX : (int64_t)done) = '\0';
		snprintf(to, size, "%s: %s, %llu MB/s", phase, amount, (unsigned long long)(rate / 1000000));
		return;
	}
	if (done > total)
		done = total;
	memset(cells, '.', BAR_CELLS);
	memset(cells, '#', (size_t)((double)done / (double)total * BAR_CELLS));
	cells[BAR_CELLS] = '\0';
	if (rate > 0)
		put_eta(eta, sizeof eta, (total - done + rate - 1) / rate);
	snprintf(to, size, "%s [%s] %3u %%, %llu MB/s, %s", phase, cells,
	    (unsigned)((double)done / (double)total * 100), (unsigned long long)(rate / 1000000), eta);
}

/* True if the work has taken long enough for a bar. */
static bool
is_due(const struct ui *ui, int64_t now)
{
	return ui->bar && (ui->opts.progress == UI_ALWAYS || now - ui->start_ns >= BAR_AFTER_NS);
}

/* Draw ${text} in place of the bar. Call with the lock held. */
static void
draw(struct ui *ui, const char *text)
{
	char line[sizeof "\r\033[K" + BAR_LINE_MAX];
	const unsigned width = ui_width(2);
	/* A line as wide as the terminal would wrap and leave copies behind. */
	int n = snprintf(line, sizeof line, "\r\033[K%.*s", width > 1 ? (int)width - 1 : BAR_LINE_MAX, text);

	put(line, n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
	ui->drawn = true;
}

void
ui_tick(void *arg, const char *phase, uint64_t done, uint64_t total)
{
	struct ui *ui = arg;
	const int64_t now = ui_clock();
	char text[BAR_LINE_MAX];

	if (!ui->bar)
		return;
	pthread_mutex_lock(&ui->lock);
	if (strncmp(ui->phase, phase, sizeof ui->phase - 1) != 0) {
		snprintf(ui->phase, sizeof ui->phase, "%s", phase);
		ui->phase_ns = now;
		ui->phase_at = done;
	}
	if (is_due(ui, now)) {
		const double s = (double)(now - ui->phase_ns) / 1e9;
		bar_line(text, sizeof text, phase, done, total,
		    s > RATE_AFTER_S && done > ui->phase_at ? (uint64_t)((double)(done - ui->phase_at) / s) : 0);
		draw(ui, text);
	}
	pthread_mutex_unlock(&ui->lock);
}

void
ui_line(struct ui *ui, const char *text)
{
	if (!is_due(ui, ui_clock()))
		return;
	pthread_mutex_lock(&ui->lock);
	draw(ui, text);
	pthread_mutex_unlock(&ui->lock);
}
