/*
 * page.cjs PAGE TRACETOOL: the page that reads captures (make web), opened from a disk in Debian's Chromium and Firefox and used as people do: the report,
 * tables and all that can be saved have the bytes that the program writes; damaged files and hostile names; cancelled runs; no request but for the file.
 * Where the page is not built that is said, and nothing is tried.
 */
'use strict';
const { spawnSync } = require('child_process'), crypto = require('crypto'), fs = require('fs'), os = require('os'), path = require('path');
const url = require('url');
const { browsers, check, serious, some } = require('../system/report/driver.cjs');

const TESTDATA = path.join(__dirname, '../../testdata');
/* When ${what} is true; false after a minute. */
const when = (what) => `new Promise((done) => { const end = Date.now() + 60000, look = () => ${what} ? done(true) : Date.now() > end ? done(false) : ` +
	'setTimeout(look, 20); look(); })';
const by = (id) => `document.getElementById("${id}")`;
const IDLE = by('work') + '.hidden';
const SHOWN = when(`${IDLE} && !${by('result')}.hidden`);
const digest = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

module.exports = async (page_file, tracetool) => {
	if (!fs.existsSync(page_file)) {
		console.log('left out: the page: it is not built: make setup-web web');
		return;
	}
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracetool-web.'));
	const native = (name, from, args) => {
		fs.copyFileSync(path.join(TESTDATA, from), path.join(folder, name));
		return spawnSync(tracetool, args, { cwd: folder, maxBuffer: 1 << 28, env: { ...process.env, TRACETOOL_JOBS_EXACT: '1' } });
	};
	/* Statements that give the page files of testdata, [name, from], each ${times} times as long. */
	const give_all = (files, times = 1) => {
		const texts = files.map(([name, from]) => [name, fs.readFileSync(path.join(TESTDATA, from)).toString('base64')]);

		return `{ const list = new DataTransfer(); for (const [name, text] of ${JSON.stringify(texts)}) ` +
			`list.items.add(new File(Array(${times}).fill(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))), name)); ` +
			'const at = document.getElementById("files"); at.files = list.files; at.dispatchEvent(new Event("change")) }';
	};

	const give = (name, from, times) => give_all([[name, from]], times);

	check('the page has at most 4 MB', fs.statSync(page_file).size <= 4 << 20, true);
	for (const [name, start] of Object.entries(browsers)) {
		const page = await (await start()).open(url.pathToFileURL(page_file).href), sample = 'good-hitches.ttc.xz';
		const is = (what, have, want) => check(name + ': ' + what, have, want);

		is('it is read by axe-core', await serious(page), []);
		await page.load(by('sample') + '.click()');
		is('a sample is one click away', await page.wait(SHOWN), true);
		native(sample, 'demo/' + sample, ['report', '-o', 'report.html', sample]);
		is('the report is the program\'s', digest(await page.run(by('report') + '.srcdoc')), digest(fs.readFileSync(folder + '/report.html')));
		is('its scripts run', await page.wait(when(by('report') + '.contentDocument.querySelector("figure .r")')), true);
		is('nothing is wrong with it', await page.run(by('said') + '.textContent'), '');

		const stats = ['stats', sample, '--table', 'markers', '--format', 'csv'];
		await page.load(`${by('command')}.value = ${JSON.stringify(stats.join(' '))}; ${by('ask')}.requestSubmit()`);
		is('a command ends', await page.wait(when(`${IDLE} && !${by('answer')}.hidden`)), true);
		is('it prints what it prints here', await page.run(by('answer') + '.textContent'),
			native(sample, 'demo/' + sample, stats).stdout.toString());

		const formats = JSON.parse(await page.run(`JSON.stringify(Array.from(${by('format')}.options, (o) => o.value))`));
		is('all emitters are there', formats.length > 8, true);
		/* Catch what would be saved, and its name. */
		await page.load('window.saved = null; const was = URL.createObjectURL; URL.createObjectURL = (blob) => { ' +
			'if (!(blob.type || "").includes("javascript")) window.saved = blob; return was.call(URL, blob); }; ' +
			'HTMLAnchorElement.prototype.click = function () { window.name_of = this.download; }');
		for (const format of some(formats, 4, 'saved')) {
			await page.load(`window.saved = window.name_of = null; document.getElementById("format").value = ${JSON.stringify(format)}; ` +
				by('save') + '.click()');
			if (!await page.wait(when(`${IDLE} && (window.name_of || !${by('said')}.hidden)`))) {
				is(format + ' is saved', false, true);
				continue;
			}
			const out = await page.run('window.name_of') || sample + '.out';
			const args = format === 'report' ? ['report', '-o', out, sample] : ['convert', '-f', format, '-o', out, sample];
			const made = native(sample, 'demo/' + sample, args);
			if (made.status !== 0) {
				is(format + ' is refused in the same words', await page.run(by('said') + '.textContent.trim()'),
					made.stderr.toString().trim());
				continue;
			}
			const hex = await page.wait('window.saved.arrayBuffer().then((b) => ' +
				'Array.from(new Uint8Array(b), (x) => x.toString(16).padStart(2, "0")).join(""))');
			is(format + ' has the program\'s bytes', digest(Buffer.from(hex, 'hex')), digest(fs.readFileSync(path.join(folder, out))));
		}

		await page.load(give('cut.raw', 'raw/bad-cut.raw'));
		is('a damaged capture is shown', await page.wait(SHOWN), true);
		is('and told in the program\'s words', (await page.run(by('said') + '.textContent')).trim(),
			native('cut.raw', 'raw/bad-cut.raw', ['report', '-o', 'cut.html', 'cut.raw']).stderr.toString().trim());
		await page.load(give('nothing.raw', 'README.md'));
		is('what is no capture is told', await page.wait(when(`${IDLE} && ${by('said')}.textContent.includes("nothing.raw")`)), true);
		await page.load('window.hit = 0; ' + give('<img src=x onerror=hit=1>"\'&.raw', 'raw/good-2019-every.raw'));
		is('a hostile name is a name', [await page.wait(SHOWN), await page.run('window.hit')], [true, 0]);

		const two = ['good-2019-every.raw', 'good-2018-split.raw'];
		for (const name_of of two) {
			fs.copyFileSync(path.join(TESTDATA, 'raw', name_of), path.join(folder, name_of));
		}
		for (const [button, args] of [['compare', ['diff', '-o', 'two.html', two[0], '--', two[1]]], ['merge', ['report', '-o', 'two.html', ...two]]]) {
			await page.load(give_all(two.map((name_of) => [name_of, 'raw/' + name_of])) + `; ${by(button)}.click()`);
			is(button + ' ends', await page.wait(SHOWN), true);
			native(two[0], 'raw/' + two[0], args);
			is(button + ' shows the program\'s page', digest(await page.run(by('report') + '.srcdoc')),
				digest(fs.readFileSync(folder + '/two.html')));
		}

		await page.load(give('long.raw', 'raw/good-2019-every.raw', 20000));
		is('a long file makes progress', await page.wait(when(`${by('bar')}.hasAttribute("value") || ${IDLE}`)), true);
		await page.load(by('cancel') + '.click()');
		is('cancelling ends it at once', await page.run(IDLE), true);
		await page.load(by('sample') + '.click()');
		is('and the next capture is read', await page.wait(SHOWN), true);
		is('the console is silent', await page.heard(), []);
		if (page.asked) {
			is('nothing is requested', page.asked.filter((a) => !/^(file|blob|data|about):/.test(a)), []);
		}
	}
	fs.rmSync(folder, { recursive: true });
};
