/*
 * speedscope.cjs: load Chrome JSON into speedscope's own importer: for each line of JSON on standard input, [FILE], a line of it with the
 * file's number of profiles and the warnings, or {"error": text}. With [FILE, NAME], also the zones of profiles that have a zone of that
 * name, as speedscope opens them: [name, name of the parent or null] each.
 *
 * The package is a bundle for a browser: it runs here up to where it would draw, before stand-ins for the page, and one line
 * is put in that hands its importer of trace events out.
 */
const fs = require('fs'), path = require('path'), readline = require('readline'), vm = require('vm');
const dir = path.join(__dirname, 'node_modules/speedscope/dist/release');
const file = fs.readdirSync(dir).find(f => /^speedscope-.*\.js$/.test(f));
const bundle = fs.readFileSync(path.join(dir, file), 'utf8');
const draws = bundle.lastIndexOf('console.log(`speedscope v');
const importer = /Importing as Trace Event Format profile"\),([\w$]+)\(/.exec(bundle)[1];
const at = bundle.indexOf(`function ${importer}(`);

if (draws < 0 || at < 0)
	throw new Error('this speedscope is put together otherwise: look for its importer again');

const anything = () => new Proxy(function () {}, {
	get: (_, key) => key === Symbol.toPrimitive ? () => '' : key === 'length' ? 0 : anything(),
	apply: anything, construct: anything, set: () => true,
});
let warnings = [];
const page = {
	console: { log() {}, error() {}, warn: (...words) => warnings.push(words.join(' ')) },
	document: anything(), localStorage: anything(), Image: anything(), fetch: anything(), HTMLElement: class {},
	navigator: { userAgent: '', platform: '' }, location: { hash: '', search: '', protocol: 'http:' },
	matchMedia: anything, addEventListener() {}, requestAnimationFrame() {}, setTimeout, clearTimeout, TextDecoder, URL, performance,
};
page.window = page.self = page.globalThis = page;
vm.createContext(page);
vm.runInContext(`${bundle.slice(0, at)}globalThis.importer=t=>${importer}(t);${bundle.slice(at, draws)}})();`, page);
function opened(profiles, name) {
	const all = [];

	for (const profile of profiles.map(p => p.profile ?? p)) {
		const zones = [], stack = [];

		profile.forEachCall(frame => {
			zones.push([frame.frame.name, stack.at(-1) ?? null]);
			stack.push(frame.frame.name);
		}, () => stack.pop());
		if (zones.some(z => z[0] === name))
			all.push(...zones);
	}
	return all;
}

readline.createInterface({ input: process.stdin }).on('line', line => {
	warnings = [];
	try {
		const [path, name] = JSON.parse(line);
		const { profiles } = page.importer(JSON.parse(fs.readFileSync(path, 'utf8')));
		console.log(JSON.stringify({ profiles: profiles.length, warnings, opened: name ? opened(profiles, name) : [] }));
	} catch (e) {
		console.log(JSON.stringify({ error: String(e.stack ?? e) }));
	}
});
