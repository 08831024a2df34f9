/*
 * access.cjs PAGE...: axe-core finds nothing serious in any view of report pages, in Chromium: light, dark, 400 px wide, with all unfolded;
 * in check in some of them by lot.
 *
 * The same page with a field that has no name is found, so that the check cannot pass in vain. Nothing is wider than a narrow window.
 * On paper all but what needs a screen is there.
 */
'use strict';
const path = require('path'), url = require('url');
const { CRAMPED, chromium, check, serious, some } = require('./driver.cjs');

/* Views are made of data that are inflated; then the next drawing. */
const READY = 'Promise.all([/^Frame \\d/, /zones|callers/].map((want, i) => new Promise((done) => { const end = Date.now() + 5000, look = () => { ' +
	'const e = document.querySelector(i ? "#flame p + p" : "#frame h2"); ' +
	'!e || want.test(e.textContent) || Date.now() > end ? requestAnimationFrame(() => done(1)) : setTimeout(look, 5); }; look(); })))';

module.exports = async (...files) => {
	const browser = chromium();

	for (const file of files) {
		/* The first page has frames and all that belongs to them; the others are looked at as they open. */
		const views = file === files[0] ? [['#frame=51', 'dark', 400], ...some([['', 'light', 1280], ['', 'dark', 1280],
			['#marker=Enemies%3AFindPath', 'light', 400], ['#over=Level%3ADecode', 'light', 1280]], 2, 'access')] :
			some([['', 'light', 1280], ['', 'dark', 400]], 1, 'access ' + path.basename(file));
		/* In other colours fewer rules matter, where all were asked for in these. */
		const again = (scheme) => scheme === 'dark' && views.some((v) => v[0] === '' && v[1] === 'light');

		for (const [view, scheme, width] of views) {
			const page = await browser.open(url.pathToFileURL(file).href + view);
			const what = path.basename(file) + view + ', ' + scheme + ', ' + width + ' px';

			await page.look({ width, scheme });
			await page.wait(READY);
			check(what + ': no wider than the window', await page.run('document.documentElement.scrollWidth <= innerWidth'), true);
			check(what + ': names have room', width === 400 ? await page.run(CRAMPED) : [], []);
			check(what + ': nothing serious', await serious(page, view === '' && again(scheme)), []);
			if (view === '#frame=51') {
				await page.run('document.querySelector("#flame label").replaceWith(document.querySelector("#flame input"))');
				check('a field without a name is found', (await serious(page)).map((v) => v.split(':')[0]), ['label']);
			}
		}
	}
	const page = await browser.open(url.pathToFileURL(files[0]).href + '#frame=51');
	await page.wait(READY);
	await page.look({ media: 'print' });
	check('paper has the verdict, the frame and its table', await page.run('["#verdict", "#causes", "#frame canvas", "#frame table", "#worst"]' +
		'.filter((s) => !document.querySelector(s).checkVisibility())'), []);
	check('but nothing to use', await page.run('Array.from(document.querySelectorAll("button.c, input, select, nav")).filter((e) => e.checkVisibility())' +
		'.map((e) => e.outerHTML.slice(0, 80))'), []);
	const pdf = await page.send('Page.printToPDF', {});
	check('and can be printed', Buffer.from(pdf.data, 'base64').subarray(0, 5).toString(), '%PDF-');
};
