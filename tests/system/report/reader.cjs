/*
 * reader.cjs PILES: what somebody who sees a report page for the first time looks at, in Chromium and in Firefox.
 *
 * PILES is of check.py's piles(): frame 11 has 6,000 times Tiny, 1 us, and Big, 29 us, in 50 us each; frame 12 has each once, 4 ms.
 */
'use strict';
const url = require('url');
const { chromium, firefox, check } = require('./driver.cjs');

/* ${text} as soon as it is ${value}, or after five seconds. */
function is(text, value) {
	return 'new Promise((done) => { const end = Date.now() + 5000, look = () => JSON.stringify(' + text + ') === ' +
		JSON.stringify(JSON.stringify(value)) + ' || Date.now() > end ? requestAnimationFrame(() => done(' + text + ')) : setTimeout(look, 5); look(); })';
}

const HEAD = 'document.querySelector("#frame h2").textContent';
const SAID = 'document.querySelector("#frame output").textContent';
/* The colour in the middle of the row ${row} of the timeline, at ${part} of its width. */
const colour = (row, part) => '(() => { const c = document.querySelector("#frame canvas"), r = c.width / c.clientWidth; return c.getContext("2d").getImageData(' +
	'Math.floor(c.width * ' + part + '), (' + row + ' * 18 + 14) * r, 1, 1).data.join(); })()';
/* How much of a row is of each colour, [colour, part], of the inner columns. */
const covers = (row) => '(() => { const c = document.querySelector("#frame canvas"), r = c.width / c.clientWidth, n = c.width - 200 | 0, m = 16 * r | 0; ' +
	'const d = c.getContext("2d").getImageData(100, (' + row + ' * 18 + 1) * r, n, m).data, of = {}; for (let i = 0; i < d.length; i += 4) { ' +
	'const k = d.slice(i, i + 4).join(); of[k] = (of[k] || 0) + 1; } return Object.entries(of).map(([k, v]) => [k, v / n / m]); })()';
const over = (row, part) => '(() => { const c = document.querySelector("#frame canvas"), b = c.getBoundingClientRect(), at = { bubbles: true, ' +
	'clientX: b.left + b.width * ' + part + ', clientY: b.top + ' + row + ' * 18 + 6 }; c.dispatchEvent(new PointerEvent("pointermove", at)); ' +
	'return document.querySelector(".tip").textContent; })()';

/* Calls that share a pixel. */
async function piles(name, page) {
	await page.wait(is(HEAD, 'Frame 12'));
	const [tiny, big] = [await page.run(colour(3, .2)), await page.run(colour(3, .6))];
	check(name + ': markers have colours of their own', tiny !== big, true);
	await page.run('location.hash = "frame=11"');
	await page.wait(is(HEAD, 'Frame 11'));
	await page.wait('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))');
	const drawn = new Map(await page.run(covers(3)));
	check(name + ': calls that share a pixel have the colour of what takes most time', [drawn.get(tiny) || 0, drawn.get(big) > .5], [0, true]);
	check(name + ': and cover as much as they take', Math.abs(drawn.get(big) - .58) < .08 || drawn.get(big), true);
	const said = await page.run(over(3, .5));
	check(name + ': they are told together', /^\d calls of Big, 1\d\d\.\d µs of 2\d\d\.\d µs; \d others, \d\.\d+ µs; zoom in to tell them apart$/.test(said) || said, true);
	check(name + ': also beside the picture', await page.run(SAID), said);
}

module.exports = async (...files) => {
	const [piled] = files.map((f) => url.pathToFileURL(f).href);

	for (const [name, browser] of [['Chromium', chromium()], ['Firefox', await firefox()]]) {
		const page = await browser.open(piled + '#frame=12');

		await piles(name, page);
		check(name + ': nothing on the console', await page.heard(), []);
	}
};
