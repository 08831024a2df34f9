/**
 * Files that are built in, as they lie in the sources: the Makefile writes these arrays. A page's policy names the digests.
 */
#ifndef TT_OUT_BUILT_H
#define TT_OUT_BUILT_H

extern const char tt_built_css[], tt_built_css_sha256[];      /* page.css; its digest in base64 */

#endif
