/*
 * instructions.so: a plug-in of qemu-x86_64 that counts the instructions of a program and of what it forks.
 *
 *	qemu-x86_64 -plugin instructions.so,out=FILE PROGRAM...
 * adds a line "instructions NUMBER" to FILE at the end of each process. What qemu offers to plug-ins is declared here: distributions
 * do not pack its header.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*of)(uint64_t id, struct qemu_plugin_tb *tb));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *number, uint64_t add);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*of)(uint64_t id, void *arg), void *arg);
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

extern int qemu_plugin_version;
int qemu_plugin_version = 1;

static uint64_t count;
static char path[4096];

static void
block(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &count, qemu_plugin_tb_n_insns(tb));
}

static void
finish(uint64_t id, void *arg)
{
	char line[64];
	int n = snprintf(line, sizeof line, "instructions %" PRIu64 "\n", count), fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	(void)id;
	(void)arg;
	if (fd >= 0 && write(fd, line, (size_t)n) != n)
		fprintf(stderr, "%s: not written\n", path);
	if (fd >= 0)
		close(fd);
}

int
qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || strlen(argv[0]) >= sizeof path)
		return 1;
	strcpy(path, argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, block);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
