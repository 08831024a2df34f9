/*
 * browser.cjs PAGE HOSTILE MANY LONG: open report pages from a disk in Debian's Chromium, and use them as people do.
 *
 * PAGE is of testdata/demo/good-hitches.ttc.xz; HOSTILE has names that would set window.got; MANY is of 5,000 frames, of which 2501 is long;
 * LONG has a table of 300 markers.
 * No message on the console, no request but for the file; columns are sorted, rows filtered, a range of frames is chosen by its numbers, by
 * dragging and by the address. Without scripts the page reads the same, and from a server with Jenkins' own policy, which blocks scripts and
 * styles.
 */
'use strict';
const fs = require('fs'), http = require('http'), url = require('url');
const { chromium, check } = require('./driver.cjs');

const RANGE = 'document.querySelector("figure .r").textContent';
const SELF = 'Array.from(document.querySelectorAll("#t-markers tbody tr:not([hidden])"), r => r.cells[2].dataset.v).map(Number)';

const MISSES = 'Misses 60 fps in 6 of 129 frames (4.65 %), and 30 fps in 5 of 129 frames (3.88 %).';

/* The first sentence of a page, also where no script of ours could read it. */
async function verdict(page) {
	const { root } = await page.send('DOM.getDocument', { depth: 0 });
	const { nodeId } = await page.send('DOM.querySelector', { nodeId: root.nodeId, selector: '.v' });

	return (await page.send('DOM.getOuterHTML', { nodeId })).outerHTML.replace(/<[^>]*>/g, '');
}

module.exports = async (demo_file, evil_file, many_file, long_file) => {
	const browser = chromium(), demo = url.pathToFileURL(demo_file).href, evil = url.pathToFileURL(evil_file).href;
	let page = await browser.open(demo);

	check('all frames are the range', (await page.run(RANGE)).split('.')[0] + '…', '129 frames: median 15…');
	check('its figures are the table\'s', await page.run(RANGE + '.split(" Drag")[0]'),
		'129 frames: median 15.76 ms, p95 16.44 ms, p99 39.79 ms, max 39.90 ms; over 16.67 ms: 6, over 33.33 ms: 5.');
	await page.run('{ const [a, b] = document.querySelectorAll("figure input"); a.value = 102; b.value = 110; b.dispatchEvent(new Event("change")); }');
	check('numbers choose a range', await page.run(RANGE + '.split(":")[0]'), '9 frames');
	check('it is in the address', await page.run('location.hash'), '#range=102-110');
	check('and there is its command', (await page.run('document.querySelector("figure .r code").textContent')).split(' -o ')[1],
		'range.html --frames 102-110');
	await page.run('document.querySelector("figure").scrollIntoView()');
	const box = await page.run('(b => [b.left, b.top, b.width, b.height])(document.querySelector("figure svg").getBoundingClientRect())');
	const mouse = (type, part) => page.send('Input.dispatchMouseEvent', { type, x: box[0] + box[2] * part, y: box[1] + box[3] / 2, button: 'left',
		clickCount: 1, buttons: type === 'mouseReleased' ? 0 : 1 });
	await mouse('mousePressed', 24.5 / 129);
	await mouse('mouseMoved', 30.5 / 129);
	await mouse('mouseReleased', 34.5 / 129);
	check('dragging chooses a range', await page.run('location.hash'), '#range=25-35');
	check('its longest frames are named', await page.run('Array.from(document.querySelectorAll(".r .s"), (b) => b.textContent)[0]'), 'frame 26 35.61 ms');
	check('it has a chart of its own', await page.run('Array.from(document.querySelectorAll(".z path"), (p) => p.getAttribute("d").split("M").length - 1)'),
		[10, 0, 1]);
	check('the chart shows it', await page.run('(m => [m.getAttribute("visibility"), m.getAttribute("x").slice(0, 5)])' +
		'(document.querySelector(".m"))'), ['visible', '18.60']);

	await browser.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
	await page.run('document.querySelector(".r .c").scrollIntoView({ block: "center" })');
	const button = await page.run('(b => [b.left + b.width / 2, b.top + b.height / 2])(document.querySelector(".r .c").getBoundingClientRect())');
	for (const type of ['mousePressed', 'mouseReleased']) {
		await page.send('Input.dispatchMouseEvent', { type, x: button[0], y: button[1], button: 'left', clickCount: 1 });
	}
	check('its command can be copied', await page.wait('navigator.clipboard.readText()'), await page.run('document.querySelector(".r code").textContent'));
	check('a range has a button for each of its two commands', await page.run('document.querySelectorAll(".r .c").length'), 2);

	const before = await page.run(SELF);
	await page.run('document.querySelector("#t-markers").open = true; document.querySelectorAll("#t-markers th .s")[2].click()');
	check('a click sorts, largest first', await page.run(SELF), before.slice().sort((a, b) => b - a));
	await page.run('document.querySelectorAll("#t-markers th .s")[2].click()');
	check('another the other way round', await page.run(SELF), before.slice().sort((a, b) => a - b));
	check('which is said', await page.run('document.querySelectorAll("#t-markers thead th")[2].ariaSort'), 'ascending');
	await page.run('document.querySelectorAll("#t-markers th .s")[0].click()');
	check('names are sorted as text', await page.run('(n => JSON.stringify(n) === JSON.stringify(n.slice().sort()))' +
		'(Array.from(document.querySelectorAll("#t-markers tbody th"), e => e.textContent))'), true);
	await page.run('{ const i = document.querySelector("#t-markers input"); i.value = "gc.collect"; i.dispatchEvent(new Event("input")); }');
	check('rows are filtered', await page.run(SELF + '.length'), 1);
	check('and counted', await page.run('document.querySelector("#t-markers output").textContent'), '1 of 14 rows');
	check('nothing on the console', page.said, []);
	check('no request but for the file', page.asked, [demo]);

	page = await browser.open(demo + '#range=51-51');
	check('the address chooses a range', await page.run(RANGE + '.split(":")[0]'), '1 frame');
	page = await browser.open(demo + '#worst-3');
	check('a link unfolds what it leads to', await page.run('document.querySelector("#worst-3").open'), true);

	page = await browser.open(url.pathToFileURL(many_file).href);
	await page.run('document.querySelector("figure").scrollIntoView({ block: "center" })');
	// While the page is laid out, the chart may move away from the pointer.
	let x, y, told;
	for (const end = Date.now() + 5000; !/^Frame 2501:/.test(told) && Date.now() < end;) {
		[x, y] = await page.run('(b => [b.left + b.width * (2501.6 / 5000), b.top + b.height / 2])' +
			'(document.querySelector("figure svg").getBoundingClientRect())');
		await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
		told = await page.run('document.querySelector(".u").textContent.split(" more,")[0]');
	}
	check('of several frames under the pointer the longest is told, and why', told, 'Frame 2501: 40.00 ms, from 25.03 s on; 30.00\u00a0ms');
	await page.click(x, y);
	check('a click opens it', await page.wait('new Promise((done) => { const end = Date.now() + 5000, look = () => location.hash || ' +
		'Date.now() > end ? done(location.hash) : setTimeout(look, 5); look(); })'), '#frame=2501');

	page = await browser.open(url.pathToFileURL(long_file).href);
	await page.run('document.querySelector("#t-markers").open = true');
	const all = await page.run('Array.from(document.querySelectorAll("#t-markers tbody tr"), (r) => Number(r.cells[2].dataset.v))');
	check('of a long table the first rows are shown', [all.length, (await page.run(SELF)).length], [300, 100]);
	await page.run('document.querySelectorAll("#t-markers th .s")[2].click()');
	await page.run('document.querySelectorAll("#t-markers th .s")[2].click()');
	check('the first of all when it is sorted', await page.run(SELF), all.slice().sort((a, b) => a - b).slice(0, 100));
	await page.run('{ const i = document.querySelector("#t-markers input"); i.value = "kind.2"; i.dispatchEvent(new Event("input")); }');
	check('a filter looks at all of them', await page.run('document.querySelector("#t-markers output").textContent'), '100 of 300 rows');
	await page.run('{ const i = document.querySelector("#t-markers input"); i.value = ""; i.dispatchEvent(new Event("input")); }');
	check('there is a button for the others', await page.run('document.querySelector("#t-markers > .c").textContent'), 'Show all 300 rows');
	await page.run('document.querySelector("#t-markers > .c").click()');
	check('which shows all', await page.run(SELF), all.slice().sort((a, b) => a - b));
	const column = (table, c) => page.run('Array.from(document.querySelectorAll("' + table + ' tbody tr"), (r) => ' + c + ')');
	await page.run('document.querySelector("#time table[data-t=markers] th[data-c=count] .s").click()');
	const first = await column('#time table[data-t=markers]', 'Number(r.cells[5].dataset.v)');
	check('the first rows of a table are those of all, in the order that is chosen', first,
		(await column('#t-markers', 'Number(r.cells[5].dataset.v)')).sort((a, b) => b - a).slice(0, 10));
	check('they lead to their callers, too', await page.run('document.querySelectorAll("#time table[data-t=markers] tbody th > .s").length'), 10);
	await page.run('document.querySelector("#t-markers tbody tr").remove()');
	await page.run('document.querySelector("#time table[data-t=markers] th[data-c=count] .s").click()');
	check('where the page does not have all, it says so', await page.run('Array.from(document.querySelectorAll("#time .o:not([hidden])"), (p) => ' +
		'p.textContent).filter((t) => t.startsWith("Only"))'), ['Only the 10 rows shown are sorted, of 300.']);
	check('and sorts these', await column('#time table[data-t=markers]', 'Number(r.cells[5].dataset.v)'), first.slice().sort((a, b) => a - b));

	page = await browser.open(evil);
	check('no name runs', [await page.run('typeof window.got'), page.said, page.asked], ['undefined', [], [evil]]);
	/* The same page, one name not escaped: the policy stops it, which is seen. */
	const broken = evil_file.replace(/\.html$/, '.broken.html');
	fs.writeFileSync(broken, fs.readFileSync(evil_file, 'utf8').replace('<main>', '<main><script>window.got=1</script>'));
	page = await browser.open(url.pathToFileURL(broken).href);
	check('what is not escaped is stopped', await page.run('typeof window.got'), 'undefined');
	check('and said', page.said.some((s) => s.includes('Content Security Policy')), true);

	page = await browser.open(demo, false);
	check('it reads the same without scripts', await verdict(page), MISSES);

	const server = http.createServer((request, response) => {
		response.setHeader('Content-Security-Policy', "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';");
		response.setHeader('Content-Type', 'text/html');
		response.end(fs.readFileSync(demo_file));
	});
	await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
	page = await browser.open('http://127.0.0.1:' + server.address().port + '/');
	check('it reads the same under the policy of Jenkins', await verdict(page), MISSES);
	check('which blocks style and script', [await page.run('getComputedStyle(document.body).maxWidth'), await page.run('document.querySelector(".s")')],
		['none', null]);
	check('the chart keeps its size and colours', await page.run('[document.querySelector("figure svg").getBoundingClientRect().height, ' +
		'document.querySelector("path.k2").getAttribute("fill")]'), [196, '#c02626']);
	server.close();
	server.closeAllConnections();
};
