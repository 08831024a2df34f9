#!/usr/bin/env node
/* Runs tracetool, which is WebAssembly here, under Node: files and streams are the system's. */
"use strict";
const fs = require("fs"), path = require("path");
const program = require("./tracetool.js");

/* Windows' separators become the program's own, in what names a file or a folder that is there. */
const plain = (arg) => (process.platform === "win32" && arg.includes("\\") && fs.existsSync(path.dirname(arg)) ? arg.replace(/\\/g, "/") : arg);

program({
	arguments: process.argv.slice(2).map(plain),
	wasmBinary: fs.readFileSync(path.join(__dirname, "tracetool.wasm")),
	preRun: [(m) => Object.assign(m.ENV, process.env)],
	quit: (code) => process.exit(code),
}).catch((e) => {
	process.stderr.write("tracetool: the program ended: " + (e.message || e) + "\n");
	process.exit(4);
});
