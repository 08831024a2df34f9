/**
 * Fuzz target: tar and zip archives, through all their members; 64 KiB of each are read. 7z is left out: the library
 * makes dictionaries as large as an archive asks for, and what bounds that is a limit on the process (tests/system/batch).
 */
#include <stdlib.h>

#include "archive/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_env env = { .jobs = 1, .decoded_max = 16 << 20, .ratio_max = 500 };
	enum tt_archive_kind kind;
	struct tt_archive *ar = NULL;
	struct tt_member m;
	struct tt_src *src;
	struct tt_err err;
	const uint8_t *head;
	uint8_t buf[4096];
	size_t n;

	if (tt_src_open_mem(&env, data, size, "input", &src, &err) != TT_OK)
		return 0;
	kind = tt_src_peek(src, &head, &n, &err) == TT_OK ? tt_archive_probe(head, n) : TT_ARCHIVE_NONE;
	if ((kind == TT_ARCHIVE_TAR || kind == TT_ARCHIVE_ZIP) && tt_archive_open(&env, src, kind, &ar, &err) == TT_OK) {
		int rc = TT_OK;

		for (int i = 0; i < 1000 && (rc == TT_OK || rc == TT_E_DAMAGED); i++) {
			rc = tt_archive_next(ar, &m, &err);
			for (int k = 0; rc == TT_OK && k < 16 && tt_archive_read(ar, buf, sizeof buf, &n, &err) == TT_OK; k++)
				;
		}
	}
	tt_archive_close(ar);
	tt_src_close(src);
	if (atomic_load(&env.mem.used) != 0)
		abort();
	return 0;
}
