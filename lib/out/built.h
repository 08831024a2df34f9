/**
 * Files that are built into the program: the Makefile writes these arrays from the sources. A page's policy names the digests.
 */
#ifndef TT_OUT_BUILT_H
#define TT_OUT_BUILT_H

/* page.css, page.js, view.js, lines.js, ranges.js and compare.js, and their digests in base64. */
extern const char tt_built_page_css[], tt_built_page_css_sha256[], tt_built_page_js[], tt_built_page_js_sha256[];
extern const char tt_built_view_js[], tt_built_view_js_sha256[], tt_built_compare_js[], tt_built_compare_js_sha256[];
extern const char tt_built_lines_js[], tt_built_lines_js_sha256[], tt_built_ranges_js[], tt_built_ranges_js_sha256[];

#endif
