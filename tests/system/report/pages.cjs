#!/usr/bin/env node
/*
 * pages.cjs NAME=PAGE...: pages of diff, gates and batch in Chromium: no message on the console, no request but for the file, no wider than
 * the window at 1280 and 400 px, nothing serious for axe-core in light and dark; all of it is there without scripts and on paper. A NAME that
 * begins with "diff" has its call tree used by mouse and keyboard; one that ends with "evil" has names that would set window.got.
 * Prints "N passed, N failed".
 */
'use strict';
const fs = require('fs'), path = require('path'), url = require('url');
const { Browser, check, report, crashed } = require('./driver.cjs');

const AXE = path.join(__dirname, '../../validators/node_modules/axe-core/axe.min.js');
const SERIOUS = 'axe.run().then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + ' +
	'v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join("; ")))';
const SECTIONS = 'Array.from(document.querySelectorAll("main > section"), (s) => s.id)';

/* What every page keeps to. */
async function looks(browser, name, address, axe) {
	let sections;

	for (const [scheme, width] of [['light', 1280], ['dark', 1280], ['light', 400], ['dark', 400]]) {
		const page = await browser.open(address), what = name + ', ' + scheme + ', ' + width + ' px';

		await page.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
		await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
		check(what + ': no wider than the window', await page.run('document.documentElement.scrollWidth <= innerWidth'), true);
		await page.run('document.querySelectorAll("details").forEach((d) => d.open = true)');
		await page.run(axe + '; 1');
		check(what + ': nothing serious', await page.wait(SERIOUS), []);
		check(what + ': nothing on the console', page.said, []);
		check(what + ': no request but for the file', page.asked, [address]);
		sections = await page.run(SECTIONS);
		if (name.endsWith('evil')) {
			check(what + ': nothing ran', await page.run('window.got'), undefined);
		}
		if (width === 400 && scheme === 'light') {
			await page.run('document.querySelector("main").append(document.createElement("input"))');
			check(name + ': a field without a name is found', (await page.wait(SERIOUS)).map((v) => v.split(':')[0]), ['label']);
		}
	}
	const plain = await browser.open(address, false);
	const { root } = await plain.send('DOM.getDocument', { depth: -1 });
	const { nodeIds } = await plain.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: 'main > section' });
	const ids = await Promise.all(nodeIds.map(async (nodeId) => {
		const { attributes } = await plain.send('DOM.getAttributes', { nodeId });

		return attributes[attributes.indexOf('id') + 1];
	}));
	check(name + ': all is there without scripts', ids, sections);
	const { nodeId } = await plain.send('DOM.querySelector', { nodeId: root.nodeId, selector: '.v' });
	check(name + ': the verdict too', (await plain.send('DOM.getOuterHTML', { nodeId })).outerHTML.includes('<strong>'), true);
	const print = await browser.open(address);
	await print.send('Emulation.setEmulatedMedia', { media: 'print' });
	check(name + ': paper has all but the last part', await print.run('Array.from(document.querySelectorAll("main > section"))' +
		'.filter((s) => !s.checkVisibility()).map((s) => s.id)'), sections.includes('tables') ? ['tables'] : []);
	check(name + ': and nothing to use', await print.run('Array.from(document.querySelectorAll("button.c, input, select, nav"))' +
		'.filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))'), []);
}

const SHOWN = 'Array.from(document.querySelectorAll("figure[data-flame] > svg > svg")).filter((e) => e.getAttribute("visibility") !== "hidden").length';
const SAID = 'document.querySelector("figure[data-flame] > output").textContent';
const FULL = 'Array.from(document.querySelectorAll("figure[data-flame] > svg > svg")).filter((e) => e.getAttribute("visibility") !== "hidden" && ' +
	'e.getAttribute("width") === "100%").map((e) => e.querySelector("title").textContent.split(":")[0])';

/* The call tree of both sides. */
async function tree(browser, address) {
	const page = await browser.open(address), all = await page.run(SHOWN);
	const at = await page.run('(() => { const e = Array.from(document.querySelectorAll("figure[data-flame] > svg > svg")).find((b) => ' +
		'b.querySelector("title").textContent.startsWith("Sense")); e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); ' +
		'return [b.left + b.width / 2, b.top + b.height / 2]; })()');

	await page.click(...at);
	check('a click shows a path alone', await page.run(FULL), ['Main', 'Loop', 'Sense']);
	check('and says what it takes', (await page.run(SAID)).startsWith('Sense: +'), true);
	check('it is in the address', await page.run('decodeURIComponent(location.hash)'), '#path=Main/Loop/Sense');
	const again = await browser.open(address + '#path=Main/Loop/Sense');
	check('which leads there again', await again.run(FULL), ['Main', 'Loop', 'Sense']);
	await page.run('document.querySelector("figure[data-flame] > svg").focus()');
	await page.press('ArrowUp');
	check('arrow keys lead to the caller', (await page.run(SAID)).startsWith('Loop: +'), true);
	await page.press('Enter');
	check('Enter shows it', await page.run(FULL), ['Main', 'Loop']);
	await page.press('Escape');
	check('Escape shows all', await page.run(SHOWN), all);
	await page.run('(() => { const i = document.querySelector("figure[data-flame] input"); i.value = "fLu"; i.dispatchEvent(new Event("input")); })()');
	check('a search marks boxes', await page.run('[document.querySelectorAll(".hit").length, ' + SAID + ']'), [1, '1 boxes: Flush']);
	await page.run('document.querySelectorAll("#movers thead .s")[1].click()');
	check('movers are sorted', await page.run('document.querySelectorAll("#movers thead th")[1].ariaSort'), 'descending');
	check('nothing on the console', page.said.concat(again.said), []);
}

const KEYS = 'Array.from(document.querySelectorAll("#captures tbody tr:not([hidden]) th"), (th) => th.textContent)';

/* The rows of a batch. */
async function rows(browser, address) {
	const page = await browser.open(address);

	check('what failed comes first', await page.run('document.querySelector("#captures tbody tr").cells[2].textContent'), 'failed');
	await page.run('(() => { const i = document.querySelector("#captures input"); i.value = "n0"; i.dispatchEvent(new Event("input")); })()');
	const some = await page.run(KEYS);
	check('rows are filtered', some.length, 10);
	await page.run('document.querySelector("#captures th[data-c=key] .s").click()');
	check('and sorted', await page.run(KEYS), some.slice().sort());
	check('which is in the address', await page.run('location.hash'), '#rows=n0&by=key');
	await page.run('document.querySelector("#captures th[data-c=frame_p95_ns] .s").click()');
	await page.run('document.querySelector("#captures th[data-c=frame_p95_ns] .s").click()');
	check('by a number the other way round', await page.run('[location.hash, ' + KEYS + '.pop()]'), ['#rows=n0&by=-frame_p95_ns', 'n07.ttc']);
	const again = await browser.open(address + '#rows=n0&by=-frame_p95_ns');
	check('the address leads there again', await again.run(KEYS), await page.run(KEYS));
	check('and the field says it', await again.run('document.querySelector("#captures input").value'), 'n0');
	check('nothing on the console', page.said.concat(again.said), []);
}

async function main() {
	const axe = fs.readFileSync(AXE, 'utf8'), browser = new Browser();

	for (const arg of process.argv.slice(2)) {
		const [name, file] = arg.split('='), address = url.pathToFileURL(file).href;

		await looks(browser, name, address, axe);
		if (name === 'diff') {
			await tree(browser, address);
		} else if (name === 'batch') {
			await rows(browser, address);
		}
	}
	await browser.end();
	report();
}

main().catch(crashed);
