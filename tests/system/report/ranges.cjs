/*
 * ranges.cjs (RANGE PAGE JSON)...: tables of a range of frames in report pages, in Chromium and in Firefox.
 *
 * JSON is of stats --frames RANGE: PAGE shows the same rows, largest first, with one for all others, after the same range is asked for by the address.
 * What is still of all frames says so. Escape, and the button, show all frames again.
 */
'use strict';
const fs = require('fs'), url = require('url');
const { chromium, firefox, check, serious, some } = require('./driver.cjs');

const RANGED = 'new Promise((done) => { const end = Date.now() + 5000, look = () => performance.getEntriesByName("ranged").length || Date.now() > end ? ' +
	'done(performance.clearMarks("ranged")) : setTimeout(look, 5); look(); })';
/* {table: [{column: what JSON has}]} of the tables of the range; what is not a number is text. */
const TABLES = '(() => { const value = (c) => c.dataset.v === undefined ? c.textContent : Number(c.dataset.v), all = {}; ' +
	'for (const t of document.querySelectorAll("table[data-range]")) { const heads = t.tHead && Array.from(t.tHead.rows[0].cells); ' +
	'all[t.dataset.range] = heads && heads[0].scope !== "row" ? ' +
	'Array.from(t.tBodies[0].rows, (r) => Object.fromEntries(heads.map((h, i) => [h.dataset.c, value(r.cells[i])]))) : ' +
	'Array.from(t.rows[0].cells).slice(1).map((_, i) => Object.fromEntries(Array.from(t.rows, (r) => [r.cells[0].dataset.c, value(r.cells[i + 1])]))); } ' +
	'return all; })()';
const CAPTIONS = 'Array.from(document.querySelectorAll("table[data-range] caption"), (c) => c.textContent)';
const SUMS = { self_ns: 1, count: 1, bytes: 1, waiting_ns: 1, allocs: 1, alloc_bytes: 1 };
const FIRST = { markers: 'self_ns', categories: 'self_ns', threads: 'busy_ns', alloc_sites: 'bytes', alloc_classes: 'bytes' };

/* What ${have} says beside ${want}, all rows of JSON: [] where nothing is wrong. */
function differences(id, have, want) {
	const names = Object.keys(have[0] || {}).filter((c) => typeof have[0][c] === 'string' && have[0][c] !== '-'), bad = [];
	const key = (r) => names.map((c) => r[c]).join('\n'), left = want.filter((r) => id !== 'frames' && id !== 'frame_budgets' ||
		r.time === 'wall' || r.time === 'uncapped');

	for (const row of have) {
		if (row[names[0]] === '(all others)') {
			for (const c of Object.keys(row).filter((c) => SUMS[c])) {
				const sum = left.reduce((a, r) => a + (r[c] || 0), 0);

				if (row[c] !== sum) {
					bad.push([id, 'others', c, row[c], sum]);
				}
			}
			left.length = 0;
			continue;
		}
		// A page knows the limit that all frames tell; the range alone may have too few of them to tell which are over.
		const same = (r, c) => row[c] === '-' ? r[c] === null : row[c] === r[c] || (r[c] === null && c.startsWith('over'));
		const at = left.findIndex((r) => key(r) === key(row) && Object.keys(row).every((c) => same(r, c)));

		if (at < 0) {
			bad.push([id, row, want.find((r) => key(r) === key(row))]);
		} else {
			left.splice(at, 1);
		}
	}
	if (left.some((r) => Object.keys(SUMS).some((c) => r[c]) || r.time)) {
		bad.push([id, 'left out', left.slice(0, 2)]);
	}
	return bad;
}

async function alike(name, browser, deep, range, file, json) {
	const want = JSON.parse(fs.readFileSync(json, 'utf8'));
	const said = 'frames ' + range.replace('-', '\u2013');
	const page = await browser.open(url.pathToFileURL(file).href + '#range=' + range), what = name + ', ' + file;

	await page.wait(RANGED);
	const have = await page.run(TABLES);
	const ids = Object.keys(have);
	check(what + ': tables follow', ['frames', 'frame_budgets', 'markers', 'categories', 'threads'].filter((id) => !ids.includes(id)), []);
	for (const id of ids) {
		check(what + ': ' + id, differences(id, have[id], want.tables[id].rows).slice(0, 3), []);
		check(what + ': ' + id + ', largest first', have[id].filter((r) => Object.values(r)[0] !== '(all others)').map((r) => r[FIRST[id]] || 0)
			.filter((v, i, all) => i && v > all[i - 1]), []);
	}
	check(what + ': they say so', (await page.run(CAPTIONS)).filter((c) => !c.endsWith(', ' + said)), []);
	check(what + ': and what they do not have', await page.run('(() => { const t = document.querySelector("#frames table[data-t=frame_budgets]"), ' +
		'less = Array.from(t.rows, (r) => r.cells[0].textContent).filter((n) => n === "cpu" || n === "render"), to = ' +
		'document.querySelector("table[data-range=frame_budgets] caption").textContent; return less.filter((n) => !to.includes(n)); })()'), []);
	check(what + ': and the others', await page.run('document.querySelector("#causes h2, #worst h2").textContent.endsWith(" of all frames")'), true);
	check(what + ': there is their command', await page.run('document.querySelectorAll(".r code")[1].textContent' +
		'.endsWith(" --frames ' + range + '")'), true);
	check(what + ': nothing serious', deep ? await serious(page) : [], []);
	await page.press('Escape');
	await page.wait(RANGED);
	check(what + ': Escape shows all frames', await page.run('[document.querySelectorAll("table[data-range], h2 .u").length, location.hash, ' +
		'document.querySelector("table[data-t=frames]").checkVisibility()]'), [0, '', true]);
	check(what + ': nothing on the console', await page.heard(), []);
}

/* A range whose frames per second have a 5 as their third decimal, which a binary number is below, and their text with halves up; null: there is none. */
async function half(browser, file) {
	const page = await browser.open(url.pathToFileURL(file).href);

	return page.run('(() => { const { all, first } = tracetool.times; for (let i = 0; i < all.length; i++) ' +
		'for (let k = i, sum = 0; k < all.length; k++) { sum += all[k]; const n = BigInt(k - i + 1) * 10n ** 12n, b = BigInt(sum); ' +
		'const t = (2n * n + b) / (2n * b); ' +
		'const up = (t + 5n) / 10n, text = up / 100n + "." + String(up % 100n).padStart(2, "0"); ' +
		'if (k > i && (Number(t) / 1000).toFixed(2) !== text) return [(first + i) + "-" + (first + k), text]; } return null; })()');
}

async function halves(name, browser, file, [range, text]) {
	const page = await browser.open(url.pathToFileURL(file).href + '#range=' + range);

	await page.wait(RANGED);
	check(name + ', ' + file + ': halves are rounded up, frames ' + range, await page.run('Array.from(document.querySelectorAll(' +
		'"table[data-range=frames] td"), (c) => c.textContent)').then((all) => all.includes(text) ? text : all), text);
}

module.exports = async (...files) => {
	/* axe-core looks at pages by lot, in check. */
	const looked = some(['Chromium', 'Firefox'].flatMap((name) => files.map((_, i) => name + i).filter((_, i) => i % 3 === 0)), 2, 'ranges');
	let found = null;

	for (const [name, browser] of [['Chromium', chromium()], ['Firefox', await firefox()]]) {
		for (let i = 0; i < files.length; i += 3) {
			await alike(name, browser, looked.includes(name + i), ...files.slice(i, i + 3));
			found = found || (name === 'Chromium' && i < 6 && await half(browser, files[i + 1]).then((of) => of && [files[i + 1], of]));
		}
		if (found) {
			await halves(name, browser, ...found);
		}
	}
};
