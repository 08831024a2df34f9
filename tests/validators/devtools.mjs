// devtools.mjs: load Chrome JSON with the trace engine of Chrome's developer tools (the Performance panel): for each line of JSON
// on standard input, [FILE], a line of it with the file's threads: slices read, and slices in the tree. A slice that does not nest is
// read and then not in the tree. Or a line {"error": text}.
import fs from 'node:fs';
import readline from 'node:readline';

// The engine is made for a page.
globalThis.DOMRect ??= class DOMRect {
	constructor(x = 0, y = 0, width = 0, height = 0) {
		Object.assign(this, { x, y, width, height });
	}
	static fromRect(o) {
		return new DOMRect(o.x, o.y, o.width, o.height);
	}
};
globalThis.window ??= globalThis;
const engine = await import('@paulirish/trace_engine');

function slicesIn(tree) {
	const left = [...(tree?.roots ?? [])];
	let n = 0;

	while (left.length) {
		n++;
		left.push(...left.pop().children);
	}
	return n;
}

async function threadsOf(file) {
	const processor = engine.Processor.TraceProcessor.createWithAllHandlers();

	await processor.parse(JSON.parse(fs.readFileSync(file, 'utf8')).traceEvents, { metadata: {} });
	return engine.Handlers.Threads.threadsInTrace(processor.data).map(t => ({
		pid: t.pid, tid: t.tid, name: t.name, entries: t.entries.length, inTree: slicesIn(t.tree),
	}));
}

for await (const line of readline.createInterface({ input: process.stdin })) {
	const [file] = JSON.parse(line);

	console.log(JSON.stringify(await threadsOf(file).then(threads => ({ threads }), e => ({ error: String(e.stack ?? e) }))));
}
