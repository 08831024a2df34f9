/**
 * Definitions of words in the manual and the tables that no column, metric or kind of loss defines.
 */
#ifndef TT_MODEL_GLOSSARY_H
#define TT_MODEL_GLOSSARY_H

struct tt_glossary_word { const char *name, *text; };

/* Terms, zones that the program makes itself, and notes on reports. Each list ends with an entry without a name. */
extern const struct tt_glossary_word tt_glossary_terms[], tt_glossary_zones[], tt_glossary_notes[];

#endif
