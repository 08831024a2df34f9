/*
 * What a page does beside being read, where scripts run: tables are sorted and filtered, and a range of frames is looked at alone. Nothing is
 * loaded, and text from a capture is only ever set as text. html.h says how this gets into a page. Scripts after it use what it returns.
 */
"use strict";
const tracetool = (function () {
	const ROWS_TO_FILTER = 12;

	function make(tag, text, more) {
		const e = document.createElement(tag);

		e.textContent = text;
		return Object.assign(e, more);
	}

	/* --- tables --- */

	function number(cell) {
		const v = Number(cell.dataset.v);

		return cell.dataset.v === undefined || Number.isNaN(v) ? null : v;
	}

	/* Numbers largest first, text ascending, empty cells last; again: the other way round. */
	function compare(a, b, column, turn) {
		const x = a.cells[column], y = b.cells[column], p = number(x), q = number(y);
		const none = (x.textContent === "-") - (y.textContent === "-");

		if (none) {
			return none;
		}
		return turn * (p !== null && q !== null ? q - p : x.textContent < y.textContent ? -1 : x.textContent > y.textContent ? 1 : 0);
	}

	/* But trees: their order is what they say. */
	function sortable(table, keep) {
		const heads = Array.from(table.tHead ? table.tHead.rows[0].cells : []), body = table.tBodies[0];

		if (table.className === "tree" || !heads.length || !heads.every((th) => th.dataset.c) || body.rows.length < 2) {
			return null;
		}

		function sort(column, turn) {
			const th = heads[column];

			heads.forEach((h) => h.removeAttribute("aria-sort"));
			th.dataset.turn = String(turn);
			th.setAttribute("aria-sort", (Array.from(body.rows).some((row) => number(row.cells[column]) !== null)) === (turn === 1) ? "descending" : "ascending");
			body.append(...Array.from(body.rows).sort((a, b) => compare(a, b, column, turn)));
		}

		heads.forEach((th, column) => {
			const button = make("button", th.textContent, { type: "button", className: "s" });

			th.textContent = "";
			th.append(button);
			button.addEventListener("click", () => {
				sort(column, th.ariaSort === null || th.dataset.turn === "-1" ? 1 : -1);
				keep();
			});
		});
		return (id, turn) => heads.some((th) => th.dataset.c === id) && sort(heads.findIndex((th) => th.dataset.c === id), turn);
	}

	function filtered(table, keep) {
		const rows = Array.from(table.tBodies[0].rows), label = make("label", "Rows with "), said = make("output", "");
		const input = make("input", "", { type: "search" });

		if (rows.length < ROWS_TO_FILTER || !table.closest("#tables, #captures")) {
			return null;
		}
		label.append(input, " ", said);
		table.parentNode.before(label);
		input.addEventListener("input", () => {
			const text = input.value.toLowerCase();
			let n = 0;

			for (const row of rows) {
				row.hidden = !row.textContent.toLowerCase().includes(text);
				n += !row.hidden;
			}
			said.textContent = text ? n + " of " + rows.length + " rows" : "";
			keep();
		});
		return input;
	}

	/* What a page shows of its captures is in the address: "#rows=TEXT&by=COLUMN", with "-" in front where it is turned. */
	function kept(table) {
		const keep = () => {
			const th = table.tHead.querySelector("[aria-sort]"), by = th && (th.dataset.turn === "-1" ? "-" : "") + th.dataset.c;
			const parts = [input && input.value ? "rows=" + encodeURIComponent(input.value) : "", by ? "by=" + by : ""].filter((p) => p);

			history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
		};
		const input = filtered(table, keep), sort = sortable(table, keep), asked = new URLSearchParams(location.hash.slice(1)), by = asked.get("by");

		if (input && asked.get("rows")) {
			input.value = asked.get("rows");
			input.dispatchEvent(new Event("input"));
		}
		if (sort && by) {
			sort(by.replace(/^-/, ""), by.startsWith("-") ? -1 : 1);
			keep();
		}
	}

	for (const table of document.querySelectorAll("table")) {
		if (table.closest("#captures")) {
			kept(table);
			continue;
		}
		filtered(table, () => 0);
		sortable(table, () => 0);
	}

	/* --- commands --- */

	/* Where the browser lets a page write to the clipboard: a button after what it copies. */
	function copied(code) {
		const button = make("button", "Copy", { type: "button", className: "c" });

		button.addEventListener("click", () => navigator.clipboard.writeText(code.textContent).then(() => button.textContent = "Copied",
			() => button.textContent = "Not allowed here"));
		code.after(" ", button);
	}

	if (navigator.clipboard) {
		document.querySelectorAll("code").forEach(copied);
	}

	/* --- a range of frames --- */

	const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	/* Times of frames in ns: differences, five bits a digit, the lowest first; the sixth says that more follow, the lowest bit is the sign. */
	function times(text) {
		const all = [];
		let last = 0, v = 0, scale = 1;

		for (const c of text) {
			const digit = DIGITS.indexOf(c);

			v += (digit & 31) * scale;
			scale *= 32;
			if (digit & 32) {
				continue;
			}
			last += v % 2 ? -(v + 1) / 2 : v / 2;
			all.push(last);
			v = 0;
			scale = 1;
		}
		return all;
	}

	/* As the tables show times: four digits and a unit. */
	function shown(ns) {
		for (const [unit, name] of [[1e9, " s"], [1e6, " ms"], [1e3, " µs"]]) {
			if (ns >= unit - unit / 20000) {
				const v = ns / unit;

				return v.toFixed(v < 9.9995 ? 3 : v < 99.995 ? 2 : v < 999.95 ? 1 : 0) + name;
			}
		}
		return ns + " ns";
	}

	function charted(figure) {
		const data = figure.querySelector("script"), chart = figure.querySelector("svg");
		const all = times(data.textContent), first = Number(data.dataset.first), last = first + all.length - 1;
		const from = make("input", "", { type: "number", min: first, max: last, value: first });
		const to = make("input", "", { type: "number", min: first, max: last, value: last });
		const one = make("label", "Frames "), two = make("label", " to "), said = make("p", "", { className: "r" });
		const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect"), one_frame = mark.cloneNode();
		const self = { all, first, clicked: null, mark(number) {
			one_frame.setAttribute("x", (number - first + .5) * 100 / all.length + "%");
			one_frame.setAttribute("visibility", "visible");
		} };
		let held = null;

		function show(a, b, keep) {
			const low = Math.max(first, Math.min(a, b)), high = Math.min(last, Math.max(a, b));
			const sorted = all.slice(low - first, high - first + 1).sort((x, y) => x - y), n = sorted.length;
			const rank = (num, den) => shown(sorted[Math.max(Math.ceil(n * num / den), 1) - 1]);
			const over = (ns) => sorted.filter((v) => v > ns).length;

			if (!n) {
				return;
			}
			from.value = low;
			to.value = high;
			mark.setAttribute("x", (low - first) * 100 / all.length + "%");
			mark.setAttribute("width", n * 100 / all.length + "%");
			mark.setAttribute("visibility", n < all.length ? "visible" : "hidden");
			said.textContent = n + (n === 1 ? " frame" : " frames") + ": median " + rank(1, 2) + ", p95 " + rank(95, 100) + ", p99 " + rank(99, 100) +
				", max " + shown(sorted[n - 1]) + "; over 16.67 ms: " + over(Number(data.dataset.over60)) + ", over 33.33 ms: " +
				over(Number(data.dataset.over30)) +
				(n < all.length ? ". The report of these alone: " : ". Drag over the chart, or change the numbers, to look at some.");
			if (n < all.length) {
				const code = make("code", data.dataset.command + low + "-" + high);

				said.append(code);
				if (navigator.clipboard) {
					copied(code);
				}
			}
			if (keep) {
				history.replaceState(null, "", n < all.length ? "#range=" + low + "-" + high : location.pathname + location.search);
			}
		}

		function at(event) {
			const box = chart.getBoundingClientRect();

			return first + Math.max(0, Math.min(all.length - 1, Math.floor((event.clientX - box.left) / box.width * all.length)));
		}

		one.append(from);
		two.append(to);
		said.setAttribute("role", "status");
		figure.append(one, two, said);
		mark.setAttribute("class", "m");
		mark.setAttribute("height", "100%");
		one_frame.setAttribute("class", "f");
		one_frame.setAttribute("width", "2");
		one_frame.setAttribute("height", "100%");
		one_frame.setAttribute("visibility", "hidden");
		chart.append(mark, one_frame);
		chart.addEventListener("pointerdown", (event) => {
			if (!event.target.closest("a") && event.button === 0) {
				held = at(event);
				chart.setPointerCapture(event.pointerId);
			}
		});
		chart.addEventListener("pointermove", (event) => held !== null && show(held, at(event), false));
		chart.addEventListener("pointerup", (event) => {
			if (held === at(event) && self.clicked) {
				self.clicked(held);
			} else if (held !== null) {
				show(held, at(event), true);
			}
			held = null;
		});
		chart.addEventListener("dblclick", () => show(first, last, true));
		for (const input of [from, to]) {
			input.addEventListener("change", () => show(Number(from.value), Number(to.value), true));
		}
		const asked = /^#range=(\d+)-(\d+)$/.exec(location.hash);

		show(asked ? Number(asked[1]) : first, asked ? Number(asked[2]) : last, false);
		return self;
	}

	const figure = Array.from(document.querySelectorAll("figure")).find((f) => f.querySelector("script"));
	const charts = figure ? charted(figure) : null;

	/* --- links --- */

	/* A link to a part that is folded unfolds it. */
	function unfold() {
		const to = location.hash.length > 1 && document.getElementById(location.hash.slice(1));

		if (to && to.tagName === "DETAILS") {
			to.open = true;
		}
	}

	addEventListener("hashchange", unfold);
	unfold();
	return { make, copied, shown, times: charts };
})();
