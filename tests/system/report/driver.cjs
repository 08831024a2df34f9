#!/usr/bin/env node
/*
 * driver.cjs SCRIPT [ARGUMENT...] [-- SCRIPT...]: run scripts of this folder, which use the same browsers; "N passed, N failed".
 *
 * Drives real browsers without a library: Debian's Chromium by its own protocol over a pipe, Debian's Firefox by Marionette over a socket.
 * A browser starts when a script first asks for it. A script exports a function that takes its arguments.
 * Pages of both know run (an expression, its value), wait (one that is a promise), load (statements, that change the page), press (a key), click (a place),
 * look ({ width, scheme, media }: what the page is shown on), ids (of elements, also without scripts), heard (what the console has).
 */
'use strict';
const { spawn } = require('child_process'), crypto = require('crypto'), fs = require('fs'), net = require('net'), os = require('os'), path = require('path');

const LONG = process.env.TT_SET === 'all';
const AXE = path.join(__dirname, '../../validators/node_modules/axe-core/axe.min.js');
/* Rules that colours and the width of the window matter to. */
const COLOURS = ['color-contrast', 'scrollable-region-focusable', 'target-size'];
const SERIOUS = (rules) => 'axe.run({ resultTypes: ["violations"]' + (rules ? ', runOnly: ' + JSON.stringify(rules) : '') + ' })' +
	'.then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + ' +
	'v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join("; ")))';
const ROWS = 6;
/* Rows of tables, on a narrow window, in which a long name is narrower than most of the window, or cells lie over each other. */
const CRAMPED = '(() => { const bad = []; for (const box of document.querySelectorAll(".t")) for (const tr of box.querySelectorAll("table:not(.facts) > ' +
	'tbody > tr")) { const cells = Array.from(tr.cells).filter((c) => c.checkVisibility()), at = cells.map((c) => c.getBoundingClientRect()); ' +
	'if (cells.some((c, i) => !c.matches(".n") && !c.closest("#loss, #rows, #causes") && c.textContent.length > 20 && ' +
	'at[i].width < .7 * box.clientWidth) || at.some((b, i) => i && b.top < at[i - 1].bottom - 1 && b.bottom > at[i - 1].top + 1 && ' +
	'b.left < at[i - 1].right - 1 && b.right > at[i - 1].left + 1)) bad.push(tr.textContent.slice(0, 60)); } return bad.slice(0, 5); })()';

/* ${n} of ${items} in their order, by lot: others for each commit, as tests/kit/lot.py draws them; all where TT_SET is all. */
function some(items, n, name) {
	const rank = (i) => crypto.createHash('sha256').update([process.env.TT_LOT || '0', name, i].join(' ')).digest('hex');
	const drawn = new Set(items.map((_, i) => i).sort((a, b) => rank(a) < rank(b) ? -1 : 1).slice(0, LONG ? items.length : n));

	return items.filter((_, i) => drawn.has(i));
}

let passed = 0, failed = 0;
const started = [];

process.on('exit', () => started.forEach((p) => p.exitCode === null && p.kill()));

function check(what, have, want) {
	const good = JSON.stringify(have) === JSON.stringify(want);

	passed += good;
	failed += !good;
	if (!good) {
		console.log('FAILED: ' + what + '\n    ' + JSON.stringify(have) + ', not ' + JSON.stringify(want));
	}
}

/* Chromium's own protocol over a pipe: messages end with NUL. */
class Browser {
	constructor() {
		this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'tracetool-browser.'));
		this.process = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--user-data-dir=' + this.home,
			'--remote-debugging-pipe', 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		started.push(this.process);
		this.waiting = new Map();
		this.heard = [];
		this.next = 0;
		let rest = Buffer.alloc(0);
		this.process.stdio[4].on('data', (more) => {
			rest = Buffer.concat([rest, more]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
				const m = JSON.parse(rest.subarray(0, end).toString()), w = this.waiting.get(m.id);

				this.waiting.delete(m.id);
				if (w) {
					w[m.error ? 1 : 0](m.error ? new Error(JSON.stringify(m.error)) : m.result);
				} else {
					this.heard.forEach((f) => f(m));
				}
			}
		});
	}

	send(method, params = {}, sessionId = undefined) {
		return new Promise((good, bad) => {
			this.waiting.set(++this.next, [good, bad]);
			this.process.stdio[3].write(JSON.stringify({ id: this.next, method, params, sessionId }) + '\0');
		});
	}

	async open(address, scripts = true) {
		const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });

		/* One page is there until the next one. */
		if (this.last) {
			await this.send('Target.closeTarget', { targetId: this.last });
		}
		this.last = targetId;
		const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
		const page = { said: [], asked: [], send: (method, params) => this.send(method, params, sessionId) };
		const loaded = new Promise((done) => this.heard.push((m) => {
			if (m.sessionId !== sessionId) {
				return;
			}
			if (m.method === 'Log.entryAdded' || m.method === 'Runtime.consoleAPICalled' || m.method === 'Runtime.exceptionThrown') {
				page.said.push(JSON.stringify(m.params));
			} else if (m.method === 'Network.requestWillBeSent') {
				page.asked.push(m.params.request.url);
			} else if (m.method === 'Page.loadEventFired') {
				done();
			}
		}));

		page.wait = async (text) => (await page.send('Runtime.evaluate', { expression: text, returnByValue: true, awaitPromise: true })).result.value;
		page.run = async (text) => {
			const r = await page.send('Runtime.evaluate', { expression: text, returnByValue: true });

			if (r.exceptionDetails) {
				throw new Error(text + ': ' + JSON.stringify(r.exceptionDetails.exception));
			}
			return r.result.value;
		};
		page.load = (text) => page.run(text + '; 1');
		page.heard = async () => page.said;
		page.look = async ({ width, scheme, media }) => {
			await page.send('Emulation.setDeviceMetricsOverride', { width: width || 1280, height: 900, deviceScaleFactor: 1, mobile: false });
			await page.send('Emulation.setEmulatedMedia', { media: media || '', features: [{ name: 'prefers-color-scheme',
				value: scheme || 'light' }] });
		};
		page.ids = async (selector) => {
			const { root } = await page.send('DOM.getDocument', { depth: -1 });
			const { nodeIds } = await page.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });

			return Promise.all(nodeIds.map(async (nodeId) => {
				const { attributes } = await page.send('DOM.getAttributes', { nodeId }), at = attributes.indexOf('id');

				return at < 0 ? null : attributes[at + 1];
			}));
		};
		/* A key as people press it; ${text}: what it writes. */
		page.press = async (key, modifiers = 0) => {
			const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
			const code = { Tab: 9, Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38,
				ArrowRight: 39, ArrowDown: 40, End: 35 }[key] || 0;

			await page.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, code: key, text, modifiers,
				windowsVirtualKeyCode: code });
			await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, modifiers, windowsVirtualKeyCode: code });
		};
		page.click = async (x, y) => {
			for (const type of ['mousePressed', 'mouseReleased']) {
				await page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1,
					buttons: type === 'mousePressed' ? 1 : 0 });
			}
		};
		for (const domain of ['Page', 'Runtime', 'Log', 'Network']) {
			await page.send(domain + '.enable');
		}
		await page.send('Emulation.setScriptExecutionDisabled', { value: !scripts });
		await page.send('Page.navigate', { url: address });
		await loaded;
		return page;
	}

	end() {
		return new Promise((done) => {
			this.process.on('exit', () => {
				fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
				done();
			});
			this.send('Browser.close').catch(() => 0);
		});
	}
}

/* Firefox: its messages are "length:[0, id, command, parameters]". */
class Firefox {
	async start() {
		this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'tracetool-browser.'));
		this.port = await new Promise((done) => {
			const s = net.createServer().listen(0, '127.0.0.1', () => {
				const { port } = s.address();

				s.close(() => done(port));
			});
		});
		fs.writeFileSync(path.join(this.home, 'user.js'), 'user_pref("marionette.port", ' + this.port + ');\n' +
			'user_pref("browser.shell.checkDefaultBrowser", false);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n');
		this.process = spawn('firefox', ['--headless', '--no-remote', '--profile', this.home, '--marionette',
			'--remote-allow-system-access', 'about:blank'],
			{ stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, HOME: this.home, MOZ_CRASHREPORTER_DISABLE: '1' } });
		started.push(this.process);
		this.ended = new Promise((done) => this.process.on('exit', done));
		/* It says when it listens. */
		await new Promise((done, bad) => {
			let text = '';

			this.process.stdout.on('data', (more) => (text += more).includes('Listening on port') && done());
			this.ended.then(() => bad(new Error('Firefox does not start: ' + text)));
		});
		this.waiting = new Map();
		this.next = 0;
		this.socket = net.connect(this.port, '127.0.0.1');
		await new Promise((greeted) => {
			let rest = Buffer.alloc(0), first = true;

			this.socket.on('data', (more) => {
				rest = Buffer.concat([rest, more]);
				for (let colon; (colon = rest.indexOf(':')) > 0;) {
					const n = Number(rest.subarray(0, colon).toString());

					if (rest.length < colon + 1 + n) {
						return;
					}
					const m = JSON.parse(rest.subarray(colon + 1, colon + 1 + n).toString());
					rest = rest.subarray(colon + 1 + n);
					if (first) {
						first = false;
						greeted();
						continue;
					}
					const w = this.waiting.get(m[1]);
					this.waiting.delete(m[1]);
					w[m[2] ? 1 : 0](m[2] ? new Error(JSON.stringify(m[2])) : m[3]);
				}
			});
		});
		await this.send('WebDriver:NewSession');
		await this.send('WebDriver:SetTimeouts', { script: 600000, pageLoad: 600000 });
	}

	send(command, params = {}) {
		return new Promise((good, bad) => {
			const text = JSON.stringify([0, ++this.next, command, params]);

			this.waiting.set(this.next, [good, bad]);
			this.socket.write(Buffer.byteLength(text) + ':' + text);
		});
	}

	/* The value of what the browser itself runs. */
	async inside(script, ...args) {
		await this.send('Marionette:SetContext', { value: 'chrome' });
		const { value } = await this.send('WebDriver:ExecuteScript', { args, script });
		await this.send('Marionette:SetContext', { value: 'content' });
		return value;
	}

	/* As above. */
	async open(address, scripts = true) {
		const page = {};

		await this.inside('gBrowser.selectedBrowser.browsingContext.allowJavascript = arguments[0];', scripts);
		await this.send('WebDriver:Navigate', { url: 'about:blank' });
		await this.send('WebDriver:Navigate', { url: address });
		page.load = (text) => page.run('(() => { ' + text + '; return 1; })()');
		page.look = async ({ width, scheme, media }) => {
			const wide = width || 1280;

			await this.inside('const b = gBrowser.selectedBrowser, [width, scheme, media] = arguments; ' +
				'window.resizeTo(1500, 1100); b.style.minWidth = b.style.maxWidth = width + "px"; ' +
				'b.browsingContext.prefersColorSchemeOverride = scheme; b.browsingContext.mediumOverride = media;',
			wide, scheme || 'light', media || '');
			/* The page hears of it later. */
			await page.run('new Promise((done) => { const end = Date.now() + 5000, look = () => ' +
				'innerWidth === ' + wide + ' || Date.now() > end ? done(1) : setTimeout(look, 5); look(); })');
		};
		page.ids = async (selector) => {
			const found = await this.send('WebDriver:FindElements', { using: 'css selector', value: selector });

			return Promise.all(found.map(async (e) => (await this.send('WebDriver:GetElementAttribute', { id: Object.values(e)[0],
				name: 'id' })).value));
		};
		page.click = (x, y) => this.send('WebDriver:PerformActions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' },
			actions: [{ type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 }, { type: 'pointerDown', button: 0 },
				{ type: 'pointerUp', button: 0 }] }] });
		page.wait = page.run = async (text) => (await this.send('WebDriver:ExecuteAsyncScript', { sandbox: null, args: [],
			script: 'const done = arguments[0]; Promise.resolve(' + text + ').then(done, (e) => done("failed: " + e));' })).value;
		page.press = (key) => {
			const value = { Tab: '\ue004', Enter: '\ue007', ArrowLeft: '\ue012', ArrowUp: '\ue013', ArrowRight: '\ue014',
				ArrowDown: '\ue015', End: '\ue010', Escape: '\ue00c' }[key] || key;

			return this.send('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions: ['keyDown', 'keyUp'].map((type) =>
				({ type, value })) }] });
		};
		/* What the browser's console has of this page. */
		page.said = page.heard = () => this.inside('return Services.console.getMessageArray().filter((m) => m instanceof Ci.nsIScriptError && ' +
			'm.sourceName.startsWith(arguments[0])).map((m) => m.errorMessage);', address.split('#')[0]);
		return page;
	}

	async end() {
		this.send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => 0);
		await this.ended;
		this.socket.destroy();
		fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
	}
}

/*
 * What axe-core finds serious in ${page} with all unfolded. ${again}: the page was looked at by all rules in other colours. Rows of a table are
 * alike: it looks at the first. Where TT_SET is all, at all rows by all rules.
 */
async function serious(page, again = false) {
	await page.run('document.querySelectorAll("details").forEach((d) => d.open = true)');
	if (!LONG) {
		await page.run('document.querySelectorAll("tbody").forEach((b) => Array.from(b.rows).slice(' + ROWS + ').forEach((r) => r.hidden = true))');
	}
	if (!await page.run('"axe" in window')) {
		await page.load(fs.readFileSync(AXE, 'utf8'));
	}
	return page.wait(SERIOUS(again && !LONG ? COLOURS : null));
}

const running = {};

function chromium() {
	return running.chromium = running.chromium || new Browser();
}

async function firefox() {
	if (!running.firefox) {
		running.firefox = new Firefox();
		await running.firefox.start();
	}
	return running.firefox;
}

const browsers = { Chromium: chromium, Firefox: firefox };

module.exports = { browsers, CRAMPED, LONG, check, serious, some, chromium, firefox };

async function main(words) {
	while (words.length) {
		const end = words.indexOf('--'), [script, ...args] = words.splice(0, end < 0 ? words.length : end + 1);

		await require(path.join(__dirname, script))(...args.filter((a) => a !== '--'));
	}
	await Promise.all(Object.values(running).map((b) => b.end()));
}

if (require.main === module) {
	main(process.argv.slice(2)).catch((e) => {
		failed++;
		console.log('FAILED: ' + e.stack);
	}).then(() => {
		console.log(passed + ' passed, ' + failed + ' failed');
		process.exit(failed ? 1 : 0);
	});
}
