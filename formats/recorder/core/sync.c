/**
 * Syncs the capture to disk (fsync) once a second, so that a power cut loses at most the last second. It runs on its own thread, because a sync takes long on
 * a slow disk, and the ring must not fill up meanwhile.
 */
#include "recorder/core/writer.h"

#define WRITER rec_writer

enum { RETRY_US = 1000000 };

static atomic_flag file = ATOMIC_FLAG_INIT;   /* held while the descriptor is used here, or changes */

void
writer_lock_file(void)
{
	while (atomic_flag_test_and_set_explicit(&file, memory_order_acquire))
		plat_sleep_us(200);
}

void
writer_unlock_file(void)
{
	atomic_flag_clear_explicit(&file, memory_order_release);
}

static void
run_syncer(void)
{
	bool able = true;

	while (able && !atomic_load_explicit(&WRITER.closing, memory_order_acquire)) {
		uint64_t want = atomic_load_explicit(&WRITER.sync_want, memory_order_acquire);
		if (want != atomic_load_explicit(&WRITER.sync_done, memory_order_relaxed)) {
			writer_lock_file();
			able = plat_sync(WRITER.fd) == 0; /* pipes and devices cannot be synced */
			writer_unlock_file();
			if (able)
				atomic_store_explicit(&WRITER.sync_done, want, memory_order_release);
		}
		plat_nap_us(PLAT_BELL_SYNC, RETRY_US);
	}
}

int
writer_sync_start(void)
{
	atomic_store(&WRITER.sync_want, 0);
	atomic_store(&WRITER.sync_done, 0);
	return WRITER.o.no_sync ? 0 : plat_thread_start(&WRITER.syncer, run_syncer);
}

void
writer_sync_end(void)
{
	if (WRITER.o.no_sync)
		return;
	plat_wake(PLAT_BELL_SYNC);
	plat_thread_join(&WRITER.syncer);
}
