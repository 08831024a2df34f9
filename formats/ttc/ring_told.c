/**
 * Reads what a ring says about its recording, without the capture, for the list of leftover rings (tracetool recover).
 *
 * A ring has a copy of its capture's head, made when the recording began; layout.h says where.
 */
#include <string.h>

#include "ttc/crc32c.h"
#include "ttc/ttc.h"
#include "sys/sys.h"

/* Return the text ${which} of a head of ${size} bytes; "" if the head has no such text. */
static const char *
text_of(const char *head, size_t size, enum ttc_text which)
{
	size_t at = sizeof(struct ttc_head);

	for (int i = 0; i < (int)which && at < size; i++)
		at += strlen(head + at) + 1;
	return at < size ? head + at : "";
}

bool
ttc_ring_read_head(int fd, struct ttc_ring_facts *t)
{
	struct ttc_ring r;
	struct ttc_head h;
	uint32_t crc;

	if (tt_sys_pread(fd, &r, sizeof r, 0) != (int64_t)sizeof r || memcmp(r.magic, TTC_RING_MAGIC, 8) != 0 || r.major != TTC_MAJOR ||
	    r.head < sizeof h || r.head > TTC_RING_TEXT || tt_sys_pread(fd, t->head, r.head, TTC_RING_COPY) != (int64_t)r.head)
		return false;
	memcpy(&h, t->head, sizeof h);
	crc = h.crc;
	h.crc = 0;
	memcpy(t->head, &h, sizeof h);
	tt_crc32c_init();
	if (h.size != r.head || tt_crc32c(0, t->head, r.head) != crc || t->head[r.head - 1] != '\0')
		return false;
	memcpy(t->run, h.run, sizeof t->run);
	t->wall_ns = h.wall_ns <= INT64_MAX ? (int64_t)h.wall_ns : 0;
	t->args = text_of(t->head, r.head, TTC_T_ARGS);
	t->capture = text_of(t->head, r.head, TTC_T_CAPTURE);
	return true;
}

bool
ttc_is_of_recording(int fd, const uint8_t run[16])
{
	struct ttc_head h;

	return tt_sys_pread(fd, &h, sizeof h, 0) == (int64_t)sizeof h && memcmp(h.magic, TTC_MAGIC, 8) == 0 && memcmp(h.run, run, sizeof h.run) == 0;
}
