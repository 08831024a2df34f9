/*
 * speedscope.cjs: load Chrome JSON into speedscope's own importer: for each line of JSON on standard input, [FILE], a line of it with the
 * file's number of profiles and the warnings, or {"error": text}.
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
readline.createInterface({ input: process.stdin }).on('line', line => {
	warnings = [];
	try {
		const { profiles } = page.importer(JSON.parse(fs.readFileSync(JSON.parse(line)[0], 'utf8')));
		console.log(JSON.stringify({ profiles: profiles.length, warnings }));
	} catch (e) {
		console.log(JSON.stringify({ error: String(e.stack ?? e) }));
	}
});
