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

	/* --- the address --- */

	/*
	 * What is looked at is in the address, in parts, the one that was chosen last at the end: "#range=20-40&frame=25". An address of a section alone
	 * changes nothing of that; its entry in the history has what was looked at when it was first there, for whoever comes Back to it.
	 */
	const whole = () => location.hash === "" || location.hash.includes("=");

	function parts() {
		return new URLSearchParams(whole() ? location.hash.slice(1) : history.state && history.state.of || "");
	}

	let looked = "", returned = false;

	function arrived() {
		returned = !whole() && history.state !== null;
		if (!whole() && !returned) {
			history.replaceState({ of: looked }, "");
		}
		looked = parts().toString();
	}

	addEventListener("hashchange", arrived);
	arrived();

	function asked(key) {
		return parts().get(key);
	}

	/* Is ${key} what a reader who comes with this address looks for? */
	function sought(key) {
		return Array.from(parts().keys()).pop() === key;
	}

	/* ${value} null: none. ${push}: the browser's Back leads to what was there before. */
	function remember(key, value, push) {
		const all = parts();

		all.delete(key);
		if (value !== null) {
			all.append(key, value);
		}
		const text = Array.from(all, ([k, v]) => k + "=" + encodeURIComponent(v)).join("&"), to = text ? "#" + text : "";

		history[push && to !== location.hash ? "pushState" : "replaceState"]({}, "", to || location.pathname + location.search);
		looked = text;
	}

	/* Another address, where what is looked at may be another. */
	function moved(f) {
		addEventListener("hashchange", () => (whole() || returned) && f());
	}

	/* --- tables --- */

	function number(cell) {
		const v = Number(cell.dataset.v);

		return cell.dataset.v === undefined || Number.isNaN(v) ? null : v;
	}

	/* Where a table is long, so many of its rows are shown at first: to lay out thousands of cells anew takes a browser longer than to sort them. */
	const SHOWN = 100;

	/*
	 * Which rows of ${table} are shown: of those that have ${text} in them the first ones, or all of these. Returns a function that does it,
	 * and says how many have the text.
	 */
	function limited(table) {
		const body = table.tBodies[0], words = new Map(), more = make("button", "", { type: "button", className: "c", hidden: true });
		let all = false, last = "";

		function has(row, text) {
			if (text !== "" && !words.has(row)) {
				words.set(row, row.textContent.toLowerCase());
			}
			return text === "" || words.get(row).includes(text);
		}

		function arrange(text = last) {
			let n = 0;

			last = text;
			for (const row of body.rows) {
				const is = has(row, text);

				n += is;
				row.hidden = !is || (n > SHOWN && !all);
			}
			more.hidden = all || n <= SHOWN;
			more.textContent = "Show all " + n.toLocaleString("en-US") + " rows";
			return n;
		}

		more.addEventListener("click", () => {
			all = true;
			arrange();
		});
		if (body.rows.length > SHOWN) {
			table.parentNode.after(more);
		}
		return arrange;
	}

	/* Numbers largest first, text ascending, empty cells last; again: the other way round. */
	function sorted(rows, column, turn) {
		const keys = rows.map((row) => ({ row, text: row.cells[column].textContent, v: number(row.cells[column]) }));

		keys.sort((a, b) => (a.text === "-") - (b.text === "-") || turn * (a.v !== null && b.v !== null ? b.v - a.v :
			a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
		return keys.map((k) => k.row);
	}

	/* But trees: their order is what they say. */
	function sortable(table, keep, arrange) {
		const heads = Array.from(table.tHead ? table.tHead.rows[0].cells : []), body = table.tBodies[0];

		if (table.className === "tree" || !heads.length || !heads.every((th) => th.dataset.c) || body.rows.length < 2) {
			return null;
		}

		const all = Number(table.dataset.all || 0), shows = body.rows.length, said = make("p", "", { className: "o", hidden: true });

		if (all) {
			said.setAttribute("role", "status");
			table.parentNode.after(said);
		}

		/* The first rows in another order: of all rows, where the page has them. */
		function ordered(column, turn) {
			const other = document.querySelector("#t-" + table.dataset.t + " table"), ids = other && Array.from(other.tHead.rows[0].cells, (th) => th.dataset.c);
			const at = other && other !== table && other.tBodies[0].rows.length === all ? heads.map((th) => ids.indexOf(th.dataset.c)) : [-1];

			if (at.includes(-1)) {
				said.hidden = !all;
				said.textContent = "Only the " + shows.toLocaleString("en-US") + " rows shown are sorted, of " + all.toLocaleString("en-US") + ".";
				return sorted(Array.from(body.rows), column, turn);
			}
			const like = Array.from(body.rows[0].cells), lead = tracetool.leads && tracetool.leads[table.dataset.t];

			return sorted(Array.from(other.tBodies[0].rows), at[column], turn).slice(0, shows).map((row) => {
				const tr = make("tr", "");

				tr.append(...at.map((c, i) => {
					const cell = make(like[i].tagName, row.cells[c].textContent, { className: like[i].className });

					Object.assign(cell.dataset, row.cells[c].dataset);
					return cell;
				}));
				tr.cells[0].scope = "row";
				if (lead) {
					lead(tr.cells[0]);
				}
				return tr;
			});
		}

		function sort(column, turn) {
			const th = heads[column];

			heads.forEach((h) => h.removeAttribute("aria-sort"));
			th.dataset.turn = String(turn);
			th.setAttribute("aria-sort", (Array.from(body.rows).some((row) => number(row.cells[column]) !== null)) === (turn === 1) ? "descending" : "ascending");
			body.replaceChildren(...ordered(column, turn));
			arrange();
		}

		heads.forEach((th, column) => {
			const button = make("button", th.textContent, { type: "button", className: "s", title: th.title });

			th.textContent = "";
			th.append(button);
			button.addEventListener("click", () => {
				sort(column, th.ariaSort === null || th.dataset.turn === "-1" ? 1 : -1);
				keep();
			});
		});
		return (id, turn) => heads.some((th) => th.dataset.c === id) && sort(heads.findIndex((th) => th.dataset.c === id), turn);
	}

	function filtered(table, keep, arrange) {
		const rows = Array.from(table.tBodies[0].rows), label = make("label", "Rows with "), said = make("output", "");
		const input = make("input", "", { type: "search" });

		if (rows.length < ROWS_TO_FILTER || !table.closest("#tables, #captures")) {
			return null;
		}
		label.append(input, " ", said);
		table.parentNode.before(label);
		input.addEventListener("input", () => {
			const text = input.value.toLowerCase(), n = arrange(text);

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
		const arrange = arranged(table), input = filtered(table, keep, arrange), sort = sortable(table, keep, arrange), asked = new URLSearchParams(location.hash.slice(1)), by = asked.get("by");

		if (input && asked.get("rows")) {
			input.value = asked.get("rows");
			input.dispatchEvent(new Event("input"));
		}
		if (sort && by) {
			sort(by.replace(/^-/, ""), by.startsWith("-") ? -1 : 1);
			keep();
		}
	}

	/* As limited(), of a table that is here for all its rows. */
	function arranged(table) {
		const arrange = table.tBodies.length && table.closest("#tables, #captures") ? limited(table) : () => 0;

		arrange();
		return arrange;
	}

	for (const table of document.querySelectorAll("table")) {
		if (table.closest("#captures")) {
			kept(table);
			continue;
		}
		const arrange = arranged(table);

		filtered(table, () => 0, arrange);
		sortable(table, () => 0, arrange);
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

	/* --- under the pointer --- */

	/* Words beside the pointer, which an element of the page says, too: a picture is high, and what is under it far away. */
	const beside = make("div", "", { className: "tip", hidden: true });

	beside.setAttribute("aria-hidden", "true");
	document.body.append(beside);
	/* The page moves under the pointer. */
	addEventListener("scroll", () => beside.hidden = true, { passive: true });

	/* ${text} null: none. */
	function tip(event, text) {
		beside.hidden = text === null;
		if (text === null) {
			return;
		}
		beside.textContent = text;
		const wide = beside.offsetWidth, high = beside.offsetHeight, below = event.clientY + 18;

		beside.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - wide - 4)) + "px";
		beside.style.top = (below + high < innerHeight ? below : Math.max(4, event.clientY - high - 10)) + "px";
	}

	/* --- by keyboard --- */

	/* A button among the first that a key leads to, which is seen when it has the focus. */
	function skip(text, f) {
		const nav = document.querySelector("nav"), button = make("button", text, { type: "button", className: "c skip" }), all = nav.querySelectorAll(".skip");

		button.addEventListener("click", f);
		if (all.length) {
			all[all.length - 1].after(button);
		} else {
			nav.prepend(button);
		}
	}

	/* A dialog of [keys, what they do], which a button at the end of ${bar} opens. */
	function keys(all, bar) {
		const dialog = make("dialog", ""), table = make("table", ""), open = make("button", "Keys", { type: "button", className: "c", title: "What keys do (?)" });
		const close = make("button", "Close", { type: "button", className: "c" });

		for (const [key, what] of all) {
			const tr = table.insertRow(), th = make("th", "", { scope: "row" });

			th.append(make("kbd", key));
			tr.append(th, make("td", what));
		}
		table.createCaption().textContent = "Keys";
		dialog.setAttribute("aria-label", "Keys");
		dialog.append(table, close);
		close.addEventListener("click", () => dialog.close());
		open.addEventListener("click", () => dialog.showModal());
		/* What Escape closes is all that it does then. */
		dialog.addEventListener("keydown", (event) => event.stopPropagation());
		document.body.append(dialog);
		bar.append(open);
		return dialog;
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
		if (ns < 0) {
			return "-" + shown(-ns);
		}
		for (const [unit, name] of [[1e9, " s"], [1e6, " ms"], [1e3, " µs"]]) {
			if (ns >= unit - unit / 20000) {
				const v = ns / unit;

				return v.toFixed(v < 9.9995 ? 3 : v < 99.995 ? 2 : v < 999.95 ? 1 : 0) + name;
			}
		}
		return ns + " ns";
	}

	/* What a column means, for those who come to its heading by a key. */
	document.addEventListener("focusin", ({ target }) => {
		const box = target.getBoundingClientRect();

		tip({ clientX: box.left, clientY: box.bottom - 14 }, target.matches("thead .s[title]:not([title=\"\"]):focus-visible") ? target.title : null);
	});

	const SVG = "http://www.w3.org/2000/svg", COLUMNS = 1200, HIGH = 100, LONGEST = 5, MARKS = 18, NEAR = 10;

	/* Round numbers up to ${top}, at most ${most} of them. */
	function ticks(top, most) {
		const step = 10 ** Math.floor(Math.log10(Math.max(top, 1) / most)), by = [1, 2, 5, 10].find((k) => top / (step * k) <= most) * step, all = [];

		for (let at = by; at <= top; at += by) {
			all.push(Math.round(at));
		}
		return all;
	}

	/* "20 ms": round times need no more digits. */
	function rounded(ns) {
		const [unit, name] = ns % 1e9 === 0 ? [1e9, " s"] : ns % 1e6 === 0 ? [1e6, " ms"] : ns % 1e3 === 0 ? [1e3, " \u00b5s"] : [1, " ns"];

		return ns / unit + name;
	}

	function drawing(tag, attributes) {
		const e = document.createElementNS(SVG, tag);

		Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
		return e;
	}

	/* ${rect} around the bar ${at} of ${n}, which stays seen however thin it is. */
	function around(rect, at, n) {
		rect.style.setProperty("x", "calc(" + at * 100 / n + "% - 2px)");
		rect.style.setProperty("width", "calc(" + 100 / n + "% + 4px)");
	}

	/*
	 * A chart over frames ${low} to ${high}, as wide as the page: axes(columns, top, low, high, what is said at the top, if something), then paths, in
	 * columns and HIGH, get their shapes. Times are beside it, numbers of frames below; mark(number) is a line at a frame.
	 */
	function plot(css, classes) {
		const svg = drawing("svg", { class: css, role: "img", width: "100%", height: HIGH + 16 }), labels = drawing("g", {});
		const chart = drawing("svg", { width: "100%", height: HIGH, preserveAspectRatio: "none" });
		const line = drawing("rect", { class: "f", height: HIGH, visibility: "hidden" }), paths = classes.map((c) => drawing("path", { class: c }));
		let range = [0, 0], marked = -1;

		chart.append(...paths);
		svg.append(chart, line, labels);

		function put(text, attributes) {
			const e = drawing("text", { class: "b", ...attributes });

			e.textContent = text;
			labels.append(e);
		}

		function mark(number = marked) {
			const [low, high] = range, is = number >= low && number <= high;

			marked = number;
			line.setAttribute("visibility", is ? "visible" : "hidden");
			around(line, is ? number - low : 0, high - low + 1);
		}

		return { svg, paths, mark, range: () => range, axes(columns, top, low, high, said = "") {
			range = [low, high];
			chart.setAttribute("viewBox", "0 0 " + columns + " " + HIGH);
			labels.replaceChildren();
			for (const at of ticks(top, 4)) {
				const y = HIGH - at / top * (HIGH - 4);

				labels.append(drawing("line", { class: "a", x1: 0, x2: "100%", y1: y, y2: y, "stroke-opacity": .3 }));
				put(rounded(at), { class: "b y", x: "100%", y: y + 4 });
			}
			if (said) {
				put(said, { x: 4, y: 11, "text-anchor": "start" });
			}
			put("frame " + low, { x: 0, y: HIGH + 13, "text-anchor": "start" });
			if (high > low) {
				put("frame " + high, { x: "100%", y: HIGH + 13, "text-anchor": "end" });
			}
			mark();
		} };
	}

	/* The column ${c} of a plot, ${part} of its height. */
	function bar(c, part) {
		return "M" + c + " " + HIGH + "V" + (HIGH - Math.max(1, part * (HIGH - 4))).toFixed(1) + "h1V" + HIGH + "z";
	}

	/* The chart of a range: its frames, or of many the longest of each column, drawn over the whole width. */
	function closer(color) {
		const { svg, paths, axes, mark } = plot("z", ["k0", "k1", "k2"]);

		return { svg, mark, show(frames, first, kinds) {
			const n = frames.length, columns = Math.min(n, COLUMNS), of = ["", "", ""];
			const top = frames.reduce((a, b) => Math.max(a, b), 1);

			for (let c = 0; c < columns; c++) {
				let longest = 0, kind = 0;

				for (let i = Math.floor(n * c / columns); i < Math.floor(n * (c + 1) / columns); i++) {
					longest = Math.max(longest, frames[i]);
					kind = Math.max(kind, kinds ? kinds[i] : color(frames[i]));
				}
				of[kind] += bar(c, longest / top);
			}
			axes(columns, top, first, first + n - 1);
			svg.setAttribute("aria-label", "Frame times of frames " + first + " to " + (first + n - 1) + "; the longest are named below");
			paths.forEach((path, k) => path.setAttribute("d", of[k]));
		} };
	}

	function charted(figure) {
		const data = figure.querySelector("script"), chart = figure.querySelector("svg");
		const all = times(data.textContent), first = Number(data.dataset.first), last = first + all.length - 1;
		const from = make("input", "", { type: "number", min: first, max: last, value: first });
		const to = make("input", "", { type: "number", min: first, max: last, value: last });
		const one = make("label", "Frames "), two = make("label", " to "), said = make("p", "", { className: "r" }), here = make("output", "", { className: "u" });
		const every = make("button", "All frames", { type: "button", className: "c", hidden: true, title: "Show all frames again (Escape)" });
		const mark = document.createElementNS(SVG, "rect"), one_frame = mark.cloneNode();
		const over60 = Number(data.dataset.over60), over30 = Number(data.dataset.over30);
		const near = closer((ns) => ns > over30 ? 2 : ns > over60 ? 1 : 0);
		const starts = data.dataset.start === undefined ? null : new Float64Array(all.length), given = (data.dataset.given || "").split(" ").filter((v) => v);
		const self = { all, uncapped: null, counted: all, first, columns: Math.min(all.length, COLUMNS), command: data.dataset.command, clicked: null, ranged: null, looked: null, told: null, marked: null,
			mark(number) {
			around(one_frame, number - first, all.length);
			one_frame.setAttribute("visibility", "visible");
			near.mark(number);
			shows = number;
			tell(null, null);
			if (self.marked) {
				self.marked(number);
			}
		} };
		/* Frames with a limit are counted by whole refreshes, as in the verdict. */
		const uncapped = data.dataset.uncapped === undefined ? null : times(data.dataset.uncapped);
		const counted = data.dataset.shown === undefined ? all : times(data.dataset.shown);
		const kinds = counted === all ? null : counted.map((ns) => ns > over30 ? 2 : ns > over60 ? 1 : 0);
		let held = null, range = [first, last], shows = null;

		self.uncapped = uncapped;
		self.counted = counted;
		self.range = () => range;
		if (starts) {
			all.reduce((at, ns, i) => (starts[i] = at) + ns, Number(data.dataset.start));
		}

		/* What is said of frames ${low} to ${high}. */
		function told(low, high) {
			const part = all.slice(low - first, high - first + 1), sorted = part.slice().sort((x, y) => x - y), n = sorted.length;
			const rank = (num, den) => shown(sorted[Math.max(Math.ceil(n * num / den), 1) - 1]);
			const over = (ns) => counted.slice(low - first, high - first + 1).filter((v) => v > ns).length;

			said.textContent = n.toLocaleString("en-US") + (n === 1 ? " frame" : " frames") + ": median " + rank(1, 2) +
				", p95 " + rank(95, 100) + ", p99 " + rank(99, 100) + ", max " + shown(sorted[n - 1]) + "; over 16.67 ms: " +
				over(over60).toLocaleString("en-US") + ", over 33.33 ms: " + over(over30).toLocaleString("en-US") +
				(n < all.length ? ". " : ". Drag over the chart, or change the numbers, to look at some; click a frame to see what it did.");
			near.svg.toggleAttribute("hidden", n === all.length);
			if (n === all.length) {
				return;
			}
			near.show(all.slice(low - first, high - first + 1), low, kinds && kinds.slice(low - first, high - first + 1));
			if (self.clicked && n > 1) {
				said.append(make("br", ""), "The longest: ");
				for (const [i, ns] of Array.from(part.entries()).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, LONGEST)) {
					const button = make("button", "frame " + (low + i) + " " + shown(ns), { type: "button", className: "s" });

					button.addEventListener("click", () => self.clicked(low + i));
					said.append(button, " ");
				}
			}
			const code = make("code", data.dataset.command + low + "-" + high);

			said.append(make("br", ""), "The report of these alone: ", code);
			if (navigator.clipboard) {
				copied(code);
			}
		}

		/* ${whole}: what is said, too, which takes time while the pointer moves. */
		function show(a, b, keep, whole = true) {
			const low = Math.max(first, Math.min(a, b)), high = Math.min(last, Math.max(a, b)), n = high - low + 1;

			if (!(n > 0)) {
				return;
			}
			range = [low, high];
			from.value = low;
			to.value = high;
			mark.setAttribute("x", (low - first) * 100 / all.length + "%");
			mark.setAttribute("width", n * 100 / all.length + "%");
			mark.setAttribute("visibility", n < all.length ? "visible" : "hidden");
			every.hidden = n === all.length;
			if (whole) {
				told(low, high);
				if (self.looked) {
					self.looked(low, high);
				}
				if (self.ranged) {
					self.ranged(low, high, said);
				}
			}
			if (keep) {
				remember("range", n < all.length ? low + "-" + high : null, false);
			}
		}

		/* The frame under the pointer, on a chart of the frames from ${low} to ${high}: where some lie on a few pixels, the longest of them. */
		function under(svg, event, low, high) {
			const box = svg.getBoundingClientRect(), n = high - low + 1, at = (event.clientX - box.left) / box.width * n;
			const reach = n * 2 / box.width > .5 ? n * 2 / box.width : 0, end = Math.min(n - 1, Math.floor(at + reach));
			let best = Math.max(0, Math.min(n - 1, Math.floor(at - reach)));

			for (let i = best; i <= end; i++) {
				best = all[low - first + i] > all[low - first + best] ? i : best;
			}
			return low + best;
		}

		const marks = Array.from(chart.querySelectorAll("a[data-n]"), (a) => Number(a.dataset.n));

		/* The frame under the pointer; where that is beside a mark, the mark's. */
		function pointed(event) {
			const box = chart.getBoundingClientRect(), x = event.clientX - box.left, away = (n) => Math.abs((n - first + .5) / all.length * box.width - x);
			const mark = event.clientY - box.top > MARKS ? [] : marks.filter((n) => away(n) <= NEAR).sort((a, b) => away(a) - away(b));

			return mark.length ? mark[0] : under(chart, event, first, last);
		}

		function at(event) {
			const box = chart.getBoundingClientRect();

			return first + Math.max(0, Math.min(all.length - 1, Math.floor((event.clientX - box.left) / box.width * all.length)));
		}

		/* The engine's own number of a frame, from runs of them; null: it is not known. */
		function engines(number) {
			const run = given.map((v) => v.split(":").map(Number)).filter(([from]) => from <= number).pop();

			return run && run[1] ? run[1] + number - run[0] : null;
		}

		/* What frame ${number} is, in words. */
		function words(number) {
			const engine = engines(number), at = starts === null ? null : starts[number - first];
			const cause = self.told ? self.told(number) : "";

			return "Frame " + number + ": " + shown(all[number - first]) + (uncapped ? ", " + shown(uncapped[number - first]) + " of it uncapped" : "") + (at === null ? "" : ", from " + shown(at) + " on") +
				(engine === null || engine === number ? "" : ", the engine's frame " + engine) + (cause ? "; " + cause : "");
		}

		/* Of the frame under the pointer, or else of the one that is looked at. */
		function tell(event, number) {
			here.textContent = number !== null ? words(number) : shows !== null ? words(shows) : "";
			if (event) {
				tip(event, number === null ? null : here.textContent);
			}
		}

		/* Where several frames are one column of the sums that a page has, or of the chart, a range that is drawn has whole ones. */
		function drawn(a, b) {
			const columns = self.columns, n = all.length, column = (i) => Math.floor(((i + 1) * columns + n - 1) / n) - 1;
			const [low, high] = [Math.min(a, b), Math.max(a, b)].map((v) => column(v - first));

			return [first + Math.floor(n * low / columns), first + Math.floor(n * (high + 1) / columns) - 1];
		}

		one.append(from);
		two.append(to);
		said.setAttribute("role", "status");
		figure.append(one, two, every, here, near.svg, said);
		mark.setAttribute("class", "m");
		mark.setAttribute("height", "100%");
		one_frame.setAttribute("class", "f");
		/* Between the marks and the numbers of frames. */
		one_frame.setAttribute("y", MARKS - 2);
		one_frame.style.setProperty("height", "calc(100% - " + (2 * MARKS - 3) + "px)");
		one_frame.setAttribute("visibility", "hidden");
		chart.append(mark, one_frame);
		chart.addEventListener("pointerdown", (event) => {
			if (!event.target.closest("a") && event.button === 0) {
				held = { frame: at(event), x: event.clientX, was: range };
				chart.setPointerCapture(event.pointerId);
			}
		});
		chart.addEventListener("pointermove", (event) => {
			tell(event, pointed(event));
			if (held && Math.abs(event.clientX - held.x) > 3) {
				show(...drawn(held.frame, at(event)), false, false);
			}
		});
		chart.addEventListener("pointerup", (event) => {
			if (held && Math.abs(event.clientX - held.x) > 3) {
				show(...drawn(held.frame, at(event)), true);
			} else if (held && self.clicked) {
				self.clicked(pointed(event));
			}
			held = null;
		});
		chart.addEventListener("dblclick", () => show(first, last, true));
		every.addEventListener("click", () => show(first, last, true));
		/* Escape while a range is drawn: there is none; the mouse that is let go later changes nothing. */
		addEventListener("keydown", (event) => {
			if (event.key !== "Escape") {
				return;
			}
			tip(event, null);
			if (held) {
				show(...held.was, false, false);
				held = null;
			} else if (!every.hidden && event.target.type !== "search") {
				show(first, last, true);
			}
		});
		skip("Skip to the range of frames", () => from.focus());
		near.svg.addEventListener("pointermove", (event) => tell(event, under(near.svg, event, ...range)));
		near.svg.addEventListener("click", (event) => self.clicked && self.clicked(under(near.svg, event, ...range)));
		for (const svg of [chart, near.svg]) {
			svg.addEventListener("pointerleave", (event) => tell(event, null));
		}
		for (const input of [from, to]) {
			input.addEventListener("change", () => show(Number(from.value), Number(to.value), true));
		}
		function addressed() {
			const text = asked("range"), named = /^(\d+)-(\d+)$/.exec(text), given = named ? [Number(named[1]), Number(named[2])] : [first, last];
			const none = text !== null && (!named || given[0] > given[1] || given[0] > last || given[1] < first), [low, high] = none ? [first, last] : given;

			if (low !== range[0] || high !== range[1] || said.textContent === "" || none) {
				show(low, high, false);
			}
			if (none) {
				said.prepend("There are no frames " + text + " here: all are shown. ");
			}
		}

		/* When the scripts after this have said what a click on a frame does. */
		addEventListener("DOMContentLoaded", addressed);
		moved(addressed);
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
	return { make, copied, shown, tip, skip, keys, plot, bar, asked, sought, remember, moved, times: charts };
})();
