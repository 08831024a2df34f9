/*
 * Runs the program once, in a worker of the page: the glue that emscripten makes stands in front of this. The page sends {wasm, args, files, outputs}; it
 * gets {said} for what the program writes to standard error, {written} for standard output, and at the end {code, outputs}, a Blob for each.
 */
"use strict";

/* Let the descriptor ${fd} write to ${take}. */
function connect(FS, fd, minor, take) {
	const device = FS.makedev(70, minor), path = "/dev/page" + minor;
	FS.registerDevice(device, {
		open() {},
		close() {},
		write(stream, from, at, n) {
			take(from.slice(at, at + n));
			return n;
		},
	});
	FS.mkdev(path, 0o222, device);
	FS.close(FS.getStream(fd));
	if (FS.open(path, 1).fd !== fd)
		throw new Error("the standard descriptors are not free");
}

onmessage = async ({ data: { wasm, args, files, outputs } }) => {
	const program = await Tracetool({
		noInitialRun: true,
		instantiateWasm(imports, done) {
			WebAssembly.instantiate(wasm, imports).then((instance) => done(instance, wasm));
			return {};
		},
		print() {},
		printErr() {},
	});
	const { FS, WORKERFS } = program, text = new TextDecoder();

	connect(FS, 1, 1, (bytes) => postMessage({ written: bytes }, [bytes.buffer]));
	connect(FS, 2, 2, (bytes) => postMessage({ said: text.decode(bytes, { stream: true }) }));
	FS.mkdir("/captures");
	FS.mount(WORKERFS, { files }, "/captures");
	FS.mkdir("/out");
	FS.chdir("/captures");
	let code;
	try {
		code = program.callMain(args);
	} catch (e) {
		if (typeof e.status !== "number")
			postMessage({ said: "tracetool: the program ended: " + e.message + "\n" });
		code = typeof e.status === "number" ? e.status : 4;
	}
	const made = {};
	for (const name of outputs) {
		try {
			made[name] = new Blob([FS.readFile("/out/" + name)]);
		} catch (e) {
			/* The program did not write it, and has said why. */
		}
	}
	postMessage({ code, outputs: made });
};
