/*
 * figures.cjs PAGE...: what report pages cost who looks at them, opened from a disk in Chromium and Firefox: medians of five, as rows of Markdown.
 *
 * No checks: figures of one machine. Run by hand with nothing else running: tests/system/report/driver.cjs figures.cjs PAGE...; FIGURES.md has some.
 * Frames are counted in a browser without a screen, which draws 60 a second at the most.
 */
'use strict';
const fs = require('fs'), path = require('path'), url = require('url');
const { chromium, firefox } = require('./driver.cjs');

const TURNS = 5;
const median = (all) => all.slice().sort((a, b) => a - b)[all.length >> 1];

/* Once the first timeline is drawn, or, on pages without one, all scripts have run. */
const READY = 'new Promise((done) => { const end = Date.now() + 60000, look = () => !document.querySelector("script[data-names]") || ' +
	'performance.getEntriesByName("ready").length || Date.now() > end ? done(1) : setTimeout(look, 5); look(); })';
const OPENED = '[performance.getEntriesByName("first-contentful-paint")[0], performance.getEntriesByName("ready")[0]].map((e) => e ? e.startTime : NaN)';

/* ${count} animation frames in each of which ${step} is done: the script's own ms in the middle and at the most, and frames a second. */
function driven(count, step) {
	return 'new Promise((done) => { const took = [], at = []; let i = 0; const turn = (now) => { at.push(now); const begun = performance.now(); ' +
		step + '; took.push(performance.now() - begun); i++ < ' + count + ' ? requestAnimationFrame(turn) : ' +
		'done([took.sort((a, b) => a - b)[took.length >> 1], took[took.length - 1], (at.length - 1) * 1000 / (at[at.length - 1] - at[0])]); }; ' +
		'requestAnimationFrame(turn); })';
}

const KEY = (key) => 'document.querySelector("#frame canvas").dispatchEvent(new KeyboardEvent("keydown", { key: ' + key + ' }))';
/* The longest of all tables. */
const LONG = 'Array.from(document.querySelectorAll("#tables table:not(.tree)")).sort((a, b) => b.tBodies[0].rows.length - a.tBodies[0].rows.length)[0]';
const timed = (text) => '(() => { const begun = performance.now(); ' + text + '; document.body.offsetHeight; return performance.now() - begun; })()';

async function once(browser, address, rows) {
	const page = await browser.open(address), put = (what, v) => (rows[what] = rows[what] || []).push(v);

	await page.wait(READY);
	const [paint, ready] = await page.run(OPENED);
	put('first paint, ms', paint);
	put('usable, ms', ready);
	if (page.send) {
		await page.send('HeapProfiler.collectGarbage');
		put('heap of scripts, MiB', (await page.send('Runtime.getHeapUsage')).usedSize / 2 ** 20);
	}
	const worst = await page.run('Array.from(document.querySelectorAll("#worst table[data-t=hitches] tbody th"), (e) => e.dataset.v)');
	const took = [];
	for (const n of worst.slice(1, 6)) {
		await page.run('(performance.clearMeasures(), location.hash = "frame=' + n + '")');
		await page.wait('new Promise((done) => { const end = Date.now() + 5000, look = () => performance.getEntriesByName("frame").length || ' +
			'Date.now() > end ? done(1) : setTimeout(look, 2); look(); })');
		took.push(await page.run('(performance.getEntriesByName("frame")[0] || { duration: NaN }).duration'));
	}
	put('hitch to its timeline, ms', median(took));
	await page.run('document.querySelector("#frame").scrollIntoView()');
	for (let i = 0; i < 3; i++) {
		await page.run(KEY('"+"'));
	}
	const pan = await page.wait(driven(120, KEY('i % 40 < 20 ? "d" : "a"'))), zoom = await page.wait(driven(120, KEY('i % 20 < 10 ? "+" : "-"')));
	put('pan, frames a second', pan[2]);
	put('zoom, frames a second', zoom[2]);
	put('pan and zoom, ms of script a frame, longest', Math.max(pan[1], zoom[1]));
	await page.run('scrollTo(0, 0)');
	put('scroll, frames a second', (await page.wait(driven(180, 'scrollBy(0, 60)')))[2]);
	await page.run(LONG + '.closest("details").open = true');
	put('rows of the longest table', await page.run(LONG + '.tBodies[0].rows.length'));
	put('sort it, ms', await page.run(timed(LONG + '.querySelectorAll("thead .s")[1].click()')));
	put('filter it, ms', await page.run(timed('{ const i = ' + LONG + '.closest("details").querySelector("input"); i.value = "1"; ' +
		'i.dispatchEvent(new Event("input")); }')));
}

module.exports = async (...files) => {
	for (const file of files) {
		const all = [], address = url.pathToFileURL(file).href;

		for (const [name, browser] of [['Chromium', chromium()], ['Firefox', await firefox()]]) {
			const rows = {};

			await once(browser, address, {});
			for (let turn = 0; turn < TURNS; turn++) {
				await once(browser, address, rows);
			}
			all.push([name, rows]);
		}
		console.log('\n| ' + path.basename(file) + ', ' + (fs.statSync(file).size / 2 ** 20).toFixed(2) + ' MiB | ' +
			all.map((a) => a[0]).join(' | ') + ' |');
		console.log('|---|' + all.map(() => '---').join('|') + '|');
		for (const what of Object.keys(all[0][1])) {
			console.log('| ' + what + ' | ' + all.map(([, rows]) => rows[what] ? Number(median(rows[what]).toFixed(1)) : '-').join(' | ') + ' |');
		}
	}
};
