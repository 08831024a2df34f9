/**
 * Layout of Mono's log profiler files (.mlpd), data versions 4 to 17.
 *
 * Source: mono/profiler/log.h and mprof-report of Mono 4.2, 4.6, 6.8 and 6.14,
 * checked against real captures of 4.2.1, 4.6.2, 6.8.0 and 6.14.1; see
 * tracetool-mlpd(7). All fixed integers are little-endian on every platform.
 */
#ifndef TT_MLPD_LAYOUT_H
#define TT_MLPD_LAYOUT_H

#include <stdint.h>

#define MLPD_MAGIC        0x4D505A01u
#define MLPD_BUF_MAGIC    0x4D504C01u
#define MLPD_BUF_HEAD     48u
#define MLPD_V_MIN        4
#define MLPD_V_MAX        17

enum mlpd_type {
	MLPD_ALLOC, MLPD_GC, MLPD_METADATA, MLPD_METHOD, MLPD_EXCEPTION, MLPD_MONITOR, MLPD_HEAP, MLPD_SAMPLE,
	MLPD_RUNTIME, MLPD_COVERAGE, MLPD_META,
};

/* The tag byte: type in the low half, subtype in the high half. */
enum mlpd_tag {
	MLPD_ALLOC_PLAIN = 0x00, MLPD_ALLOC_BT = 0x10,
	MLPD_GC_EVENT = 0x11, MLPD_GC_RESIZE = 0x21, MLPD_GC_MOVE = 0x31,
	MLPD_HANDLE_NEW = 0x41, MLPD_HANDLE_FREE = 0x51, MLPD_HANDLE_NEW_BT = 0x61, MLPD_HANDLE_FREE_BT = 0x71,
	MLPD_FINALIZE_BEGIN = 0x81, MLPD_FINALIZE_END = 0x91, MLPD_FINALIZE_OBJ_BEGIN = 0xa1, MLPD_FINALIZE_OBJ_END = 0xb1,
	MLPD_META_NAME = 0x02, MLPD_META_LOAD = 0x22, MLPD_META_UNLOAD = 0x42, MLPD_META_LOAD_FAILED = 0xa2,
	MLPD_LEAVE = 0x13, MLPD_ENTER = 0x23, MLPD_EXC_LEAVE = 0x33, MLPD_JIT = 0x43,
	MLPD_THROW = 0x04, MLPD_THROW_BT = 0x84, MLPD_CLAUSE = 0x14,
	MLPD_HEAP_BEGIN = 0x06, MLPD_HEAP_END = 0x16, MLPD_HEAP_OBJECT = 0x26, MLPD_HEAP_ROOTS = 0x36,
	MLPD_ROOT_ADD = 0x46, MLPD_ROOT_DEL = 0x56,
	MLPD_HIT = 0x07, MLPD_USYM = 0x17, MLPD_UBIN = 0x27, MLPD_COUNTER_DESC = 0x37, MLPD_COUNTER_VALUES = 0x47,
	MLPD_JITHELPER = 0x18,
	MLPD_COV_ASSEMBLY = 0x09, MLPD_COV_METHOD = 0x19, MLPD_COV_STATEMENT = 0x29, MLPD_COV_CLASS = 0x39,
	MLPD_SYNC = 0x0a, MLPD_AOT_ID = 0x1a,
};

enum mlpd_meta { MLPD_CLASS = 1, MLPD_IMAGE, MLPD_ASSEMBLY, MLPD_DOMAIN, MLPD_THREAD, MLPD_CONTEXT, MLPD_VTABLE };

static inline uint32_t
mlpd_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
mlpd_u64(const uint8_t *p)
{
	return mlpd_u32(p) | (uint64_t)mlpd_u32(p + 4) << 32;
}

#endif
