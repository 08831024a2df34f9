/*
 * reader.cjs PILES GROWING PAGE LANES: what somebody who sees a report page for the first time looks at, in Chromium and in Firefox.
 *
 * PILES is of check.py's piles(): frame 11 has 6,000 times Tiny, 1 us, and Big, 29 us, in 50 us each; frame 12 has each once, 4 ms.
 * GROWING is of growing(): Sense takes 18 us in the first frame and 25 us more in each.
 * PAGE is of testdata/demo/good-hitches.ttc.xz.
 * LANES is of lanes(): three threads, of which the last, Saver, is in Decode in frame 20 as long as Main, which it makes long; the heap grows.
 */
'use strict';
const url = require('url');
const { browsers, check, some } = require('./driver.cjs');

/* ${text} as soon as it is ${value}, or after five seconds. */
function is(text, value) {
	return 'new Promise((done) => { const end = Date.now() + 5000, look = () => JSON.stringify(' + text + ') === ' +
		JSON.stringify(JSON.stringify(value)) + ' || Date.now() > end ? requestAnimationFrame(() => done(' + text +
			')) : setTimeout(look, 5); look(); })';
}

const HEAD = 'document.querySelector("#frame h2").textContent';
const SAID = 'document.querySelector("#frame output").textContent';
/* The colour in the middle of the row ${row} of the timeline, at ${part} of its width. */
const colour = (row,
	part) => '(() => { const c = document.querySelector("#frame canvas"), r = c.width / c.clientWidth; return c.getContext("2d").getImageData(' +
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
	check(name + ': of lines over the frames the last is what is always open', await page.run(
		'Array.from(document.querySelectorAll("figure option"), (o) => o.textContent)'), ['(none)', 'Big', 'Tiny', 'Loop']);
	const silent = (row, part, after = '0') => page.run('(' + over(row, part) + ', ' + after + ', document.querySelector(".tip").hidden)');
	check(name + ': words for a zone, none where nothing runs', [await silent(3, .6), await silent(3, .81), await silent(3, .95)], [false, true, true]);
	check(name + ': none after scrolling', [await silent(3, .6, 'document.querySelector("#frame .w").dispatchEvent(new Event("scroll"))'),
		await silent(3, .6, 'dispatchEvent(new Event("scroll"))')], [true, true]);
	await page.run('location.hash = "frame=11"');
	await page.wait(is(HEAD, 'Frame 11'));
	await page.wait('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))');
	const drawn = new Map(await page.run(covers(3)));
	check(name + ': calls that share a pixel have the colour of what takes most time', [drawn.get(tiny) || 0, drawn.get(big) > .5], [0, true]);
	check(name + ': and cover as much as they take', Math.abs(drawn.get(big) - .58) < .08 || drawn.get(big), true);
	const said = await page.run(over(3, .5));
	check(name + ': they are told together',
		/^\d+ calls of Big, [1-4]\d\d\.\d µs of [2-6]\d\d\.\d µs; \d+ others, [\d.]+ µs; zoom in to tell them apart$/.test(said) || said, true);
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

const TOLD = 'document.querySelector("#flame p + p").textContent.split(/[:,]/).slice(0, 2).join(":")';
const RANGE = 'document.querySelector("figure .r").textContent.split(":")[0]';
const FOCUS = 'document.activeElement.tagName + " " + document.activeElement.type';
const HELP = 'Array.from(document.querySelectorAll("dialog[open] kbd"), (k) => k.textContent).join(" ").slice(0, 3)';
const dispatch = (type, part) => '((c) => { const b = c.getBoundingClientRect(); c.setPointerCapture = () => 0; c.dispatchEvent(new PointerEvent("' + type +
	'", { bubbles: true, button: 0, clientX: b.left + b.width * ' + part + ', clientY: b.top + 90 })); })(document.querySelector("figure > svg"))';

async function keys(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	await page.run('document.querySelector("#worst tbody a").click()');
	await page.wait(is(FOCUS, 'CANVAS undefined'));
	await page.press('ArrowRight');
	await page.wait(is(HEAD, 'Frame 51'));
	check(name + ': after a jump arrow keys move in the timeline', [await page.run(HEAD), await page.run(SAID + '.includes(" of the frame")')],
		['Frame 51', true]);
	await page.press('?');
	check(name + ': ? tells keys', await page.wait(is(HELP, '[ ]')), '[ ]');
	await page.press('Escape');
	check(name + ': and Escape closes that', await page.wait(is(HELP, '')), '');
	await page.run('document.querySelector("figure input").focus()');
	await page.press('?');
	check(name + ': also in a field of numbers, which keeps its own', [await page.wait(is(HELP, '[ ]')),
		await page.run('document.querySelector("figure input").value')],
		['[ ]', '1']);
	await page.press('Escape');
	await page.press(']');
	check(name + ': [ and ] lead to hitches from there, too', [await page.wait(is(HEAD, 'Frame 86')), await page.run('document.activeElement.type')],
		['Frame 86', 'number']);
	check(name + ': and the frame is told below the chart', await page.run('document.querySelector("figure output.u").textContent.slice(0, 9)'),
		'Frame 86:');
	await page.run(dispatch('pointerdown', .2));
	await page.run(dispatch('pointermove', .4));
	check(name + ': a range that is drawn', await page.run('document.querySelector(".m").getAttribute("visibility")'), 'visible');
	await page.press('Escape');
	await page.run(dispatch('pointermove', .5));
	await page.run(dispatch('pointerup', .5));
	check(name + ': is gone after Escape', await page.run('[document.querySelector(".m").getAttribute("visibility"), location.hash.includes("range")]'),
		['hidden', false]);
	await page.run('document.activeElement.blur(), scrollTo(0, 0)');
	await page.run('document.querySelector(".skip").focus()');
	await page.press('Enter');
	check(name + ': one of the first buttons leads to the range', await page.run(FOCUS), 'INPUT number');
	check(name + ': and is the first', await page.run('document.querySelector("a, button, input").className'), 'c skip');
}

/* Names of times on the axis of the timeline after ${does}. */
const axis_after = (does) =>
	'new Promise((done) => { const p = CanvasRenderingContext2D.prototype, f = p.fillText, all = []; p.fillText = function (t, x, y) { ' +
	'if (y === 11 && this.canvas.closest("#frame")) all.push(t); return f.apply(this, arguments); }; ' + does + '; ' +
	'requestAnimationFrame(() => requestAnimationFrame(() => { p.fillText = f; done(all); })); })';

async function axis(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	for (let i = 0; i < 5; i++) {
		const names = await page.wait(axis_after(
			'for (let i = 0; i < 8; i++) document.querySelector("#frame button[aria-label=\\"Zoom in\\"]").click()'));

		check(name + ': times on the axis are told apart at step ' + i, names.length > 1 && new Set(names).size === names.length || names, true);
	}
	check(name + ': Escape shows all of it',
		(await page.wait(axis_after('document.querySelector("#frame canvas").dispatchEvent(new KeyboardEvent("keydown", ' +
		'{ key: "Escape", bubbles: true }))')))[0], '0');
}

async function back(name, page) {
	await page.wait(is(TOLD, 'All threads: 1.488 s'));
	await page.run('location.hash = "flame"');
	await page.run('location.hash = "marker=Hud:Draw"');
	await page.wait(is(TOLD + '.split(":")[0]', 'Hud'));
	await page.run('location.hash = "worst"');
	await page.wait(is('location.hash', '#worst'));
	check(name + ': a link to a section changes nothing', await page.run(TOLD + '.split(":")[0]'), 'Hud');
	await page.run('history.back()');
	await page.wait(is('location.hash', '#marker=Hud:Draw'));
	await page.run('history.back()');
	check(name + ': Back to a section shows what it showed', await page.wait(is(TOLD + '.split(":")[0]', 'All threads')), 'All threads');
	await page.run('history.forward()');
	await page.wait(is(TOLD + '.split(":")[0]', 'Hud'));
	await page.run('history.forward()');
	check(name + ': and so does the way forward', [await page.wait(is('location.hash', '#worst')), await page.run(TOLD + '.split(":")[0]')], ['#worst',
		'Hud']);
}

async function nowhere(name, page) {
	const seen = '((e) => Boolean(e) && e.getBoundingClientRect().top > 0 && e.getBoundingClientRect().bottom < innerHeight && ' +
		'e.textContent)(document.querySelector("#frame strong"))';

	check(name + ': a frame that is not there is told where it is looked for', await page.wait(is(seen, 'There is no frame 5000 here: this is frame 26.')),
		'There is no frame 5000 here: this is frame 26.');
}

const ROW = '((r) => r && r.cells[0].textContent)(document.querySelector("#frame tr[aria-current]"))';

async function alone(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	await page.run('document.querySelector("#frame canvas").focus()');
	await page.press('ArrowDown');
	await page.press('ArrowDown');
	const said = await page.run(SAID + '.split(":")[0]');
	check(name + ': a chosen zone has its row marked', (await page.run(ROW)).includes(said) || said, true);
	await page.run('Array.from(document.querySelectorAll("#frame tbody th"), (e) => e).find((e) => e.textContent.endsWith("Hud:Draw")).firstChild.click()');
	check(name + ': and a row its zone', await page.run(SAID + '.split(":").slice(0, 2).join(":")'), 'Hud:Draw');
}

/* Frames that several tables tell of. */
async function told(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	const rows = await page.run(
		'Array.from(document.querySelectorAll("#t-frame_causes tbody tr"), (r) => [r.cells[0].dataset.v, r.querySelector(".p, td:last-child") ' +
		'&& Array.from(r.cells, (c) => c.textContent)])');
	for (const [number, cells] of rows.slice(0, 6)) {
		await page.run('location.hash = "frame=' + number + '"');
		await page.wait(is(HEAD, 'Frame ' + number));
		const head = await page.run('document.querySelector("#frame h2 + p + p").textContent');
		check(name + ': frame ' + number + ' says why it is long', cells.some((c) => c.length > 12 && head.includes(c)) || [head, cells], true);
	}
	await page.run('document.querySelector("#t-frame_causes").open = true');
	await page.wait(is('document.querySelectorAll("#t-frame_causes tbody .s").length > 0', true));
	await page.run('document.querySelectorAll("#t-frame_causes tbody .s")[1].click()');
	check(name + ': numbers of frames lead to them', await page.wait(is(HEAD, 'Frame ' + rows[1][0])), 'Frame ' + rows[1][0]);
	const near = String(Number(rows[1][0]) + 1);
	await page.run('Array.from(document.querySelectorAll("#frame .near .s"), (b) => b).find((b) => b.textContent === "' + near + '").click()');
	check(name + ': also those of neighbours', await page.wait(is(HEAD, 'Frame ' + near)), 'Frame ' + near);
}

/* What a frame does beyond the median frame comes first. */
async function beyond(name, page) {
	const column = (c, d) => page.run('Array.from(document.querySelectorAll("#frame table")[0].tBodies[0].rows).filter((r) => ' +
		'r.cells[0].style.getPropertyValue("--d") === "' + d + '").map((r) => Number(r.cells[' + c + '].dataset.v) || 0)');
	const falls = (all) => all.length > 3 && all.every((v, i) => !i || v <= all[i - 1]);
	const head = (c) => 'document.querySelectorAll("#frame table")[0].tHead.rows[0].cells[' + c + ']';

	await page.wait(is(HEAD, 'Frame 26'));
	const [total, usual, more] = [await column(1, 1), await column(6, 1), await column(7, 1)];
	check(name + ': calls have what they take beyond the median frame', more, total.map((v, i) => v - usual[i]));
	check(name + ': the most of that first', [falls(more), await page.run(head(7) + '.ariaSort')], [true, 'descending']);
	await page.run(head(1) + '.firstChild.click()');
	check(name + ': or the longest', [falls(await column(1, 1)), await page.run(head(1) + '.ariaSort'), await page.run(head(7) + '.ariaSort')],
		[true, 'descending', null]);
	await page.run('location.hash = "frame=67"');
	await page.wait(is(HEAD, 'Frame 67'));
	check(name + ': what the columns mean is told', (await page.run('Array.from(document.querySelectorAll("#frame th[scope=col]"), (th) => ' +
		'th.title ? "" : th.textContent)')).filter((t) => /total|of frame|self|beyond|CPU/.test(t)), []);
	await page.run('document.querySelector("#frame th .s").focus()');
	await page.press('Tab');
	check(name + ': also for who uses keys', await page.run('document.querySelector(".tip").textContent'),
		'The duration of a zone without the zones directly inside it.');
	check(name + ': the median frame is not compared with itself', await page.run(head(7) + '.hidden'), true);
}

/* After scrolling, headings of calls are below the links to sections, which are one line. */
async function headings(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	await page.look({ width: 1280 });
	await page.run('document.querySelector(".calls tbody tr:nth-child(4)").scrollIntoView()');
	check(name + ': headings of calls stay', await page.wait(is('((h, n) => n.height < 40 && h.top >= n.bottom - 4 && h.top < n.bottom + 4)' +
		'(document.querySelector(".calls th").getBoundingClientRect(), document.querySelector("nav").getBoundingClientRect())', true)), true);
}

/* What is printed, and what is seen on a narrow window. */
async function narrow(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	await page.look({ width: 700, media: 'print' });
	check(name + ': a timeline is printed whole, and nothing that only a screen can do', await page.run('[' +
		'getComputedStyle(document.querySelector("#frame .w")).maxHeight, Array.from(document.querySelectorAll("button, .to, input, #tables"))' +
		'.filter((e) => e.checkVisibility() && !e.closest("table")).length, ' +
		'getComputedStyle(document.querySelector("#worst thead .s"), "::after").content]'), ['none', 0, 'none']);
	await page.look({ width: 400 });
	check(name + ': figures of causes have names at 400 px', await page.run(
		'Array.from(document.querySelectorAll("#causes tbody tr:first-child td.n"), ' +
		'(td) => getComputedStyle(td, "::before").content.replace("attr(data-l) \\" \\"", JSON.stringify(td.dataset.l + " ")))'),
	['"worst "', '"extra "']);
	check(name + ': what calls take beyond the median is not cut off', await page.run('((t) => t.parentNode.scrollWidth <= t.parentNode.clientWidth && ' +
		't.rows[0].cells[7].checkVisibility())(document.querySelector("#frame .calls"))'), true);
	await page.look({ width: 1280 });
}

/* A heap that grows. */
async function leak(name, page) {
	await page.wait(is('document.querySelectorAll("#causes tbody th a").length', 1));
	check(name + ': a heap that grows leads to its chart and what allocates', await page.run(
		'Array.from(document.querySelectorAll("#causes a:not([data-n])"), (a) => a.textContent + " " + a.getAttribute("href"))'),
	['all frames #heap', 'its size #heap', 'what allocates #memory']);
}

async function signs(name, page) {
	await page.wait(is(HEAD, 'Frame 26'));
	check(name + ': the title has the program and the date', /, .+, \d{4}-\d\d-\d\d [\d:]+ UTC$/.test(await page.run('document.title')) ||
		await page.run('document.title'), true);
	check(name + ': colours are explained', (await page.run('document.querySelector("#frame .lg").textContent')).split(/[:,]\s+/).slice(0, 3),
		['Colours', 'GC', 'Contention']);
	const last = Math.max(...await page.run('Array.from(document.querySelectorAll("#worst table[data-t=hitches] tbody th"), (e) => Number(e.dataset.v))'));
	await page.run('location.hash = "frame=' + last + '"');
	await page.wait(is(HEAD, 'Frame ' + last));
	check(name + ': after the last hitch there is none',
		await page.run('Array.from(document.querySelectorAll("#frame .x .c")).slice(0, 2).map((b) => b.disabled)'),
		[false, true]);
	check(name + ': what sorts has a sign',
		(await page.run('getComputedStyle(document.querySelector("#worst thead .s"), "::after").content')).includes('\u2195'), true);
	await page.run('(() => { const i = document.querySelector("figure input"); i.value = "41"; i.dispatchEvent(new Event("change")); })()');
	await page.wait(is('document.querySelectorAll("table[data-range=markers]").length', 1));
	check(name + ': markers of a range lead to their callers, too',
		await page.run('document.querySelectorAll("table[data-range=markers] tbody th .s").length > 5'), true);
}

/* What is drawn at the left of the timeline after ${does}. */
const titles_after = (does) =>
	'new Promise((done) => { const p = CanvasRenderingContext2D.prototype, f = p.fillText, all = []; p.fillText = function (t, x, y) { ' +
	'if (x === 2 && this.canvas.closest("#frame")) all.push(t); return f.apply(this, arguments); }; ' + does + '; ' +
	'requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => { p.fillText = f; done(all); }))); })';

/* How many boxes are outlined while all is drawn anew; is it said what that means? */
const outlines = 'new Promise((done) => { const p = CanvasRenderingContext2D.prototype, f = p.strokeRect; let n = 0; p.strokeRect = function () { ' +
	'n += Boolean(this.canvas.closest("#frame")); return f.apply(this, arguments); }; ' +
	'document.querySelector("#frame canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true })); ' +
	'requestAnimationFrame(() => requestAnimationFrame(() => { p.strokeRect = f; done(n); })); })';
const OUTLINE = 'document.querySelector("#frame .lg").innerText.includes("outline")';

async function lanes(name, page) {
	const scroll = (to) => 'document.querySelector("#frame .w").scrollTop = ' + to, down = () => page.press('ArrowDown');

	await page.wait(is(HEAD, 'Frame 20'));
	check(name + ': threads that the cause is about come first', await page.wait(titles_after('dispatchEvent(new Event("resize")), ' +
		'document.querySelector("#frame button[title^=Show]").click()')), ['Main', 'Saver', 'Idler']);
	await page.run('document.querySelector("#frame canvas").focus()');
	await down();
	await down();
	check(name + ': also for who uses keys', (await page.run(SAID)).includes('on Saver') || await page.run(SAID), true);
	const spoken = [];
	await page.run('scrollTo(0, 0)');
	for (let i = 0; i < 3; i++) {
		await page.press('c');
		spoken.push((await page.run(SAID)).replace(/:.* on (\w+);/, ' on $1:') + ', ' + await page.run(ROW + '.replace(/^.\u00a0/, "")'));
	}
	check(name + ': and leads to it', await page.run('((b) => b.top >= 0 && b.top < innerHeight)(' +
		'document.querySelector("#frame canvas").getBoundingClientRect())'), true);
	check(name + ': a key tells what the cause is about, and marks its row', spoken, ['Main', 'Saver', 'Main'].map((t) =>
		'Decode on ' + t + ': the cause is about it, Decode'));
	check(name + ': it is outlined, and that is explained', [await page.wait(outlines), await page.run(OUTLINE)], [2, true]);
	await page.run('document.querySelector("#frame .w").style.maxHeight = "60px"');
	check(name + ': the name of a thread stays', (await page.wait(titles_after(scroll(60)))).pop(), 'Saver');
	await page.run('location.hash = "frame=19"');
	await page.wait(is(HEAD, 'Frame 19'));
	check(name + ': a frame without a cause has no outline', [await page.wait(outlines), await page.run(OUTLINE),
		await page.run('document.querySelector("#frame button[title*=cause]").disabled')], [0, false, true]);
	check(name + ': the next frame is seen from its top', await page.run('document.querySelector("#frame .w").scrollTop'), 0);
}

module.exports = async (...files) => {
	const [piled, growing, demo, three] = files.map((f) => url.pathToFileURL(f).href);

	for (const name of some(['Chromium', 'Firefox'], 1, 'reader of')) {
		const browser = await browsers[name]();
		let page = await browser.open(piled + '#frame=12');

		await piles(name, page);
		page = await browser.open(growing);
		await growth(name, page);
		check(name + ': nothing on the console', await page.heard(), []);
		page = await browser.open(three);
		await leak(name, page);
		await lanes(name, page);
		const uses = [[keys, ''], [axis, ''], [back, ''], [nowhere, '#frame=5000'], [alone, ''], [told, ''], [signs, ''], [beyond, ''],
			[headings, ''], [narrow, '']];

		for (const [f, hash] of name === 'Firefox' ? some(uses, 5, 'reader') : uses) {
			check(name + ': nothing on the console', await page.heard(), []);
			page = await browser.open(demo + hash);
			await f(name, page);
		}
		check(name + ': nothing on the console', await page.heard(), []);
	}
};
