/**
 * Run one command, or two in turn, and say how long they took.
 *
 *	time [OPTION]... -- COMMAND [ARGUMENT]... [-- COMMAND [ARGUMENT]...]
 *
 *	-n RUNS     runs that count; default 5
 *	-w RUNS     runs before those; default 1
 *	-1          both on one core
 *	-s          the second command times itself: the last line it prints is its seconds
 *	-a FILE     output of the first command; default /dev/null
 *	-b FILE     output of the second
 *	-x FILE     removed after each run, so that nobody pays for writing over it; repeatable
 *
 * With two commands the runs go A B A B, so that whatever else the machine does falls on both. Prints one line of
 * words: least, median and largest seconds of A; of B; ratio of the medians B/A; least and largest ratio of a pair;
 * CPU seconds of A (median); largest peak RSS of A in KiB; share of the machine that went to others, in percent.
 * Without B its figures are 0. A command that fails ends it all, with its messages, and the status is 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 1000, REMOVE_MAX = 8 };

struct command {
	char **argv;
	const char *out;
	bool own_clock;
	double seconds[RUNS_MAX], cpu[RUNS_MAX];
	long rss_kib;
};

struct setup {
	unsigned runs, warm;
	bool one_core;
	const char *remove[REMOVE_MAX];
	unsigned nremove;
	struct command a, b;
};

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "time: %s: %s\n", what, why);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* --- one run ------------------------------------------------------------ */

static void
stay_on_one_core(void)
{
	cpu_set_t may, one;

	if (sched_getaffinity(0, sizeof may, &may) != 0)
		die("one core", strerror(errno));
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &may)) {
			CPU_SET(i, &one);
			break;
		}
	}
	if (sched_setaffinity(0, sizeof one, &one) != 0)
		die("one core", strerror(errno));
}

static int
open_output(const struct command *c, int pipe_end)
{
	int fd;

	if (c->own_clock)
		return pipe_end;
	fd = open(c->out ? c->out : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		die(c->out ? c->out : "/dev/null", strerror(errno));
	return fd;
}

/* Does not come back. */
static void
become(const struct setup *s, const struct command *c, int out, int messages)
{
	if (s->one_core)
		stay_on_one_core();
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0)
		_exit(127);
	execvp(c->argv[0], c->argv);
	dprintf(STDERR_FILENO, "%s: %s\n", c->argv[0], strerror(errno));
	_exit(127);
}

/* The last line that comes out of ${fd}, as a number. */
static double
read_clock(int fd)
{
	char text[4096], *line;
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, text + n, sizeof text - 1 - n)) > 0) {
		n += (size_t)got;
		if (n > sizeof text / 2) {
			memmove(text, text + n - 64, 64);
			n = 64;
		}
	}
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	line = strrchr(text, '\n');
	return strtod(line ? line + 1 : text, NULL);
}

static void
show_messages(FILE *messages)
{
	char text[2048];
	size_t n;

	rewind(messages);
	n = fread(text, 1, sizeof text, messages);
	fwrite(text, 1, n, stderr);
}

/* Run ${c} once; the times go to place ${i}. Returns its CPU seconds. */
static double
run(const struct setup *s, struct command *c, unsigned i)
{
	FILE *messages = tmpfile();
	int ends[2] = { -1, -1 }, out, status;
	struct rusage use;
	double start, wall, own = 0;
	pid_t pid;

	if (!messages || (c->own_clock && pipe2(ends, O_CLOEXEC) != 0))
		die("run", strerror(errno));
	out = open_output(c, ends[1]);
	start = now();
	pid = fork();
	if (pid < 0)
		die("fork", strerror(errno));
	if (pid == 0)
		become(s, c, out, fileno(messages));
	close(out);
	if (c->own_clock) {
		own = read_clock(ends[0]);
		close(ends[0]);
	}
	while (wait4(pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			die("wait", strerror(errno));
	wall = now() - start;
	if (status != 0 || (c->own_clock && !(own > 0))) {
		fprintf(stderr, "time: %s: %s %d\n", c->argv[0], WIFSIGNALED(status) ? "signal" : "exit status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		show_messages(messages);
		exit(1);
	}
	fclose(messages);
	for (unsigned k = 0; k < s->nremove; k++)
		unlink(s->remove[k]);
	c->seconds[i] = c->own_clock ? own : wall;
	c->cpu[i] = seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
	if (use.ru_maxrss > c->rss_kib)
		c->rss_kib = use.ru_maxrss;
	return c->cpu[i];
}

/* --- the machine -------------------------------------------------------- */

/* CPU seconds that anybody used so far, and that there were; 0 where the system does not tell. */
static void
machine(double *busy, double *all)
{
	unsigned long long v[8] = { 0 };
	FILE *f = fopen("/proc/stat", "r");
	double tick = (double)sysconf(_SC_CLK_TCK);

	*busy = *all = 0;
	if (!f)
		return;
	/* user nice system idle iowait irq softirq steal */
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
	    &v[7]) == 8) {
		for (unsigned i = 0; i < 8; i++) {
			*all += (double)v[i] / tick;
			if (i != 3 && i != 4)
				*busy += (double)v[i] / tick;
		}
	}
	fclose(f);
}

/* --- figures -------------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(const double *v, unsigned n)
{
	double s[RUNS_MAX];

	memcpy(s, v, n * sizeof *s);
	qsort(s, n, sizeof *s, by_value);
	return n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

static double
least(const double *v, unsigned n)
{
	double m = v[0];

	for (unsigned i = 1; i < n; i++)
		m = v[i] < m ? v[i] : m;
	return m;
}

static double
largest(const double *v, unsigned n)
{
	double m = v[0];

	for (unsigned i = 1; i < n; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

static void
print_seconds(const struct command *c, unsigned n)
{
	if (c->argv)
		printf("%.6f %.6f %.6f ", least(c->seconds, n), median(c->seconds, n), largest(c->seconds, n));
	else
		printf("0 0 0 ");
}

static void
print_ratios(const struct setup *s)
{
	double pair[RUNS_MAX] = { 0 };

	if (!s->b.argv) {
		printf("0 0 0 ");
		return;
	}
	for (unsigned i = 0; i < s->runs; i++)
		pair[i] = s->b.seconds[i] / s->a.seconds[i];
	printf("%.4f %.4f %.4f ", median(s->b.seconds, s->runs) / median(s->a.seconds, s->runs),
	    least(pair, s->runs), largest(pair, s->runs));
}

/* --- */

static unsigned
count(const char *s)
{
	unsigned long n = strtoul(s, NULL, 10);

	if (n > RUNS_MAX)
		die(s, "too many runs");
	return (unsigned)n;
}

static void
options(struct setup *s, int argc, char **argv)
{
	int o;

	*s = (struct setup){ .runs = 5, .warm = 1 };
	while ((o = getopt(argc, argv, "+n:w:1sa:b:x:")) != -1) {
		if (o == 'n')
			s->runs = count(optarg);
		else if (o == 'w')
			s->warm = count(optarg);
		else if (o == '1')
			s->one_core = true;
		else if (o == 's')
			s->b.own_clock = true;
		else if (o == 'a')
			s->a.out = optarg;
		else if (o == 'b')
			s->b.out = optarg;
		else if (o == 'x' && s->nremove < REMOVE_MAX)
			s->remove[s->nremove++] = optarg;
		else
			exit(2);
	}
	if (s->runs == 0 || optind == argc)
		die("usage", "time [OPTION]... -- COMMAND [-- COMMAND]");
	s->a.argv = argv + optind;
	for (int i = optind; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			argv[i] = NULL;
			s->b.argv = argv + i + 1;
			break;
		}
	}
	if (s->b.argv && !s->b.argv[0])
		s->b.argv = NULL;
}

int
main(int argc, char **argv)
{
	static struct setup s;
	double busy[2], all[2], ours = 0, self;
	struct rusage use;

	options(&s, argc, argv);
	machine(&busy[0], &all[0]);
	for (unsigned i = 0; i < s.warm + s.runs; i++) {
		unsigned at = i < s.warm ? 0 : i - s.warm;

		if (i == s.warm)
			s.a.rss_kib = s.b.rss_kib = 0;
		ours += run(&s, &s.a, at);
		if (s.b.argv)
			ours += run(&s, &s.b, at);
	}
	machine(&busy[1], &all[1]);
	getrusage(RUSAGE_SELF, &use);
	self = seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
	double others = all[1] > all[0] ? 100 * (busy[1] - busy[0] - ours - self) / (all[1] - all[0]) : 0;
	print_seconds(&s.a, s.runs);
	print_seconds(&s.b, s.runs);
	print_ratios(&s);
	printf("%.6f %ld %.0f\n", median(s.a.cpu, s.runs), s.a.rss_kib, others > 0 ? others : 0);
	return 0;
}
