/* What alloc.c and transfer.c share. */
#ifndef TT_TESTS_FAULT_H
#define TT_TESTS_FAULT_H

/* Tell the test that what it asked for has failed. */
void fault_tell(void);

#endif
