#!/usr/bin/env node
/*
 * page.cjs TRACETOOL CAPTURE: the pictures of the report page in README.md, report.png and report-dark.png beside this: its top as Chromium shows
 * it, light and dark, in the 64 colours that it has most of. "make pictures" runs it.
 */
'use strict';
const { execFileSync } = require('child_process'), fs = require('fs'), os = require('os'), path = require('path'), url = require('url'), zlib = require('zlib');
const { chromium } = require('../../tests/system/report/driver.cjs');

const WIDE = 1120, HIGH = 880, COLORS = 64;
const DRAWN = 'new Promise((done) => { const look = () => document.querySelector("#frame h2") && document.querySelector("#frame h2").textContent ? ' +
	'requestAnimationFrame(() => done(1)) : setTimeout(look, 5); look(); })';

/* --- PNG --- */

/* The pixels of a PNG of three bytes a pixel, as Chromium writes it: { wide, high, rows }. */
function decode(png) {
	const wide = png.readUInt32BE(16), high = png.readUInt32BE(20), size = png[25] === 6 ? 4 : 3, parts = [], rows = [];

	for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
		if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
			parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
		}
	}
	const raw = zlib.inflateSync(Buffer.concat(parts)), step = wide * size;
	let before = Buffer.alloc(step);

	for (let y = 0; y < high; y++) {
		const filter = raw[y * (step + 1)], row = Buffer.from(raw.subarray(y * (step + 1) + 1, (y + 1) * (step + 1)));

		for (let i = 0; i < step; i++) {
			const a = i < size ? 0 : row[i - size], b = before[i], c = i < size ? 0 : before[i - size], p = a + b - c;
			const near = Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c) ? a : Math.abs(p - b) <= Math.abs(p - c) ? b : c;

			row[i] += [0, a, b, a + b >> 1, near][filter];
		}
		rows.push(row);
		before = row;
	}
	return { wide, high, size, rows };
}

function part(type, data) {
	const out = Buffer.alloc(12 + data.length);

	out.writeUInt32BE(data.length, 0);
	out.write(type, 4, 'latin1');
	data.copy(out, 8);
	out.writeUInt32BE(zlib.crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
	return out;
}

/* The same with a palette. */
function small(png) {
	const { wide, high, size, rows } = decode(png), count = new Map(), place = new Map();

	rows.forEach((row) => {
		for (let i = 0; i < row.length; i += size) {
			const color = row.readUIntBE(i, 3);

			count.set(color, (count.get(color) || 0) + 1);
		}
	});
	const palette = Array.from(count).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, COLORS).map((c) => c[0]);
	const apart = (a, b) => [16, 8, 0].reduce((sum, by) => sum + ((a >> by & 255) - (b >> by & 255)) ** 2, 0);
	const nearest = (color) => {
		if (!place.has(color)) {
			place.set(color, palette.reduce((best, c, i) => apart(c, color) < apart(palette[best], color) ? i : best, 0));
		}
		return place.get(color);
	};
	const head = Buffer.alloc(13);
	const lines = rows.map((row) => Buffer.from([0, ...Array.from({ length: wide }, (_, x) => nearest(row.readUIntBE(x * size, 3)))]));

	head.writeUInt32BE(wide, 0);
	head.writeUInt32BE(high, 4);
	head.set([8, 3, 0, 0, 0], 8);
	return Buffer.concat([png.subarray(0, 8), part('IHDR', head), part('PLTE', Buffer.from(palette.flatMap((c) => [c >> 16, c >> 8 & 255, c & 255]))),
		part('IDAT', zlib.deflateSync(Buffer.concat(lines), { level: 9 })), part('IEND', Buffer.alloc(0))]);
}

async function main() {
	const [program, capture] = process.argv.slice(2), folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracetool-pictures.'));
	const page = path.join(folder, 'report.html'), browser = chromium();

	execFileSync(program, ['report', '-q', capture, '-o', page]);
	for (const [scheme, name] of [['light', 'report.png'], ['dark', 'report-dark.png']]) {
		const at = await browser.open(url.pathToFileURL(page).href);

		await at.send('Emulation.setDeviceMetricsOverride', { width: WIDE, height: HIGH, deviceScaleFactor: 1, mobile: false });
		await at.send('Emulation.setScrollbarsHidden', { hidden: true });
		await at.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
		await at.wait(DRAWN);
		fs.writeFileSync(path.join(__dirname, name), small(Buffer.from((await at.send('Page.captureScreenshot', { format: 'png' })).data, 'base64')));
	}
	await browser.end();
	fs.rmSync(folder, { recursive: true });
}

main().catch((e) => {
	console.error(e);
	process.exit(1);
});
