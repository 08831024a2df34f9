/**
 * Files that are built in, as they lie in the sources: the Makefile writes these arrays. A page's policy names the digests.
 */
#ifndef TT_OUT_BUILT_H
#define TT_OUT_BUILT_H

/* page.css and page.js, and their digests in base64. */
extern const char tt_built_css[], tt_built_css_sha256[], tt_built_js[], tt_built_js_sha256[];

#endif
