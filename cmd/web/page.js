/*
 * The page that reads captures: what is dropped on it goes to the program in it, which runs in a worker, and the report that comes of it is shown below.
 * Each run has a new worker, so that it can be ended at any moment. Nothing is requested from anywhere; the page's policy forbids it.
 */
"use strict";
(() => {
const at = (id) => document.getElementById(id);
/* What can be saved: an emitter, its suffix, and the words that people see. */
const FORMATS = @FORMATS@;
let program, runner, worker, files = [], report;

function show(id, on) {
	at(id).hidden = !on;
}

/* The bytes of the element ${id}, which are compressed by gzip, in base64. */
async function unpack(id) {
	const text = atob(at(id).textContent), bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/* Compile the program once, before the first run. */
async function prepare() {
	if (program)
		return;
	program = await WebAssembly.compile(await unpack("wasm"));
	at("wasm").textContent = "";
	runner = URL.createObjectURL(new Blob([at("runner").textContent], { type: "text/javascript" }));
}

function end() {
	if (worker)
		worker.terminate();
	worker = null;
	show("work", false);
}

/* A progress bar's line, as the program draws it: its name, and how far it is. */
function draw(line) {
	const found = /([a-z][a-z ,0-9]*?) *\[[# .=>-]*\] *(\d+) %/.exec(line);
	if (!found)
		return false;
	at("bar").value = +found[2];
	at("doing").textContent = "reading: " + found[1] + ", " + found[2] + " %";
	return true;
}

/* Run the program; returns {code, written, said, outputs}, or null if it was cancelled. */
async function run(args, outputs = []) {
	end();
	show("said", false);
	show("work", true);
	at("bar").removeAttribute("value");
	at("doing").textContent = "starting";
	await prepare();
	return new Promise((resolve) => {
		const written = [];
		let said = "";
		worker = new Worker(runner);
		at("cancel").onclick = () => {
			end();
			resolve(null);
		};
		worker.onerror = (e) => {
			end();
			resolve({ code: 4, written, said: said + "tracetool: the program did not start: " + e.message + "\n", outputs: {} });
		};
		worker.onmessage = ({ data }) => {
			if (data.written)
				written.push(data.written);
			if (data.said)
				for (const line of data.said.split(/[\r\n]/))
					if (line.replace("\x1b[K", "") && !draw(line))
						said += line.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "") + "\n";
			if (data.code === undefined)
				return;
			end();
			resolve({ code: data.code, written, said, outputs: data.outputs });
		};
		worker.postMessage({ wasm: program, args, files, outputs });
	});
}

/* Show what the program said, in its own words; outputs are in a folder of its file system. */
function tell(text) {
	at("said").textContent = text.replaceAll("/out/", "");
	show("said", text.trim() !== "");
}

const names = () => files.map((f) => f.name);

async function open(verb, args) {
	show("result", false);
	const done = await run([verb, "--progress", "always", "-o", "/out/report.html", ...args], ["report.html"]);
	if (!done)
		return;
	tell(done.said);
	report = done.outputs["report.html"];
	if (!report)
		return;
	at("report").srcdoc = await report.text();
	at("answer").textContent = "";
	show("answer", false);
	at("command").value = "stats " + names().map(quote).join(" ") + " --table markers";
	show("result", true);
}

function quote(name) {
	return /^[\w.,+:@%/-]+$/.test(name) ? name : "'" + name.replace(/'/g, "'\\''") + "'";
}

/* The words of a command line: quotes and backslashes as in a shell, and nothing else of one. */
function split(line) {
	const words = [];
	let word = null, inside = "";
	for (let i = 0; i < line.length; i++) {
		const c = line[i];
		if (inside ? c === inside : c === "'" || c === "\"") {
			inside = inside ? "" : c;
			word = word || "";
		} else if (c === "\\" && inside !== "'" && i + 1 < line.length) {
			word = (word || "") + line[++i];
		} else if (!inside && /\s/.test(c)) {
			if (word !== null)
				words.push(word);
			word = null;
		} else {
			word = (word || "") + c;
		}
	}
	return word === null ? words : [...words, word];
}

/* Two captures of one name are told apart by a number in front. */
function distinct(list) {
	const seen = new Set();
	return list.map((file) => {
		let name = file.name;
		for (let n = 2; seen.has(name); n++)
			name = n + "-" + file.name;
		seen.add(name);
		return name === file.name ? file : new File([file], name, { lastModified: file.lastModified });
	});
}

function take(list) {
	if (list.length === 0)
		return;
	files = distinct([...list]);
	at("chosen").replaceChildren(...files.map((file) => {
		const li = document.createElement("li");
		li.textContent = file.name + ", " + (file.size < 1e6 ? Math.ceil(file.size / 1e3) + " KB" : (file.size / 1e6).toFixed(1) + " MB");
		return li;
	}));
	show("chosen", true);
	show("how", files.length > 1);
	show("result", false);
	tell("");
	if (files.length === 1)
		open("report", ["--", ...names()]);
}

function save(blob, name) {
	const a = document.createElement("a"), url = URL.createObjectURL(blob);
	a.href = url;
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}

at("choose").onclick = () => at("files").click();
at("files").onchange = () => take(at("files").files);
at("sample").onclick = async () => take([new File([await unpack("example")], at("example").dataset.name)]);
at("compare").onclick = () => open("diff", [names()[0], "--", ...names().slice(1)]);
at("merge").onclick = () => open("report", ["--", ...names()]);
at("save").onclick = async () => {
	const [format, suffix] = FORMATS[at("format").selectedIndex], out = names()[0] + suffix;
	if (format === "report")
		return save(report, out);
	const done = await run(["convert", "--progress", "always", "-f", format, "-o", "/out/" + out, "--", ...names()], [out]);
	if (!done)
		return;
	tell(done.said);
	if (done.outputs[out])
		save(done.outputs[out], out);
};
at("ask").onsubmit = async (e) => {
	e.preventDefault();
	const done = await run(split(at("command").value));
	if (!done)
		return;
	at("answer").textContent = await new Blob(done.written).text();
	show("answer", true);
	tell(done.said);
};
for (const [emitter, , words] of FORMATS)
	at("format").append(new Option(words, emitter));
for (const type of ["dragenter", "dragover"])
	addEventListener(type, (e) => {
		e.preventDefault();
		at("drop").classList.add("over");
	});
addEventListener("dragleave", () => at("drop").classList.remove("over"));
addEventListener("drop", (e) => {
	e.preventDefault();
	at("drop").classList.remove("over");
	take(e.dataTransfer.files);
});
})();
