/*
 * firefox.cjs FILE: open a profile in the Firefox Profiler's own code, which its command line carries (@firefox-devtools/profiler-cli 0.10.0), and
 * print a line of JSON: {"error": text}, or
 * {"threads": [{"name", "functions": {name: self time in ms}, "names": {name of markers: how many}}, ...], "counters": [{"name", "samples"}, ...]}.
 *
 * The program loads a profile in a process of its own and answers at a socket. Here it runs in this process, and what would be the socket is an
 * object. The loading, the upgrade from the profile's version, the call tree and the markers are those of the page profiler.firefox.com.
 */
'use strict';
const events = require('events'), fs = require('fs'), net = require('net'), os = require('os'), path = require('path');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'firefox-'));
const end = answer => {
	fs.rmSync(dir, { recursive: true, force: true });
	fs.writeSync(1, JSON.stringify(answer) + '\n');
	process.exit(0);
};
let connect;

net.createServer = handler => {
	connect = handler;
	return { on() {}, close() {}, listen: (_, listening) => setImmediate(listening) };
};
/* What it logs says when the profile is loaded. */
fs.createWriteStream = () => ({ on() {}, end() {}, write(line) {
	if (line.includes('Profile loaded successfully'))
		ask().then(end, e => end({ error: String(e.stack ?? e) }));
	else if (line.includes('Failed to load profile') || line.includes('Fatal'))
		end({ error: line });
} });

async function ask() {
	const socket = new events.EventEmitter(), waiting = [];

	socket.write = line => waiting.shift()(JSON.parse(line));
	connect(socket);
	const command = message => new Promise((resolve, reject) => {
		waiting.push(answer => answer.type === 'success' ? resolve(answer.result) : reject(new Error(JSON.stringify(answer))));
		socket.emit('data', JSON.stringify({ type: 'command', command: message }) + '\n');
	});
	const info = await command({ command: 'profile', subcommand: 'info', all: true }), threads = [];

	for (const t of info.processes.flatMap(p => p.threads)) {
		const of = { command: 'thread', thread: t.threadHandle };
		const functions = await command({ ...of, subcommand: 'functions', includeIdle: true, functionFilters: {} });
		const markers = await command({ ...of, subcommand: 'markers', markerFilters: { list: true } });
		const names = {};

		for (const m of markers.flatMarkers)
			names[m.name] = (names[m.name] ?? 0) + 1;
		threads.push({ name: t.name, names, functions: Object.fromEntries(functions.functions.map(f => [f.nameWithLibrary, f.selfSamples])) });
	}
	const counters = (await command({ command: 'counter', subcommand: 'list' })).counters.map(c => ({ name: c.name, samples: c.rangeSampleCount }));
	return { threads, counters };
}

process.env.PROFILER_CLI_SESSION_DIR = dir;
process.argv = [process.argv[0], process.argv[1], '--daemon', process.argv[2], '--session', 'check'];
require(path.join(__dirname, 'node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js'));
