/*
 * What a report page shows where scripts run beside its timeline (view.js): the value of a counter, or the size of the heap, under the pointer, of
 * the words that lib/page/line_charts.c writes; and what a frame has beside its zones, of the figures of lib/page/frame_facts.c. Text is only ever set as text.
 */
"use strict";
(function () {
	const { make, shown, inflate, bytes } = tracetool, times = tracetool.times;

	/* --- charts --- */

	/* Which frames, or time, column ${c} of ${columns} has. */
	function place(data, c, columns) {
		if (!times || Number(data.step)) {
			return "at " + shown(Number(data.time) + Number(data.step) * c);
		}
		const n = times.all.length, first = Math.floor(n * c / columns), last = Math.floor(n * (c + 1) / columns) - 1;

		return first === last ? "frame " + (times.first + first) : "frames " + (times.first + first) + "\u2013" + (times.first + last);
	}

	function charted(figure, flat, data) {
		const svg = figure.querySelector("svg"), chart = svg.querySelector("svg"), said = make("output", ""), columns = Number(data.columns), at = [];
		const label = svg.getAttribute("aria-label");
		const mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
		let last = 0, now = -1;

		for (let i = 0; i < flat.length; i += 3) {
			last += flat[i];
			at.push([last, flat[i + 1], flat[i + 2]]);
		}

		/* A column without a value has the one before. */
		function told(c) {
			const known = at.filter((v) => v[0] <= c).pop();

			if (!known) {
				return place(data, c, columns) + ": no value yet";
			}
			return place(data, c, columns) + ": " + (known[0] === c ? known[1] + (known[1] === known[2] ? "" : " to " + known[2]) :
				"none; before, in " + place(data, known[0], columns) + ", " + known[2]);
		}

		function show(c) {
			now = c;
			said.textContent = c < 0 ? "" : told(c);
			mark.setAttribute("d", c < 0 ? "" : "M" + (c + .5) + " 0V" + chart.viewBox.baseVal.height);
			if (c >= 0 && times && !Number(data.step)) {
				times.mark(times.first + Math.floor(times.all.length * (c + .5) / columns));
			}
		}

		function open(c) {
			if (c >= 0 && times && times.clicked && !Number(data.step)) {
				times.clicked(times.first + Math.floor(times.all.length * (c + .5) / columns));
			}
		}

		const under = (event) => {
			const box = svg.getBoundingClientRect();

			return Math.max(0, Math.min(columns - 1, Math.floor((event.clientX - box.left) / box.width * columns)));
		};

		mark.setAttribute("class", "q");
		chart.append(mark);
		svg.setAttribute("tabindex", "0");
		svg.setAttribute("aria-label", label + "; arrow keys tell its values");
		svg.addEventListener("pointermove", (event) => show(under(event)));
		svg.addEventListener("pointerleave", () => show(-1));
		svg.addEventListener("click", (event) => open(under(event)));
		svg.addEventListener("keydown", (event) => {
			const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -columns / 20, PageDown: columns / 20, Home: -columns, End: columns }[event.key];

			if (by !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
				event.preventDefault();
				event.stopPropagation();
				show(Math.max(0, Math.min(columns - 1, Math.round(now + by))));
			} else if (event.key === "Enter") {
				open(now);
			}
		});
		said.setAttribute("role", "status");
		figure.append(said);
	}

	for (const e of document.querySelectorAll("script[data-lines]")) {
		const figures = e.closest("section").querySelectorAll("figure.ln"), data = { ...e.dataset };

		inflate(e.textContent).then((lines) => lines.forEach((flat, i) => charted(figures[i], flat, data)))
			.catch((error) => e.before(make("p", "The values cannot be read: " + error.message)));
		e.remove();
	}

	/* --- beside the zones of a frame --- */

	const source = document.querySelector("script[data-facts]"), section = document.getElementById("frame");

	if (!source || !section) {
		return;
	}

	const grid = tracetool.grid, median = tracetool.median;
	const HEADS = ["frame", "duration", "CPU-active", "allocations", "allocated", "collections", "collection time", "GC pause", "heap"];
	const near = grid("This frame beside its neighbours and the median", HEADS.map((text, i) => [text, i ? "n" : ""]));
	const counters = grid("Counters in this frame", [["counter", "nm"], ["unit"], ["last", "n"], ["in the median frame", "n"]]);
	const format = [String, shown, shown, (n) => n.toLocaleString("en-US"), bytes, (n) => n.toLocaleString("en-US"), shown, shown, bytes];
	let known = null;

	function cell(v, i) {
		const td = make(i ? "td" : "th", v === null ? "-" : format[i](v), { className: i ? "n" : "" });

		if (!i) {
			td.scope = "row";
		}
		if (v !== null) {
			td.dataset.v = String(v);
		}
		return td;
	}

	/* The frame ${f}, the present one ${number} marked. */
	function row(f, number, used) {
		const tr = make("tr", ""), cells = f.map(cell).filter((_, i) => used[i]);

		if (f[0] !== number && tracetool.opens) {
			tracetool.opens(cells[0], f[0]);
		}
		if (f[0] === number || f[0] === median) {
			cells[0].append( f[0] === number ? " (this)" : " (median)");
		}
		if (f[0] === number) {
			tr.className = "o";
		}
		tr.append(...cells);
		return tr;
	}

	function show(number) {
		const [frames, values] = known, usual = frames.get(median);
		/* Of a frame without figures there is its time. */
		const of = (n) => frames.get(n) || (times && times.all[n - times.first] !== undefined ? [n, times.all[n - times.first], ...HEADS.slice(2).fill(null)] : null);
		const shows = [-2, -1, 0, 1, 2].map((by) => of(number + by)).filter((f) => f !== null);

		if (usual && !shows.includes(usual)) {
			shows.push(usual);
		}
		const used = HEADS.map((_, i) => shows.some((f) => f[i] !== null));

		near.parentNode.hidden = shows.length < 2;
		near.tHead.rows[0].replaceChildren(...HEADS.map((text, i) => make("th", text, { scope: "col", className: i ? "n" : "", title: tracetool.meaning(text) })).filter((_, i) => used[i]));
		near.tBodies[0].replaceChildren(...shows.map((f) => row(f, number, used)));
		const rows = [];
		for (const [name, unit, flat] of values) {
			const of = (n) => {
				for (let i = 0; i < flat.length; i += 2) {
					if (flat[i] === n) {
						return flat[i + 1];
					}
				}
				return "-";
			}, here = of(number);

			if (here === "-") {
				continue;
			}
			const tr = make("tr", "");

			tr.append(make("th", name, { scope: "row", className: "nm" }), make("td", unit), make("td", here, { className: "n" }),
				make("td", of(median), { className: "n" }));
			rows.push(tr);
		}
		counters.tBodies[0].replaceChildren(...rows);
		counters.parentNode.hidden = rows.length === 0;
	}

	near.parentNode.classList.add("near");
	near.parentNode.hidden = counters.parentNode.hidden = true;
	tracetool.beside.append(near.parentNode, counters.parentNode);
	inflate(source.textContent).then((v) => {
		known = [new Map(v[0].map((f) => [f[0], f])), v[1]];
		tracetool.framed = show;
		if (tracetool.frame !== undefined) {
			show(tracetool.frame);
		}
	}).catch((e) => section.append(make("p", "The figures of frames cannot be read: " + e.message)));
	source.remove();
})();
