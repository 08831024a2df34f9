/*
 * reader.cjs PILES GROWING: what somebody who sees a report page for the first time looks at, in Chromium and in Firefox.
 *
 * PILES is of check.py's piles(): frame 11 has 6,000 times Tiny, 1 us, and Big, 29 us, in 50 us each; frame 12 has each once, 4 ms.
 * GROWING is of growing(): Sense takes 18 us in the first frame and 25 us more in each.
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
	check(name + ': they are told together', /^\d+ calls of Big, [1-4]\d\d\.\d µs of [2-6]\d\d\.\d µs; \d+ others, [\d.]+ µs; zoom in to tell them apart$/.test(said) || said, true);
	check(name + ': also beside the picture', await page.run(SAID), said);
}

/* Of each bar of a marker's chart how high it is. */
const BARS = 'Array.from(document.querySelector(".mk path").getAttribute("d").matchAll(/V([\\d.]+)h1/g), (m) => 100 - m[1])';
const SEEN = '((b) => b.top >= 0 && b.bottom <= innerHeight)(document.querySelector(".mk").getBoundingClientRect())';

/* A cause that grows is seen to grow. */
async function growth(name, page) {
	await page.wait(is('document.querySelectorAll("#causes tbody th button").length', 1));
	await page.run('document.querySelector("#causes tbody th button").click()');
	check(name + ': the link of a growth leads to its chart', await page.wait(is(SEEN, true)), true);
	let bars = await page.run(BARS);
	check(name + ': which has a scale of its own', [bars.length, bars[239] > 90, Math.abs(bars[120] / bars[239] - .5) < .02], [240, true, true]);
	await page.run('location.hash = "range=1-24&over=Sense"');
	await page.wait(is(BARS + '.length', 24));
	bars = await page.run(BARS);
	check(name + ': in a range, too', [bars[23] > 90, Math.abs(bars[11] / bars[23] - .5) < .03], [true, true]);
	check(name + ': whose frames are named', await page.run('Array.from(document.querySelectorAll(".mk text"), (t) => t.textContent).slice(-2)'),
		['frame 1', 'frame 24']);
}

module.exports = async (...files) => {
	const [piled, growing] = files.map((f) => url.pathToFileURL(f).href);

	for (const [name, browser] of [['Chromium', chromium()], ['Firefox', await firefox()]]) {
		let page = await browser.open(piled + '#frame=12');

		await piles(name, page);
		page = await browser.open(growing);
		await growth(name, page);
		check(name + ': nothing on the console', await page.heard(), []);
	}
};
