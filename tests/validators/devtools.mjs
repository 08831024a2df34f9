// devtools.mjs FILE.json: load Chrome JSON with the trace engine of Chrome's developer tools (the Performance panel),
// and print its threads: slices read, and slices in the tree. A slice that does not nest is read and then not in the tree.
import fs from 'node:fs';

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

const doc = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const processor = engine.Processor.TraceProcessor.createWithAllHandlers();
await processor.parse(doc.traceEvents, { metadata: {} });
const threads = engine.Handlers.Threads.threadsInTrace(processor.data);
console.log(JSON.stringify({
	threads: threads.map(t => ({
		pid: t.pid, tid: t.tid, name: t.name, entries: t.entries.length, inTree: slicesIn(t.tree),
	})),
}));
