/**
 * Packets: fields of a message of protocol buffers, each a tag of one byte, the length of the rest, and the rest.
 *
 * Internal to lib/io. Perfetto's traces are made of them.
 */
#ifndef TT_IO_PACKET_H
#define TT_IO_PACKET_H

#include <stddef.h>
#include <stdint.h>

/* Behind the packet at ${p}, which is before ${end}; NULL: it does not end there or before, or is none. */
static inline const uint8_t *
tt_packet_end(const uint8_t *p, const uint8_t *end)
{
	size_t left = (size_t)(end - p), n = 0, k = 1;

	for (unsigned shift = 0; k < left && k < 6; shift += 7) {
		n |= (size_t)(p[k] & 127) << shift;
		if (p[k++] < 128)
			return n <= left - k ? p + k + n : NULL;
	}
	return NULL;
}

#endif
