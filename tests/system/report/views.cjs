/*
 * views.cjs LINES STACKS HEAP GROWING: charts of counters and the heap, and the flame graph of samples, in Chromium and in Firefox.
 *
 * LINES is of 40 frames with one counter, which is the number of the frame before; STACKS of testdata/mlpd/good-d02-gameloop-sample.mlpd; HEAP of
 * good-d07-heapshot.mlpd; GROWING has one cause, Sense, which no single frame has. Keys and the pointer tell values, a click opens the frame, a
 * frame has what its neighbours have beside it, samples have callers and callees. Without scripts, charts and tables are there.
 */
'use strict';
const url = require('url');
const { chromium, firefox, check } = require('./driver.cjs');

/* The text of ${selector} as soon as it begins with ${start}, or after five seconds. */
function says(selector, start) {
	return 'new Promise((done) => { const end = Date.now() + 5000, look = () => { ' +
		'const e = document.querySelector(' + JSON.stringify(selector) + '); ' +
		'e && e.textContent.startsWith(' + JSON.stringify(start) + ') || Date.now() > end ? ' +
		'done(e && e.textContent) : setTimeout(look, 5); }; look(); })';
}

const READY = 'new Promise((done) => { const end = Date.now() + 5000, look = () => ' +
	'document.querySelector("figure.ln svg[tabindex]") || ' +
	'Date.now() > end ? done(1) : setTimeout(look, 5); look(); })';
const NEAR = 'Array.from(document.querySelectorAll("#frame table"), (t) => t.caption.textContent === "This frame beside its neighbours and the median" && ' +
	'!t.parentNode.hidden && Array.from(t.tBodies[0].rows, (r) => r.cells[0].textContent)).find((t) => t)';
const VALUES = 'Array.from(document.querySelectorAll("#frame table"), (t) => t.caption.textContent === "Counters in this frame" && ' +
	'Array.from(t.tBodies[0].rows, (r) => Array.from(r.cells, (c) => c.textContent).slice(0, 3))).find((t) => t)';

async function alike(name, open, lines, stacks, heap, growing) {
	let page = await open(lines + '#frame=8');
	await page.wait(READY);
	await page.run('document.querySelector("figure.ln svg").focus()');
	for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) {
		await page.press(key);
	}
	check(name + ': keys tell a value', await page.wait(says('figure.ln output', 'frame 3')), 'frame 3: 2 B');
	await page.press('Enter');
	check(name + ': Enter opens the frame', await page.wait(says('#frame h2', 'Frame 3')), 'Frame 3');
	check(name + ': it has neighbours beside it', (await page.run(NEAR)).slice(0, 5), ['1', '2', '3 (this)', '4', '5']);
	check(name + ': and its counters', await page.run(VALUES), [['Heap', 'bytes', '2 B']]);
	page = await open(stacks + '#sampled=Thread%3ASleep');
	check(name + ': samples of a method', (await page.wait(says('#sampled p + p', 'Thread:Sleep'))).split('.')[0], 'Thread:Sleep: 125 samples, 45');
	check(name + ': its callers', await page.run('Array.from(document.querySelector("#sampled table").tBodies[0].rows, (r) => [r.cells[0].textContent, ' +
		'Number(r.cells[1].dataset.v)])'), [['Program:Main', 125]]);
	page = await open(growing);
	await page.wait(says('#causes th button', ''));
	await page.run('document.querySelector("#causes th button").click()');
	check(name + ': a growth leads to its line over the frames', [await page.run('location.hash'),
		await page.run('document.querySelector(".mk path").getAttribute("d").split("M").length > 100')], ['#over=Sense', true]);
	page = await open(heap);
	await page.wait(READY);
	await page.run('document.querySelector("#heap figure.ln svg").focus()');
	await page.press('End');
	const at = await page.wait(says('#heap figure.ln output', 'at '));
	check(name + ': the size of the heap at a time', /^at [\d.]+ m?s: .* MB$/.test(at) || at, true);
	return page;
}

module.exports = async (...files) => {
	const [lines, stacks, heap, growing] = files.map((f) => url.pathToFileURL(f).href), browser = chromium(), pages = [];

	await alike('Chromium', async (address) => {
		pages.push(await browser.open(address));
		return pages[pages.length - 1];
	}, lines, stacks, heap, growing);
	check('Chromium: nothing on the console', pages.map((p) => p.said), pages.map(() => []));
	const page = await browser.open(lines, false), { root } = await page.send('DOM.getDocument', { depth: 0 });
	const { nodeId } = await page.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#counters' });
	const text = (await page.send('DOM.getOuterHTML', { nodeId })).outerHTML;
	check('without scripts a counter has its line and its row', [text.includes('<path class="e"'), text.includes('>Heap</th>'), text.includes('<output')],
		[true, true, false]);
	const other = await firefox(), last = await alike('Firefox', (address) => other.open(address), lines, stacks, heap, growing);
	check('Firefox: nothing on the console', await last.said(), []);
};
