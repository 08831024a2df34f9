/*
 * pages.cjs NAME=PAGE...: pages of diff, gates, batch and history in Chromium and Firefox: no message on the console, no request but for the file, no
 * wider than the window at 1280 and 400 px; all of it is there without scripts and on paper. In Chromium, and in Firefox where TT_SET is all,
 * nothing serious for axe-core in light and dark, in check in one of them by lot. A NAME that begins with "diff" has its call tree used by
 * mouse and keyboard; one that ends with "evil" has names that would set window.got.
 */
'use strict';
const url = require('url');
const { CRAMPED, LONG, chromium, firefox, check, serious, some } = require('./driver.cjs');

const SECTIONS = 'Array.from(document.querySelectorAll("main > section"), (s) => s.id)';

/* What a page has asked for beside itself. */
const ASKED = 'performance.getEntriesByType("resource").map((e) => e.name)';

const LOOKS = LONG ? [['light', 1280], ['dark', 1280], ['light', 400], ['dark', 400]] : [['light', 1280], ['dark', 400]];

/* What every page keeps to; ${what} names browser and page. ${deep}: axe-core looks at it, too. */
async function looks(browser, what, address, deep) {
	const looked = some(LOOKS.map(String), 1, 'pages ' + what);
	let page, sections;

	for (const [scheme, width] of LOOKS) {
		const view = what + ', ' + scheme + ', ' + width + ' px';

		page = await browser.open(address);
		await page.look({ scheme, width });
		check(view + ': so it is shown', await page.run('[innerWidth, matchMedia("(prefers-color-scheme: dark)").matches]'),
			[width, scheme === 'dark']);
		check(view + ': no wider than the window', await page.run('document.documentElement.scrollWidth <= innerWidth'), true);
		if (width === 400) {
			check(view + ': rows of a budget are not cut', await page.run('Array.from(document.querySelectorAll("#rows .t"))' +
				'.filter((e) => e.scrollWidth > e.clientWidth).length'), 0);
			check(view + ': names have room', await page.run(CRAMPED), []);
		}
		if (deep && looked.includes(String([scheme, width]))) {
			check(view + ': nothing serious', await serious(page, LONG && scheme === 'dark'), []);
		}
		check(view + ': nothing on the console', await page.heard(), []);
		check(view + ': no request but for the file', [await page.run(ASKED), page.asked || [address]], [[], [address]]);
		sections = await page.ids('main > section');
		if (what.endsWith('evil')) {
			check(view + ': nothing ran', await page.run('typeof window.got'), 'undefined');
		}
	}
	page = await browser.open(address, false);
	check(what + ': all is there without scripts', await page.ids('main > section'), sections);
	check(what + ': the verdict too', (await page.ids('.v strong')).length > 0, !what.includes('history'));
	check(what + ': and nothing that scripts make', await page.ids('.s, .c'), []);
	page = await browser.open(address);
	await page.look({ media: 'print' });
	check(what + ': paper has all but the last part', await page.run('Array.from(document.querySelectorAll("main > section"))' +
		'.filter((s) => !s.checkVisibility()).map((s) => s.id)'), sections.includes('tables') ? ['tables'] : []);
	check(what + ': and nothing to use', await page.run('Array.from(document.querySelectorAll("button.c, input, select, nav"))' +
		'.filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))'), []);
	await page.look({});
}

const SHOWN = 'Array.from(document.querySelectorAll("figure[data-flame] > svg > svg")).filter((e) => e.getAttribute("visibility") !== "hidden").length';
const SAID = 'document.querySelector("figure[data-flame] > output").textContent';
const FULL = 'Array.from(document.querySelectorAll("figure[data-flame] > svg > svg")).filter((e) => e.getAttribute("visibility") !== "hidden" && ' +
	'e.getAttribute("width") === "100%").map((e) => e.querySelector("title").textContent.split(":")[0])';

/* The call tree of both sides. */
async function tree(browser, what, address) {
	let page = await browser.open(address);
	const all = await page.run(SHOWN);
	const at = await page.run('(() => { const e = Array.from(document.querySelectorAll("figure[data-flame] > svg > svg")).find((b) => ' +
		'b.querySelector("title").textContent.startsWith("Sense")); e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); ' +
		'return [b.left + b.width / 2, b.top + b.height / 2]; })()');

	await page.click(...at);
	check(what + ': a click shows a path alone', await page.run(FULL), ['Engine.Main', 'Loop', 'Sense']);
	check(what + ': and says what it takes', (await page.run(SAID)).startsWith('Sense: +'), true);
	check(what + ': it is in the address', await page.run('decodeURIComponent(location.hash)'), '#path=Engine.Main/Loop/Sense');
	await page.run('document.querySelector("figure[data-flame] > svg").focus()');
	await page.press('ArrowUp');
	check(what + ': arrow keys lead to the caller', (await page.run(SAID)).startsWith('Loop: +'), true);
	await page.press('Enter');
	check(what + ': Enter shows it', await page.run(FULL), ['Engine.Main', 'Loop']);
	await page.press('Escape');
	check(what + ': Escape shows all', await page.run(SHOWN), all);
	await page.run('(() => { const i = document.querySelector("figure[data-flame] input"); i.value = "fLu"; i.dispatchEvent(new Event("input")); })()');
	check(what + ': a search marks boxes', await page.run('[document.querySelectorAll(".hit").length, ' + SAID + ']'), [1, '1 boxes: Flush']);
	await page.run('document.querySelectorAll("#movers thead .s")[1].click()');
	check(what + ': movers are sorted', await page.run('document.querySelectorAll("#movers thead th")[1].ariaSort'), 'descending');
	check(what + ': nothing on the console', await page.heard(), []);
	page = await browser.open(address + '#path=Engine.Main/Loop/Sense');
	check(what + ': the address leads there again', await page.run(FULL), ['Engine.Main', 'Loop', 'Sense']);
	check(what + ': still nothing on the console', await page.heard(), []);
}

const KEYS = 'Array.from(document.querySelectorAll("#captures tbody tr:not([hidden]) th"), (th) => th.textContent)';

/* The rows of a batch. */
async function rows(browser, what, address) {
	let page = await browser.open(address);

	check(what + ': what failed comes first', await page.run('document.querySelector("#captures tbody tr").cells[2].textContent'), 'failed');
	await page.run('(() => { const i = document.querySelector("#captures input"); i.value = "n0"; i.dispatchEvent(new Event("input")); })()');
	const some = await page.run(KEYS);
	check(what + ': rows are filtered', some.length, 10);
	await page.run('document.querySelector("#captures th[data-c=key] .s").click()');
	check(what + ': and sorted', await page.run(KEYS), some.slice().sort());
	check(what + ': which is in the address', await page.run('location.hash'), '#rows=n0&by=key');
	await page.run('document.querySelector("#captures th[data-c=frame_p95_ns] .s").click()');
	await page.run('document.querySelector("#captures th[data-c=frame_p95_ns] .s").click()');
	const turned = await page.run(KEYS);
	check(what + ': by a number the other way round', [await page.run('location.hash'), turned[turned.length - 1]],
		['#rows=n0&by=-frame_p95_ns', 'n07.ttc']);
	check(what + ': nothing on the console', await page.heard(), []);
	page = await browser.open(address + '#rows=n0&by=-frame_p95_ns');
	check(what + ': the address leads there again', await page.run(KEYS), turned);
	check(what + ': and the field says it', await page.run('document.querySelector("#captures input").value'), 'n0');
	check(what + ': still nothing on the console', await page.heard(), []);
}

module.exports = async (...pages) => {
	for (const [of, browser, deep] of [['Chromium', chromium(), true], ['Firefox', await firefox(), LONG]]) {
		const used = pages.filter((p) => /^(diff|batch)=/.test(p)), others = pages.filter((p) => !used.includes(p));

		for (const arg of [...used, ...some(others, 3, 'pages of ' + of)]) {
			const [name, file] = arg.split('='), what = of + ', ' + name, address = url.pathToFileURL(file).href;

			await looks(browser, what, address, deep);
			if (name === 'diff') {
				await tree(browser, what, address);
			} else if (name === 'batch') {
				await rows(browser, what, address);
			}
		}
		if (deep) {
			const page = await browser.open(url.pathToFileURL(pages[0].split('=')[1]).href);

			await page.run('document.querySelector("main").append(document.createElement("input"))');
			check(of + ': a field without a name is found', (await serious(page)).map((v) => v.split(':')[0]), ['label']);
		}
	}
};
