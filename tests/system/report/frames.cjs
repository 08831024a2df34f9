/*
 * frames.cjs PAGE FOLDED,CHROME,FOLDED,CHROME TREE WHOLE HIDDEN TWO SUMS WORST: single frames in report pages, in Chromium and in Firefox.
 *
 * PAGE is of testdata/demo/good-hitches.ttc.xz; FOLDED and CHROME are what convert makes of its frame 51, and of all but the first, TREE is JSON of the
 * table calltree of frame 51, WHOLE of all; HIDDEN is a page of frames with hidden zones, TWO the table of its frame 2; SUMS has the calls of frame 904,
 * whose table is WORST, and not its zones. A frame is chosen by the address, by a click on the chart, by links to the worst frames, by buttons and by keys,
 * and Back returns; its call tree has the figures of TREE; all can be reached by keyboard. Prints how long a hitch takes to its timeline.
 */
'use strict';
const fs = require('fs'), url = require('url');
const { chromium, firefox, check } = require('./driver.cjs');

const READY = 'new Promise((done) => { const look = () => document.querySelector("#frame h2").textContent ? ' +
	'requestAnimationFrame(() => done(true)) : setTimeout(look, 5); look(); })';
const HEAD = 'document.querySelector("#frame h2").textContent';
const TOLD = 'document.querySelector("#flame p + p").textContent';
const SAID = 'document.querySelector("#frame output").textContent';
const USED = JSON.stringify('a[href], button, input, summary, [tabindex="0"]');
/* Unfold all, then [name, depth, total, self, calls, bytes] of each row. */
const TREE = '(() => { for (let b; (b = document.querySelector("#frame [aria-expanded=false]"));) b.click(); ' +
	'return Array.from(document.querySelectorAll("#frame table")[0].tBodies[0].rows, (r) => [r.cells[0].textContent.replace(/^.\\u00a0/, ""), ' +
	'parseFloat(r.cells[0].style.getPropertyValue("--d")), ...[1, 3, 4, 5].map((c) => r.cells[c].dataset.v === undefined ? null : ' +
	'Number(r.cells[c].dataset.v))]); })()';

/* Of frame 51, as stats --table alloc_sites,alloc_classes --frames 51 has them. */
const ALLOCATED = [['System.String', 'Hud:Label', 24, 824], ['System.Object[]', 'Hud:Label', 8, 512], ['System.String[]', 'Hud:Label', 8, 512],
	['System.Int32', 'Hud:Label', 16, 384]];

function shows(number) {
	return 'new Promise((done) => { const end = Date.now() + 5000, look = () => ' + HEAD + ' === "Frame ' + number + '" || Date.now() > end ? ' +
		'done(' + HEAD + ') : setTimeout(look, 5); look(); })';
}

function starts(marker) {
	return 'new Promise((done) => { const end = Date.now() + 5000, look = () => ' + TOLD + '.startsWith("' + marker + '") || Date.now() > end ? ' +
		'done(1) : setTimeout(look, 5); look(); })';
}

/* "name,duration" of each zone of Chrome JSON; a track of frames has none. */
function zones_of(text) {
	const zones = JSON.parse(text).traceEvents.filter((e) => e.ph === 'X' && !/^Frame \d+$/.test(e.name));

	return zones.map((e) => [e.name, Math.round(e.dur * 1000)].join()).sort();
}

/* When each zone begins whose name and length no other has, in ns, by these. */
function alone_of(text) {
	const at = {}, met = {};

	for (const e of JSON.parse(text).traceEvents.filter((z) => z.ph === 'X' && !/^Frame \d+$/.test(z.name))) {
		const key = e.name + ',' + Math.round(e.dur * 1000);

		met[key] = (met[key] || 0) + 1;
		at[key] = Math.round(e.ts * 1000);
	}
	return Object.fromEntries(Object.entries(at).filter(([key]) => met[key] === 1));
}

/* What both browsers do alike. */
async function alike(name, page, files, tree, worst, other, calls) {
	await page.wait(READY);
	check(name + ': the address chooses a frame', await page.wait(shows(51)), 'Frame 51');
	const rows = await page.run(TREE);
	check(name + ': its call tree has the figures of stats', rows.slice().sort(), tree.slice().sort());
	check(name + ': outer calls come before inner ones', rows.map((r) => r[1]).filter((d, i) => d > (i ? rows[i - 1][1] : -1) + 1), []);
	check(name + ': so have its allocations', await page.run('Array.from(document.querySelectorAll("#frame table")[1].tBodies[0].rows, ' +
		'(r) => [r.cells[0].textContent, r.cells[1].textContent, Number(r.cells[2].dataset.v), Number(r.cells[3].dataset.v)])'), ALLOCATED);
	check(name + ': the canvas is drawn', await page.run('((c) => new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height)' +
		'.data.buffer)).size > 9)(document.querySelector("#frame canvas"))'), true);
	check(name + ': there is the command', await page.run('document.querySelector("#frame code").textContent.endsWith(" --frames 51")'), true);
	/* The files that are saved, by name. */
	const saved = await page.wait('(async () => { const all = [], make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click, own = []; ' +
		'let text; URL.createObjectURL = (b) => { text = b.text(); return "#"; }; ' +
		'HTMLAnchorElement.prototype.click = function () { all.push(text.then((t) => [this.download, t])); }; ' +
		'for (const b of document.querySelectorAll("#frame button")) if (/^(folded stacks|CSV|Chrome JSON)$/.test(b.textContent)) own.push(b); ' +
		'for (const b of own) { const n = all.length; b.click(); while (all.length === n) await new Promise((done) => setTimeout(done, 2)); } ' +
		'URL.createObjectURL = make; HTMLAnchorElement.prototype.click = click; return Promise.all(all); })()');
	check(name + ': files are named after the frame', saved.map(([n]) => n), ['frame-51.folded', 'frame-51.csv', 'frame-51.json',
		'frames.folded', 'frames.csv', 'frames.json']);
	const text = Object.fromEntries(saved), lines = (n) => text[n].trim().split('\n').slice(1);
	for (const [i, n] of ['frame-51', 'frames'].entries()) {
		check(name + ': ' + n + ': folded stacks are those of convert', text[n + '.folded'].split('\n').sort(), files[2 * i].split('\n').sort());
	}
	check(name + ': Chrome JSON has the zones of convert', zones_of(text['frame-51.json']), zones_of(files[1]));
	check(name + ': so has CSV', lines('frame-51.csv').map((l) => [l.split(',')[6], l.split(',')[3]].join()).sort(), zones_of(files[1]));
	check(name + ': CSV of all has the lines of each frame', lines('frames.csv').filter((l) => l.startsWith('51,')), lines('frame-51.csv'));
	const frames = JSON.parse(text['frames.json']).traceEvents.filter((e) => e.tid === 0 && e.ph === 'X').map((e) => e.name);
	check(name + ': and is of all but one', [frames.length, frames.includes('Frame ' + other)], [128, false]);
	/* Zones that only one of a name and length is of, by their time in both files. */
	const [here, there] = [text['frames.json'], files[3]].map((t) => alone_of(t));
	const apart = new Set(Object.keys(here).filter((k) => k in there).map((k) => there[k] - here[k]));
	check(name + ': Chrome JSON of all has each where it was', [apart.size, Object.keys(here).length > 500], [1, true]);
	const order = await page.run('document.querySelector("svg[data-hitches]").dataset.hitches.split(" ").map(Number)');
	const next = order[order.indexOf(51) + 1], before = order[order.indexOf(51) - 1];
	await page.press(']');
	check(name + ': ] leads to the next hitch', await page.wait(shows(next)), 'Frame ' + next);
	await page.press('[');
	await page.wait(shows(51));
	await page.press('[');
	check(name + ': [ to the one before', await page.wait(shows(before)), 'Frame ' + before);
	await page.press('m');
	check(name + ': m to the median frame', await page.wait(shows(67)), 'Frame 67');
	check(name + ': which is in the address', await page.run('location.hash'), '#frame=67');
	await page.run('document.querySelector("#frame canvas").focus()');
	for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowUp', '+', 'Enter', '0']) {
		await page.press(key);
	}
	check(name + ': arrow keys lead from zone to zone', await page.run(SAID + '.split(": ")[0]'), 'Physics:Step');
	await page.run('document.querySelector("#frame button[aria-label=\\"Next frame\\"]").click()');
	check(name + ': a button leads to the neighbour', await page.wait(shows(68)), 'Frame 68');
	await page.run('location.hash = "frame=' + other + '"');
	await page.wait(shows(other));
	check(name + ': a frame that is not in the page says so', await page.run('[document.querySelector("#frame .w").hidden, ' +
		'document.querySelector("#frame").innerText.includes("not in this page"), document.querySelector("#frame code").textContent.split(" ").pop()]'),
		[true, true, String(other)]);
	await page.run('location.hash = "frame=9999&range=500-600"');
	const none = ['There is no frame 9999 here: this is frame 26.', 'There are no frames 500-600 here: all are shown. 129 frames'];
	check(name + ': an address of frames that are not there says so', await page.wait('new Promise((done) => { ' +
		'const end = Date.now() + 5000, look = () => { ' +
		'const n = ' + JSON.stringify(none) + '.filter((t) => document.body.innerText.includes(t)).length; ' +
		'return n > 1 || Date.now() > end ? done(n) : setTimeout(look, 5); }; look(); })'), 2);
	await page.run('location.hash = "frame=' + other + '"');
	await page.wait(shows(other));
	await page.run('(() => { const s = document.querySelector("figure select"); s.value = Array.from(s.options).find((o) => ' +
		'o.textContent === "Level:Decode").value; s.dispatchEvent(new Event("change")); })()');
	check(name + ': a marker over the frames', await page.run('document.querySelector("figure p:last-of-type").textContent.split(".  ")[0].slice(0, 92)'),
		'Level:Decode runs in 2 of 129 frames; the longest, on all threads together: frame 86  25.51 ms, frame 26  25.51 ms. t'.slice(0, 92));
	check(name + ': it is drawn', await page.run('document.querySelector(".mk path").getAttribute("d").split("M").length'), 3);
	check(name + ': and in the address', await page.run('location.hash'), '#frame=' + other + '&over=Level%3ADecode');
	await page.run('location.hash = "marker=Enemies%3AFindPath"');
	await page.wait(starts('Enemies'));
	check(name + ': the address leads to a marker\'s callers', await page.run('Array.from(document.querySelectorAll("#flame table")[0].tBodies[0].rows, ' +
		'(r) => [r.cells[0].textContent, Number(r.cells[1].dataset.v)])'), [['Enemies:Think', calls['Enemies:FindPath'].total_ns]]);
	check(name + ': and says what it takes', await page.run(TOLD + '.split(".")[0]'), 'Enemies:FindPath: 429');
	check(name + ': with its command', await page.run('document.querySelector("#flame code").textContent.split(" --marker ")[1]'), "'\\Enemies:FindPath'");
	await page.run('(() => { const i = document.querySelector("#flame input"); i.value = "hud:"; i.dispatchEvent(new Event("input")); })()');
	check(name + ': search counts markers and time', await page.run('document.querySelector("#flame .x output").textContent'),
		'2 markers, 5.74 %; Enter shows the largest, Hud:Draw');
	await page.run('document.querySelector("#flame input").focus()');
	await page.press('Enter');
	await page.wait(starts('Hud'));
	check(name + ': Enter leads to the largest', await page.run('location.hash'), '#marker=Hud%3ADraw');
	check(name + ': nothing is searched for then', await page.run('[document.querySelector("#flame input").value, ' +
		'document.querySelector("#flame .x output").textContent]'), ['', '']);
	check(name + ': and its callees', await page.run('Array.from(document.querySelectorAll("#flame table")[1].tBodies[0].rows, (r) => ' +
		'[r.cells[0].textContent, ...[1, 3, 4].map((c) => Number(r.cells[c].dataset.v))])'),
		[['Hud:Label', ...['total_ns', 'self_ns', 'count'].map((c) => calls['Hud:Label'][c])]]);
	const took = [];
	for (let turn = 0; turn < 5; turn++) {
		await page.run('(performance.clearMeasures(), location.hash = "frame=' + worst[turn] + '")');
		await page.wait('new Promise((done) => { const look = () => performance.getEntriesByName("frame").length ? done(1) : setTimeout(look, 2); ' +
			'look(); })');
		took.push(await page.run('performance.getEntriesByName("frame")[0].duration'));
	}
	console.log(name + ': from a hitch to its timeline, median of five: ' + took.sort((a, b) => a - b)[2].toFixed(1) + ' ms');
}

/* Clicks and the keyboard alone: Chromium sends them as people make them. */
async function used(page) {
	const at = (selector, part = .5) => page.run('(() => { const e = document.querySelector(' + JSON.stringify(selector) + '); ' +
		'e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); ' +
		'return [b.left + b.width * ' + part + ', b.top + b.height / 2]; })()');
	const is = (text, value) => page.wait('new Promise((done) => { const end = Date.now() + 5000, look = () => (' + text + ') === ' +
		JSON.stringify(value) + ' || Date.now() > end ? done(' + text + ') : setTimeout(look, 5); look(); })');
	const before = Number((await page.run(HEAD)).split(' ')[1]), hash = '#frame=' + before;
	await page.click(...await at('figure > svg', 85.5 / 129));
	check('a click on the chart opens the frame', await page.wait(shows(86)), 'Frame 86');
	await page.run('history.back()');
	check('Back returns to the frame before', [await page.wait(shows(before)), await is('location.hash', hash)], ['Frame ' + before, hash]);
	await page.run('document.querySelector("#time table[data-t=markers] tbody th button").click()');
	check('a marker is in the address beside the frame', (await is('location.hash.split("=").length', 3), (await page.run('location.hash')).split('=')[1]),
		before + '&marker');
	await page.run('history.back()');
	check('Back returns to the whole tree', [await is('location.hash', hash), (await is(TOLD + '.split(",")[0]', 'All threads')), await page.run(HEAD)],
		[hash, 'All threads', 'Frame ' + before]);
	await page.click(...await at('figure > svg', 85.5 / 129));
	await page.wait(shows(86));
	await page.run('(() => { const i = document.querySelector("figure input"); i.value = "41"; i.dispatchEvent(new Event("change")); })()');
	check('a range is in the address beside the frame', await page.run('location.hash'), '#frame=86&range=41-129');
	await page.click(...await at('figure > .z', .5 / 89));
	check('one on the chart of a range its own', await page.wait(shows(41)), 'Frame 41');
	await page.run('document.querySelectorAll(".r .s")[1].click()');
	check('one of the longest of a range as well', await page.wait(shows(111)), 'Frame 111');
	await page.click(...await at('svg a[data-n="26"]'));
	check('a mark over it opens its frame', await page.wait(shows(26)), 'Frame 26');
	const [x, y] = await at('svg a[data-n="41"] text');
	await page.click(x + 8, y);
	check('so does a click close to a mark', await page.wait(shows(41)), 'Frame 41');
	check('the bar of the frame is seen in the chart', await page.run('((r, b) => [getComputedStyle(r).fill, r.getBoundingClientRect().top - b.top > 10, ' +
		'Math.abs(r.getBoundingClientRect().left - b.left - b.width * 40 / 129 + 2) < 2])(document.querySelector("figure > svg > .f"), ' +
		'document.querySelector("figure > svg").getBoundingClientRect())'), ['none', true, true]);
	const top = () => page.run('document.querySelector("figure .r").getBoundingClientRect().top - ' +
		'document.querySelector("figure").getBoundingClientRect().top');
	await page.send('Emulation.setDeviceMetricsOverride', { width: 500, height: 900, deviceScaleFactor: 1, mobile: false });
	const narrow = await top();
	const [left, high] = await at('svg a[data-n="41"] text');
	await page.wait('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))');
	await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: left, y: high + 60 });
	check('nothing moves while the pointer is over the chart', [await top() === narrow, await page.run('document.querySelector(".tip").hidden')],
		[true, false]);
	await page.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
	await page.run('document.querySelector("#worst tbody a").click()');
	check('a row of the worst frames as well', await page.wait(shows(51)), 'Frame 51');
	await page.run('document.querySelector("#causes td button").click()');
	check('the worst frame of a cause as well', await page.wait(shows(26)), 'Frame 26');
	await page.run('document.querySelector("#worst tbody a").click()');
	await page.wait(shows(51));
	const box = await page.run('(() => { const c = document.querySelector("#frame canvas"); c.scrollIntoView({ block: "center" }); ' +
		'const b = c.getBoundingClientRect(); return [b.left + b.width / 3, b.top + 45]; })()');
	await page.click(...box);
	check('a click on a zone says what it is', await page.run(SAID + '.split(" (")[0]'), 'Contention: 30.04 ms');
	/* Tab through the page: everything that can be used is met, and its focus is seen. */
	await page.run('(document.querySelectorAll("details").forEach((d) => d.open = false), document.activeElement.blur(), scrollTo(0, 0))');
	const want = await page.run('Array.from(document.querySelectorAll(' + USED + ')).filter((e) => e.checkVisibility() && ' +
		'!e.disabled).length');
	await page.run('window.met = new Set()');
	const unseen = [];
	for (let i = 0; i < want + 5; i++) {
		await page.press('Tab');
		const seen = await page.run('((e) => { met.add(e); const s = getComputedStyle(e); return e === document.body || e.tagName === "a" || ' +
			's.outlineStyle !== "none" ? "" : e.outerHTML.slice(0, 80); })(document.activeElement)');
		if (seen) {
			unseen.push(seen);
		}
	}
	check('Tab reaches all that can be used', await page.run('Array.from(document.querySelectorAll(' + USED + '))' +
		'.filter((e) => e.checkVisibility() && !e.disabled && !met.has(e)).map((e) => e.outerHTML.slice(0, 80))'), []);
	check('and shows where it is', unseen, []);
	await page.run('document.querySelector("#worst tbody a").focus()');
	await page.press('Enter');
	check('Enter on a worst frame opens it', await page.wait(shows(51)), 'Frame 51');
	for (let i = 0; i < 20 && await page.run('document.activeElement.tagName') !== 'CANVAS'; i++) {
		await page.press('Tab');
	}
	await page.press('ArrowDown');
	check('and Tab leads on to its timeline', await page.run(SAID + '.split(":")[0]'), 'Contention');
}

/* The rows of a call tree of JSON, as TREE has them. */
function tree_of(file) {
	return JSON.parse(fs.readFileSync(file, 'utf8')).tables.calltree.rows.map((r) => [r.marker, r.depth, r.total_ns, r.self_ns, r.count, r.alloc_bytes]);
}

module.exports = async (file, converted, of_frame, of_all, hidden, of_two, sums, of_worst) => {
	/* Of the page without the zones of a frame. */
	const html = fs.readFileSync(file, 'utf8'), other = 1, thin = file.replace(/\.html$/, '.thin.html');
	fs.writeFileSync(thin, html.replace(new RegExp('<script [^>]*data-frame="' + other + '"[^>]*>[^<]*</script>\\n'), ''));
	const address = url.pathToFileURL(thin).href, tree = tree_of(of_frame), files = converted.split(',').map((f) => fs.readFileSync(f, 'utf8'));
	/* Each marker of this capture has one path. */
	const calls = Object.fromEntries(JSON.parse(fs.readFileSync(of_all, 'utf8')).tables.calltree.rows.map((r) => [r.marker, r]));
	let page = await chromium().open(address + '#frame=51');
	const worst = await page.run('Array.from(document.querySelectorAll("#worst table[data-t=hitches] tbody th"), (e) => Number(e.dataset.v))');

	await alike('Chromium', page, files, tree, worst, other, calls);
	await used(page);
	check('nothing on the console', page.said, []);
	check('no request but for the file', page.asked, [address + '#frame=51'].map((a) => a.split('#')[0]));
	page = await chromium().open(address + '#range=20-40&over=Level%3ADecode&frame=26');
	await page.wait(shows(26));
	check('the address has a frame, a range and a marker', await page.wait('new Promise((done) => { const end = Date.now() + 5000, look = () => { ' +
		'const have = [document.querySelector("figure .r").textContent.split(":")[0], ' +
		'document.querySelector("figure select").selectedOptions[0].text]; ' +
		'have[1] !== "(none)" || Date.now() > end ? done(have) : setTimeout(look, 5); }; look(); })'), ['21 frames', 'Level:Decode']);
	page = await chromium().open(address);
	await page.wait(READY);
	check('without an address it is the worst frame of the first cause', await page.wait(shows(26)), 'Frame 26');
	page = await chromium().open(url.pathToFileURL(hidden).href + '#frame=2');
	await page.wait(shows(2));
	check('what is in a hidden zone is in the zone around it', (await page.run(TREE)).filter((r) => r[0][0] !== '(').sort(), tree_of(of_two).sort());
	check('large counts are grouped', await page.run('Array.from(document.querySelectorAll("#frame table")[0].tBodies[0].rows, (r) => ' +
		'r.cells[4].textContent).includes("1,201")'), true);
	page = await chromium().open(url.pathToFileURL(sums).href + '#frame=904');
	await page.wait(shows(904));
	check('the worst frame of a cause has its calls', (await page.run(TREE)).filter((r) => r[0][0] !== '(').sort(), tree_of(of_worst).sort());
	check('it says that its zones are elsewhere', await page.run('[document.querySelector("#frame .w").hidden, ' +
		'document.querySelectorAll("#frame code")[1].textContent.split(" -o ")[1]]'), [true, 'range.html --frames 904']);
	await page.press('m');
	check('the median frame has zones again', await page.wait('new Promise((done) => { const end = Date.now() + 5000, look = () => ' +
		'!document.querySelector("#frame .w").hidden || Date.now() > end ? ' +
		'done(document.querySelector("#frame .w").hidden) : setTimeout(look, 5); look(); })'), false);
	check('nothing on the console', page.said, []);
	page = await (await firefox()).open(address + '#frame=51');
	await alike('Firefox', page, files, tree, worst, other, calls);
	check('Firefox: nothing on the console', await page.said(), []);
};
