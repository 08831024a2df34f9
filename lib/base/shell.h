/**
 * Words of a shell's command line, for messages that print a command.
 */
#ifndef TT_BASE_SHELL_H
#define TT_BASE_SHELL_H

struct tt_buf;

/* Append the argument ${s}, quoted for a shell if it needs quotes. Errors stay in the buffer. */
void tt_shell_quote(struct tt_buf *to, const char *s);

#endif
