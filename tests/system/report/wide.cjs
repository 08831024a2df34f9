/*
 * wide.cjs PAGE...: pages whose every name is long and without a break are no wider than their window of 1280 and of 400 px, folded and unfolded, in
 * Chromium. The same page with an element that is wider is found, so that the check cannot pass in vain.
 */
'use strict';
const path = require('path');
const url = require('url');
const { chromium, check } = require('./driver.cjs');

const FITS = 'document.documentElement.scrollWidth <= innerWidth';

module.exports = async (...args) => {
	const browser = await chromium();
	let page;

	for (const name of args) {
		for (const width of [1280, 400]) {
			page = await browser.open(url.pathToFileURL(path.resolve(name)).href);
			await page.look({ width });
			check(name + ', ' + width + ' px: no wider than the window', await page.run(FITS), true);
			await page.run('document.querySelectorAll("details").forEach((d) => { d.open = true; })');
			check(name + ', ' + width + ' px: nor when all is unfolded', await page.run(FITS), true);
		}
	}
	await page.run('document.querySelector("main").style.minWidth = "900px"');
	check('a wider element is found', await page.run(FITS), false);
};
