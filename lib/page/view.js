/*
 * What the report page shows where scripts run: a timeline of all threads and the call tree of one frame, of the blocks of data that
 * lib/page/details.c writes, and a flame graph of the whole. A block is inflated when its frame is looked at. Text from a capture is only ever set as text, or
 * drawn on a canvas, beside which a table has the same figures. Nothing is loaded. page.js is in front of this and has what both use.
 */
"use strict";
(function () {
	const { make, copied, shown, tip } = tracetool;
	const data = new Map(), OUTSIDE = "(outside recorded calls)", ROW = 18, THIN = 1.5, SMALL = 200, TALL = 3600;
	let names = null, about = null, trees = null;

	/* Long texts go from the document into the map: they are kept once. */
	for (const e of document.querySelectorAll("script[data-frame], script[data-names]")) {
		if (e.dataset.names) {
			about = e;
		} else {
			data.set(Number(e.dataset.frame), { number: Number(e.dataset.frame), text: e.textContent, ns: Number(e.dataset.ns) });
			e.remove();
		}
	}

	function inflated(text) {
		const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

		return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
	}

	function inflate(text) {
		return inflated(text).json();
	}

	/* A function that gives the next ${n} of the numbers in a block, which may have more than 31 bits: no shifts. */
	function numbers(bytes) {
		let at = 0;

		return (n) => {
			const all = new Array(n);

			for (let i = 0; i < n; i++) {
				let v = bytes[at] & 127;

				for (let scale = 128; bytes[at++] & 128; scale *= 128) {
					v += (bytes[at] & 127) * scale;
				}
				all[i] = v;
			}
			return all;
		};
	}

	/* What ${word} means, by the list of words. */
	const meanings = new Map(Array.from(document.querySelectorAll("#words dt"), (dt) => dt.textContent.split(", ").map((w) => [w, dt.nextSibling.textContent])).flat());

	function meaning(word) {
		return meanings.get(word) || "";
	}

	function share(part, all) {
		return all ? (part * 100 / all).toFixed(part * 1000 < all * 100 ? 2 : 1) + " %" : "";
	}

	/*
	 * Names of the times from ${first} to ${last} by ${step} on an axis: all of one unit, with as many digits as tell them apart. Where these are too
	 * many, the first in full, the others by how much later they are.
	 */
	function axis(first, last, step) {
		const of = (ns) => [[1e9, " s"], [1e6, " ms"], [1e3, " \u00b5s"], [1, " ns"]].find(([unit]) => ns >= unit) || [1, " ns"];
		const digits = (unit) => Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9)), [unit, name] = of(last), some = digits(unit) > 4;
		const [small, short] = of(last - first || step);

		return (ns) => ns === 0 ? "0" : !some ? (ns / unit).toFixed(digits(unit)) + name : ns === first ? (ns / unit).toFixed(digits(unit)) + name :
			"+" + ((ns - first) / small).toFixed(digits(small)) + short;
	}

	function counted(n, what) {
		return n.toLocaleString("en-US") + " " + what + (n === 1 ? "" : "s");
	}

	function bytes(n) {
		if (n < 10000) {
			return n.toLocaleString("en-US") + " B";
		}
		for (const [unit, name] of [[2 ** 30, " GB"], [2 ** 20, " MB"], [2 ** 10, " KB"]]) {
			if (n >= unit || unit === 2 ** 10) {
				return (n / unit).toFixed(1) + name;
			}
		}
		return "";
	}

	/*
	 * A name has the same colour everywhere: that of its category in the table of markers, if the producer gives categories colours. Else what the runtime does
	 * has colours of its own; all other names share the rest, those with most time in turn.
	 */
	const kinds = new Map(), OTHERS = [0, 2, 3, 5, 9], OWN = { GC: 1, Contention: 4, JIT: 6, "(wrapper)": 7, Exceptions: 8 }, met = new Map();
	const colored = document.querySelector("script[data-colors]"), colors_of = new Map(Object.entries(colored ? JSON.parse(colored.dataset.colors) : {}));
	const tints = new Map(), mets = new Map();       /* colours of names, and of the categories that some name has */

	(() => {
		const table = document.querySelector("#t-markers table"), at = table ? Array.from(table.tHead.rows[0].cells).findIndex((th) => th.dataset.c === "category") : -1;

		let n = 0;

		for (const tr of at > 0 ? table.tBodies[0].rows : []) {
			const category = tr.cells[at].textContent, own = Object.hasOwn(OWN, category);

			kinds.set(tr.cells[0].textContent, own ? OWN[category] : OTHERS[n++ % OTHERS.length]);
			if (colors_of.has(category)) {
				tints.set(tr.cells[0].textContent, colors_of.get(category));
				mets.set(category, colors_of.get(category));
			} else if (own) {
				met.set(category, OWN[category]);
			}
		}
	})();

	function kind(name) {
		if (!kinds.has(name)) {
			kinds.set(name, OTHERS[(Array.from(name).reduce((h, c) => h * 31 + c.codePointAt(0) | 0, 7) >>> 3) % OTHERS.length]);
		}
		return kinds.get(name);
	}

	/* Of ${color} as much as --mix says, on the ground of boxes, so that text on it can be read. */
	function mixed(color, style) {
		const part = parseFloat(style.getPropertyValue("--mix")) / 100, ground = style.getPropertyValue("--box").trim().replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
		const at = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);

		return "rgb(" + [0, 1, 2].map((i) => Math.round(at(color, i) * part + at(ground, i) * (1 - part))).join() + ")";
	}

	/* --- what a cause is about --- */

	/* Words of a cause about what the runtime does, and whose zones these are. */
	const DOES = [[/ collections?\b/, OWN.GC], [/ waiting for a lock/, OWN.Contention], [/ to compile /, OWN.JIT], [/ from throw to catch/, OWN.Exceptions]];
	/* What is in front of a name that only says where; what it does is elsewhere in the sentence. */
	const WHERE = /(?:lock|thrown|started|collections?) in $|\b(?:under|by|that) $/;

	/* How ${text}, a cause, names ${name}: 0 not at all, 1 as where something is, 2 as what takes the time. */
	function named(text, name) {
		const bare = name.replace(/^\(wrapper [^)]*\) /, "");
		let how = 0;

		for (let at = text.indexOf(bare); at >= 0 && how < 2; at = text.indexOf(bare, at + 1)) {
			const before = text.slice(0, at), after = text.slice(at + bare.length);

			if (/(?:^|[ (])$/.test(before) && /^(?:$|[ :;,)])/.test(after)) {
				how = WHERE.test(before) || /^,? (?:which )?allocates most/.test(after) ? 1 : 2;
			}
		}
		return how;
	}

	/* The zones that the cause ${text} is about: of each name the outermost, and of several calls those that take long. */
	function blamed(threads, text) {
		const own = DOES.filter(([of]) => of.test(text)).map(([, of]) => of), names = new Map(), longest = new Map(), found = new Set();

		for (const z of threads.flatMap((t) => t.zones)) {
			if (!names.has(z.name)) {
				names.set(z.name, own.includes(kind(z.name)) ? 2 : named(text, z.name));
			}
			longest.set(z.name, Math.max(longest.get(z.name) || 0, z.ns));
		}
		const most = Math.max(0, ...names.values());

		function inside(z) {
			const like = (up) => up.name === z.name || (own.includes(kind(z.name)) && kind(up.name) === kind(z.name));
			let up = z.up;

			while (up && !(found.has(up) && like(up))) {
				up = up.up;
			}
			return up !== null;
		}

		for (const z of threads.flatMap((t) => t.zones)) {
			if (most && names.get(z.name) === most && z.ns >= longest.get(z.name) / 10 && !inside(z)) {
				found.add(z);
			}
		}
		return found;
	}

	/* What colours mean. */
	function legend() {
		const p = make("p", "Colours: ", { className: "lg" });

		function add(category, background) {
			const key = make("span", "", { className: "key" }), both = make("span", "");

			key.style.background = background;
			both.append(key, " " + category + ",");
			p.append(both, " ");
		}

		for (const color of new Set(mets.values())) {
			add(Array.from(mets).filter(([, of]) => of === color).map(([category]) => category).join(", "),
				"color-mix(in srgb, " + color + " var(--mix), var(--box))");
		}
		for (const [category, i] of Array.from(met).sort(([, a], [, b]) => a - b)) {
			add(category, "var(--b" + i + ")");
		}
		p.append(mets.size ? "by category; others tell names apart." : met.size ?
			"what the runtime does; others tell names apart, and several names have the same." : "names are told apart; several have the same.");
		return p;
	}

	/* ${name} in ${room} letters: a name of Unity's, "Assembly.dll!Space::Type.Method()", without what is in front, before it is cut. */
	function fitted(name, room) {
		for (const front of [/^[^!]*\.dll!/, /^.*::/]) {
			if (name.length > room) {
				name = name.replace(front, "");
			}
		}
		return name.length > room ? name.slice(0, Math.max(room - 1, 1)) + "\u2026" : name;
	}

	/* What a shell would read otherwise is in quotes, and what a pattern would, after a backslash: so is the first sign, for then a pattern is the whole name. */
	const EXACT = "The backslash says that this is the whole name, and no part of others";

	function quoted(name) {
		return "'" + name.replace(/^[^]|[*?[\]\\]/gu, "\\$&").replace(/'/g, "'\\''") + "'";
	}

	/* --- boxes on a canvas --- */

	/* The first place in sorted ${of} from which on it is above ${v}. */
	function above(of, v) {
		let low = 0, high = of.length;

		while (low < high) {
			const middle = low + high >> 1;

			if (of[middle] > v) {
				high = middle;
			} else {
				low = middle + 1;
			}
		}
		return low;
	}

	/*
	 * A canvas of rows: { title } or { from: [], to: [], of: [] }, boxes in order that do not lie on each other, each ${of} some item, which has a
	 * name. What is narrower than THIN pixels is drawn with its neighbours, as one pile for each pixel. ${o}: label, hint, one (what an item is), amount and timed (of
	 * what its lengths are, if not times), told(item) (a sentence), chosen(item or null), step(item, key) (where an arrow key leads), found(item) (is it to be marked?), or null,
	 * under (those in piles by a line under these).
	 */
	function boxes(o) {
		const canvas = make("canvas", "", { tabIndex: 0 }), said = make("output", ""), place = make("div", "", { className: "w" });
		const tools = make("div", "", { className: "x" });
		let rows = [], length = 1, from = 0, to = 1, over = null, chosen = null, asked = false, drag = null, known = null;

		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", o.label);

		function scale() {
			return canvas.clientWidth / (to - from);
		}

		function palette() {
			if (known) {
				return known;
			}
			const style = getComputedStyle(canvas), all = [];

			for (let i = 0; i < 10; i++) {
				all.push(style.getPropertyValue("--b" + i));
			}
			const tint = new Map(Array.from(new Set(tints.values()), (color) => [color, mixed(color, style)]));

			return known = { filled: (name) => tints.has(name) ? tint.get(tints.get(name)) : all[kind(name)], fg: style.getPropertyValue("--fg"), soft: style.getPropertyValue("--soft"), line: style.getPropertyValue("--line"),
				box: style.getPropertyValue("--box"), link: style.getPropertyValue("--link") };
		}

		function scaled(c, colors, width) {
			const most = Math.max(2, Math.floor(width / 110)), step = 10 ** Math.ceil(Math.log10((to - from) / most));
			const small = (to - from) / (step / 5) <= most ? step / 5 : (to - from) / (step / 2) <= most ? step / 2 : step;

			const first = Math.ceil(from / small), named = o.amount && !o.timed ? o.amount : axis(first * small, to, small);

			c.fillStyle = colors.soft;
			for (let i = first; i * small <= to; i++) {
				const x = Math.round((i * small - from) * scale());

				c.fillRect(x, 0, 1, 4);
				if (x + 60 < width) {
					c.fillText(named(i * small), x + 3, 11);
				}
			}
		}

		function marked(item) {
			return Boolean(o.found) && o.found(item);
		}

		/*
		 * What is narrower than THIN pixels shares them: ${f}(pixel, pile) for each pixel with some. A pile has the sums of its items by name, so
		 * that the largest part is found, and how much of the pixel all of them cover.
		 */
		function piles(row, a, b, f) {
			const k = scale();
			let pile = null, last = null;

			for (let i = above(row.to, a); i < row.from.length && row.from[i] < b; i++) {
				const item = row.of[i], end = (Math.min(row.to[i], to) - from) * k;
				let x = Math.max((row.from[i] - from) * k, 0);

				if (end - x >= THIN) {
					continue;
				}
				/* One of no length is in one pixel. */
				do {
					const pixel = Math.floor(x), next = Math.min(end, pixel + 1), ns = Math.max(next - x, 0) / k;

					if (!pile || pile.pixel !== pixel) {
						if (pile) {
							f(pile);
						}
						pile = { pixel, ns: 0, lit: false, parts: new Map(), of: 1 / k };
						last = null;
					}
					if (!last || last.item.name !== item.name) {
						last = pile.parts.get(item.name);
						if (!last) {
							pile.parts.set(item.name, last = { item, ns: 0, n: 0 });
						}
					}
					last.n++;
					last.ns += ns;
					pile.ns += ns;
					pile.lit = pile.lit || marked(item);
					x = next;
				} while (x < end);
			}
			if (pile) {
				f(pile);
			}
		}

		function largest(pile) {
			let best = null;

			for (const part of pile.parts.values()) {
				best = best && best.ns >= part.ns ? best : part;
			}
			return best;
		}

		function boxed(c, row, y, width, colors) {
			const k = scale();

			/* The colour of the largest part, as high as what is covered; but what is there is seen. */
			piles(row, from, to, (pile) => {
				c.fillStyle = pile.lit && !o.under ? colors.link : colors.filled(largest(pile).item.name);
				c.fillRect(pile.pixel, y + 1, 1, Math.max(Math.min(pile.ns / pile.of, 1) * (ROW - 2), 3));
				if (pile.lit && o.under) {
					c.fillStyle = colors.link;
					c.fillRect(pile.pixel, y + ROW - 3, 1, 2);
				}
			});
			for (let i = above(row.to, from); i < row.from.length && row.from[i] < to; i++) {
				const a = Math.max((row.from[i] - from) * k, 0), b = Math.min((row.to[i] - from) * k, width), item = row.of[i];

				if (b - a >= THIN) {
					c.fillStyle = colors.filled(item.name);
					c.fillRect(a, y + 1, b - a - .5, ROW - 2);
					if (b - a > 24) {
						c.fillStyle = colors.fg;
						c.fillText(fitted(item.name, Math.floor((b - a - 6) / 6)), a + 3, y + 13, b - a - 5);
					}
				}
				if (item === chosen || b - a >= THIN && (item === over || marked(item))) {
					c.strokeStyle = item === chosen || item === over ? colors.fg : colors.link;
					c.lineWidth = item === chosen ? 3 : 2;
					c.strokeRect(a + 1, y + 2, Math.max(b - a - 2.5, 1), ROW - 4);
				}
			}
		}

		function draw() {
			const width = canvas.clientWidth, ratio = devicePixelRatio || 1, height = Math.min((rows.length + 1) * ROW, TALL), c = canvas.getContext("2d");
			const colors = palette();

			asked = false;
			/* To set a size is to make it anew. */
			if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
				canvas.style.height = height + "px";
				canvas.width = Math.round(width * ratio);
				canvas.height = Math.round(height * ratio);
			}
			c.setTransform(ratio, 0, 0, ratio, 0, 0);
			c.clearRect(0, 0, width, height);
			c.font = "11px system-ui, sans-serif";
			if (rows.length) {
				scaled(c, colors, width);
			}
			rows.forEach((row, i) => {
				const y = (i + 1) * ROW;

				if (y > height) {
					return;
				}
				if (row.title !== undefined) {
					c.fillStyle = colors.line;
					c.fillRect(0, y, width, 1);
					c.fillStyle = colors.soft;
					c.fillText(row.title, 2, y + 14);
				} else {
					boxed(c, row, y, width, colors);
				}
			});
			if (head()) {
				stay(c, colors, width);
			}
		}

		/* The title of what is at the top after scrolling, if it has one. */
		function titled() {
			return rows.slice(0, Math.floor(place.scrollTop / ROW) + 1).reverse().find((row) => row.title !== undefined);
		}

		/* How much is covered by what stays at the top. */
		function head() {
			return !rows.length || !place.scrollTop ? 0 : titled() ? 2 * ROW : ROW;
		}

		/* The scale and the title stay, whatever is scrolled. */
		function stay(c, colors, width) {
			c.fillStyle = colors.box;
			c.fillRect(0, place.scrollTop, width, head());
			c.save();
			c.translate(0, place.scrollTop);
			scaled(c, colors, width);
			if (titled()) {
				c.fillText(titled().title, 2, ROW + 14);
			}
			c.fillStyle = colors.line;
			c.fillRect(0, head() - 1, width, 1);
			c.restore();
		}

		function redraw() {
			if (!asked) {
				asked = true;
				requestAnimationFrame(draw);
			}
		}

		function look(a, b) {
			const wide = Math.max(Math.min(b - a, length), length / 1e7, 1e-9);

			from = Math.max(0, Math.min(a, length - wide));
			to = from + wide;
			redraw();
		}

		function zoom(by, at) {
			look(at - (at - from) * by, at + (to - at) * by);
		}

		/* The item under the pointer, or the pile of those that share its pixel. */
		function hit(event) {
			const box = canvas.getBoundingClientRect(), row = rows[Math.floor((event.clientY - box.top) / ROW) - 1];
			const x = event.clientX - box.left, at = from + x / scale();

			if (!row || row.title !== undefined || event.clientY - box.top < place.scrollTop + head()) {
				return null;
			}
			/* What is a pixel away is hit, too, unless another is right there. */
			const near = 1 / scale(), next = above(row.to, at), i = row.from[next] <= at || !(at - row.to[next - 1] <= near) ? next : next - 1;
			let found = i < row.of.length && row.from[i] <= at + near ? row.of[i] : null;

			if (found !== null && (Math.min(row.to[i], to) - Math.max(row.from[i], from)) * scale() < THIN) {
				let nearest = Infinity;

				piles(row, at - 2 * near, at + 2 * near, (pile) => {
					const away = Math.abs(pile.pixel + .5 - x);

					if (away < nearest) {
						nearest = away;
						found = pile;
					}
				});
				/* One alone is what it is. */
				found = found.parts && found.parts.size === 1 && largest(found).n === 1 ? largest(found).item : found;
			}
			return found;
		}

		/* "812 calls of Step, 190 us of 251 us; 3 others, 2.1 us": what shares a pixel. */
		function piled(pile) {
			const most = largest(pile), rest = Array.from(pile.parts.values()).reduce((n, part) => n + part.n, 0) - most.n, amount = o.amount || shown;

			return counted(most.n, o.one) + " of " + most.item.name + ", " + amount(Math.round(most.ns)) + " of " + amount(Math.round(pile.of)) + (rest ? "; " +
				counted(rest, "other") + ", " + amount(Math.round(pile.ns - most.ns)) : "") + "; zoom in to tell them apart";
		}

		function words(item) {
			return item.parts ? piled(item) : o.told(item);
		}

		function tell() {
			const item = over !== null ? over : chosen;

			said.textContent = item === null ? o.hint : words(item);
		}

		function choose(item) {
			chosen = item;
			tell();
			redraw();
			o.chosen(item);
		}

		canvas.addEventListener("pointermove", (event) => {
			if (drag) {
				const by = (drag.x - event.clientX) / scale();

				drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
				if (drag.moved) {
					drag.x = event.clientX;
					look(from + by, to + by);
				}
				return;
			}
			const now = hit(event);

			tip(event, now === null ? null : words(now));
			if (now !== over) {
				over = now;
				tell();
				redraw();
			}
		});
		canvas.addEventListener("pointerdown", (event) => {
			if (event.button === 0) {
				drag = { x: event.clientX, moved: false };
				canvas.setPointerCapture(event.pointerId);
			}
		});
		canvas.addEventListener("pointerup", (event) => {
			if (drag && !drag.moved) {
				const at = hit(event);

				choose(at && at.parts ? largest(at).item : at);
			}
			drag = null;
		});
		function leave(event) {
			tip(event, null);
			over = null;
			tell();
			redraw();
		}

		canvas.addEventListener("pointerleave", leave);
		/* What scrolls is no longer under the pointer. */
		place.addEventListener("scroll", leave);
		canvas.addEventListener("dblclick", (event) => {
			const item = hit(event);

			if (item && item.parts) {
				look(from + (item.pixel - 2) * item.of, from + (item.pixel + 3) * item.of);
			} else if (item) {
				fit(item);
			}
		});
		canvas.addEventListener("wheel", (event) => {
			if (event.ctrlKey || event.metaKey) {
				event.preventDefault();
				leave(event);
				zoom(event.deltaY > 0 ? 1.25 : .8, from + (event.clientX - canvas.getBoundingClientRect().left) / scale());
			}
		}, { passive: false });

		function fit(item) {
			for (const row of rows) {
				const i = row.of ? row.of.indexOf(item) : -1;

				if (i >= 0) {
					look(row.from[i], row.to[i]);
				}
			}
		}

		const keys = { "+": () => zoom(.6, (from + to) / 2), "=": () => zoom(.6, (from + to) / 2), "-": () => zoom(1 / .6, (from + to) / 2),
			"0": () => look(0, length), "a": () => look(from - (to - from) / 5, to - (to - from) / 5),
			"d": () => look(from + (to - from) / 5, to + (to - from) / 5), "Enter": () => chosen !== null && fit(chosen) };

		/* Whether there was something to undo: a zoom, else what is chosen. */
		function undo() {
			if (to - from < length) {
				look(0, length);
			} else if (chosen !== null) {
				choose(null);
			} else {
				return false;
			}
			return true;
		}

		canvas.addEventListener("keydown", (event) => {
			if (event.ctrlKey || event.metaKey || event.altKey) {
				return;
			}
			if (event.key === "Escape" && undo()) {
				tip(event, null);
				event.stopPropagation();
			} else if (keys[event.key]) {
				event.preventDefault();
				event.stopPropagation();
				keys[event.key]();
			} else if (event.key.startsWith("Arrow")) {
				const next = o.step(chosen, event.key);

				event.preventDefault();
				event.stopPropagation();
				if (next !== null) {
					over = null;
					choose(next);
				}
			}
		});
		for (const [text, label, key] of [["\u2212", "Zoom out", "-"], ["+", "Zoom in", "+"], ["All", "Show all", "0"]]) {
			const button = make("button", text, { type: "button", className: "c", title: label + " (" + key + ")" });

			button.setAttribute("aria-label", label);
			button.addEventListener("click", keys[key]);
			tools.append(button, " ");
		}
		said.setAttribute("role", "status");
		place.append(canvas);
		new ResizeObserver(redraw).observe(place);
		/* Other colours. */
		for (const media of ["(prefers-color-scheme: dark)", "print"]) {
			matchMedia(media).addEventListener("change", () => {
				known = null;
				draw();
			});
		}
		return { parts: [tools, place, said, legend()], redraw, chosen: () => chosen, choose, focus: () => canvas.focus({ preventScroll: true }),
			show(all, whole) {
				rows = all;
				place.scrollTop = 0;
				length = whole || 1;
				over = chosen = null;
				from = 0;
				to = length;
				tell();
				draw();
			} };
	}

	/* --- one frame --- */

	/* The threads of a block, by columns as lib/page/details.c has them. */
	function threads(bytes) {
		const next = numbers(bytes), count = next(1)[0], heads = [next(count), next(count), next(count)];
		const sum = (of) => of.reduce((a, b) => a + b, 0), zones = Array.from({ length: 4 }, () => next(sum(heads[1])));
		const allocs = Array.from({ length: 4 }, () => next(sum(heads[2])));
		let z = 0, a = 0;

		return heads[0].map((name, i) => thread(names[name], zones, z, z += heads[1][i], allocs, a, a += heads[2][i]));
	}

	/* The zones of a thread, with the zones they are in, self times and allocations. */
	function thread(name, [starts, depths, of, times], z, zones_end, [places, classes, counts, sizes], a, allocs_end) {
		const t = { name, zones: [], allocs: [], depth: 0 }, around = [];
		let at = 0;

		for (; z < zones_end; z++) {
			const raised = depths[z] >> 2;

			at += starts[z];
			/* Where the zone around is hidden, one in front of it may have less depth: what lasts longer than a zone is not in it. */
			while (around.length && (around[around.length - 1].raised >= raised || around[around.length - 1].end < at + times[z])) {
				around.pop();
			}
			const up = around.length ? around[around.length - 1] : null;
			const zone = { t, up, raised, at, end: at + times[z], ns: times[z], self: times[z], name: names[of[z]], begins: !(depths[z] & 1), cut: depths[z] & 2, depth: around.length,
				bytes: 0, allocs: 0, i: t.zones.length };

			if (up) {
				up.self -= zone.ns;
			}
			around.push(zone);
			t.depth = Math.max(t.depth, around.length);
			t.zones.push(zone);
		}
		for (; a < allocs_end; a++) {
			const zone = places[a] ? t.zones[places[a] - 1] : null;

			t.allocs.push({ zone, class: names[classes[a]], n: counts[a], bytes: sizes[a] });
			for (let up = zone; up; up = up.up) {
				up.allocs += counts[a];
				up.bytes += sizes[a];
			}
		}
		return t;
	}

	/* The call tree of a frame: siblings of one name are one. */
	function tree(threads) {
		const root = { under: new Map(), ns: 0 };

		function node(up, name) {
			let n = up.under.get(name);

			if (!n) {
				n = { name, ns: 0, self: 0, calls: 0, before: 0, bytes: 0, under: new Map(), up, zone: null };
				up.under.set(name, n);
			}
			return n;
		}

		for (const t of threads) {
			const top = node(root, t.name);

			for (const zone of t.zones) {
				const n = zone.node = node(zone.up ? zone.up.node : top, zone.name);

				n.zone = n.zone && n.zone.ns >= zone.ns ? n.zone : zone;
				n.ns += zone.ns;
				n.self += zone.self;
				n.calls += zone.begins;
				n.before += !zone.begins;
				n.bytes += zone.bytes;
				if (!zone.up) {
					top.ns += zone.ns;
					top.bytes += zone.bytes;
				}
			}
			for (const a of t.allocs) {
				top.bytes += a.zone ? 0 : a.bytes;
			}
			top.thread = true;
		}
		return root;
	}

	/* ${own}, the first thread, is the one that frames are of: what it does with no zone open is not recorded. */
	function unrecorded(own, ns) {
		const outside = own ? ns - own.ns : 0;

		if (outside >= ns / 100) {
			own.under.set(OUTSIDE, { name: OUTSIDE, ns: outside, self: outside, calls: 0, bytes: 0, under: new Map() });
		}
	}

	async function filled(d) {
		if (!names) {
			names = await inflate(about.textContent);
		}
		if (!d.threads) {
			d.threads = threads(new Uint8Array(await inflated(d.text).arrayBuffer()));
			d.tree = tree(d.threads);
			unrecorded(d.threads.length ? d.tree.under.get(d.threads[0].name) : null, d.ns);
		}
		return d;
	}

	function frame(number) {
		return filled(data.get(number));
	}

	/* A frame whose zones are not in the page, but the sums of its calls: the worst of a cause. null: neither are. */
	async function summed(number, ns) {
		const source = document.querySelector("script[data-trees]");

		trees = trees || new Map((source ? await inflate(source.textContent) : []).map(([of, texts, flat]) => [of, [texts, flat]]));
		if (!trees.has(number)) {
			return null;
		}
		const [texts, flat] = trees.get(number), root = { under: new Map() }, around = [root];

		for (let i = 0; i < flat.length; i += 6) {
			const n = { name: texts[flat[i + 1]], ns: flat[i + 2], self: flat[i + 3], calls: flat[i + 4], bytes: flat[i + 5], thread: !flat[i], under: new Map() };

			around[flat[i]].under.set(n.name, n);
			around[flat[i] + 1] = n;
		}
		const own = root.under.values().next().value;

		unrecorded(own, ns);
		return { ns, threads: [], tree: root };
	}

	/* --- frames as a file --- */

	/* Frames come one after the other, so that those that nobody looked at are not kept. */
	async function* yield_one(d) {
		yield d;
	}

	async function* yield_held() {
		for (const [, d] of Array.from(data).sort(([a], [b]) => a - b)) {
			yield filled({ ...d });
		}
	}

	/* Folded stacks of the call trees: "thread;outer;inner NS" of each path, with self time, as the command convert has them. */
	async function folded(frames) {
		const sums = new Map(), part = (name) => name.replace(/;/g, ":").replace(/[\n\r]/g, " ");

		function add(n, path) {
			for (const under of n.under.values()) {
				const here = path + (path && ";") + part(under.name);

				if (!under.thread && under.name !== OUTSIDE) {
					sums.set(here, (sums.get(here) || 0) + under.self);
				}
				add(under, here);
			}
		}

		for await (const d of frames) {
			add(d.tree, "");
		}
		return Array.from(sums, ([path, ns]) => path + " " + ns + "\n").sort();
	}

	/* A line for each zone; times from its frame's begin. */
	async function listed_zones(frames) {
		const text = (name) => /[",\n\r]/.test(name) ? "\"" + name.replace(/"/g, "\"\"") + "\"" : name, all = ["frame,thread,start_ns,dur_ns,self_ns,depth,name\n"];

		for await (const d of frames) {
			all.push(d.threads.flatMap((t) => t.zones.map((z) => [d.number, text(t.name), z.at, z.ns, z.self, z.depth, text(z.name)].join(",") + "\n")).join(""));
		}
		return all;
	}

	/* Chrome's trace events, which Perfetto opens: a track of the frames, and one for each thread; times from the begin of the capture's first frame. */
	async function traced(frames) {
		const times = tracetool.times, tracks = new Map([["", 0]]), all = ["{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", named("Frames", 0)];

		let next = times ? times.first : 0, at = 0;

		function named(name, tid) {
			return JSON.stringify({ ph: "M", name: "thread_name", pid: 1, tid, args: { name } });
		}

		function zone(name, tid, at, ns) {
			all.push(",\n", JSON.stringify({ ph: "X", name, pid: 1, tid, ts: at / 1000, dur: ns / 1000 }));
		}

		for await (const d of frames) {
			const met = new Map();

			/* Frames that are not in the page take their time, too, if that is known. */
			while (times && next < d.number) {
				at += times.all[next++ - times.first];
			}
			zone("Frame " + d.number, 0, at, d.ns);
			for (const t of d.threads) {
				/* Several threads of a frame may have one name. */
				const n = (met.get(t.name) || 0) + 1, key = n + " " + t.name;

				met.set(t.name, n);
				if (!tracks.has(key)) {
					tracks.set(key, tracks.size);
					all.push(",\n", named(t.name, tracks.get(key)));
				}
				t.zones.forEach((z) => zone(z.name, tracks.get(key), at + z.at, z.ns));
			}
			if (!times) {
				at += d.ns;
			}
		}
		all.push("]}\n");
		return all;
	}

	/* By its button: the ending of the file, its type, the function that makes it, and if that needs zones. */
	const FILES = { "folded stacks": [".folded", "text/plain", folded, false], "CSV": [".csv", "text/csv", listed_zones, true],
		"Chrome JSON": [".json", "application/json", traced, true] };

	function save(name, type, parts) {
		const link = make("a", "", { download: name, href: URL.createObjectURL(new Blob(parts, { type })) });

		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	}

	/* --- the call tree as a table --- */

	function cell(text, value) {
		const td = make("td", text, { className: "n" });

		if (value !== undefined) {
			td.dataset.v = String(value);
		}
		return td;
	}

	/* How much more each node of ${root} takes than the same of ${usual}; where there is none, than nothing. */
	function against(root, usual) {
		for (const n of root.under.values()) {
			const other = usual && usual.under.get(n.name);

			n.usual = other ? other.ns : null;
			n.more = n.ns - (other ? other.ns : 0);
			against(n, other);
		}
	}

	function signed(ns) {
		return (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + shown(Math.abs(ns));
	}

	/*
	 * A click on a row tells ${picked} its longest zone. Of what is directly in a call comes first what has most ${by}. The row of a node that it is given the
	 * function that it returns marks, and unfolds what is around.
	 */
	function hierarchy(table, root, whole, compared, by, picked) {
		/* It gets into the page when it is whole. */
		const body = make("tbody", "");
		let rows = 0, marked = null;

		function put(n, depth, after) {
			const tr = make("tr", ""), th = make("th", "", { scope: "row", className: "nm" }), kids = [];
			let turn = null;

			rows++;
			th.style.setProperty("--d", depth);
			if (n.under.size) {
				const button = make("button", "", { type: "button", className: "s" });

				button.append(make("span", "\u25B8\u00A0", { className: "a" }), n.name);
				button.setAttribute("aria-expanded", "false");
				turn = () => {
					const open = button.getAttribute("aria-expanded") !== "true";

					button.setAttribute("aria-expanded", String(open));
					button.firstChild.textContent = open ? "\u25BE\u00A0" : "\u25B8\u00A0";
					if (open) {
						let last = tr;

						for (const kid of Array.from(n.under.values()).sort((a, b) => b[by] - a[by] || b.ns - a.ns || b.bytes - a.bytes)) {
							kids.push(put(kid, depth + 1, last));
							last = kids[kids.length - 1].end();
						}
					} else {
						kids.splice(0).forEach((k) => k.gone());
					}
				};
				button.addEventListener("click", turn);
				th.append(button);
			} else {
				const leaf = n.zone ? make("button", "", { type: "button", className: "s" }) : th;

				leaf.append(make("span", "\u25B8\u00A0", { className: "h" }), n.name);
				if (n.zone) {
					th.append(leaf);
				}
			}
			if (n.zone) {
				th.addEventListener("click", () => picked(n.zone));
			}
			n.turn = turn;
			n.row = tr;
			tr.append(th, cell(shown(n.ns), n.ns), cell(n.thread ? "" : share(n.ns, whole)), cell(n.thread ? "" : shown(n.self), n.thread ? undefined : n.self),
				cell(n.thread ? "" : n.before && !n.calls ? "began before" : n.calls.toLocaleString("en-US"), n.thread ? undefined : n.calls), cell(n.bytes ? bytes(n.bytes) : "-", n.bytes));
			if (compared) {
				tr.append(n.usual === null ? cell("-") : cell(shown(n.usual), n.usual), cell(signed(n.more), n.more));
			}
			if (after) {
				after.after(tr);
			} else {
				body.append(tr);
			}
			if (n.under.size && rows < SMALL && (n.thread ? depth === 0 && (n.ns >= whole / 20 || n.first) : n.ns >= whole / 50)) {
				turn();
			}
			return { end: () => kids.length ? kids[kids.length - 1].end() : tr, gone: () => {
				kids.splice(0).forEach((k) => k.gone());
				tr.remove();
				n.row = null;
			} };
		}

		Array.from(root.under.values()).forEach((n, i) => {
			n.first = i === 0;
			put(n, 0, null);
		});
		table.tBodies[0].replaceWith(body);

		function reach(n) {
			if (n.up && !n.row) {
				reach(n.up);
				if (!n.row) {
					n.up.turn();
				}
			}
		}

		return (n) => {
			if (marked) {
				marked.removeAttribute("aria-current");
			}
			if (n) {
				reach(n);
			}
			marked = n && n.row;
			if (marked) {
				marked.setAttribute("aria-current", "true");
			}
		};
	}

	/* What a frame allocates, by class and the zone around, most bytes first. */
	function allocated(table, threads) {
		const sums = new Map();

		for (const t of threads) {
			for (const a of t.allocs) {
				const where = a.zone ? a.zone.name : "(outside any zone)", key = where + "\n" + a.class, s = sums.get(key) || { where, class: a.class, n: 0, bytes: 0 };

				s.n += a.n;
				s.bytes += a.bytes;
				sums.set(key, s);
			}
		}
		const rows = Array.from(sums.values()).sort((a, b) => b.bytes - a.bytes).slice(0, 10);

		/* Unity's have none. */
		const classes = rows.some((s) => s.class !== "GC.Alloc");

		table.tHead.rows[0].cells[0].hidden = !classes;
		table.tBodies[0].replaceChildren(...rows.map((s) => {
			const tr = make("tr", ""), texts = classes ? [s.class, s.where] : [s.where];

			tr.append(...texts.map((text, i) => i ? make("td", text, { className: "nm" }) : make("th", text, { scope: "row", className: "nm" })),
				cell(s.n.toLocaleString("en-US"), s.n), cell(bytes(s.bytes), s.bytes));
			return tr;
		}));
		table.parentNode.hidden = rows.length === 0;
	}

	/* A table without rows, in a box that scrolls. */
	function grid(label, heads) {
		const box = make("div", "", { className: "t", tabIndex: 0 }), table = make("table", "", { className: "tree" }), tr = make("tr", "");

		box.setAttribute("role", "group");
		box.setAttribute("aria-label", label);
		tr.append(...heads.map(([text, css]) => make("th", text, { scope: "col", className: css || "", title: meaning(text) })));
		table.createTHead().append(tr);
		table.prepend(make("caption", label));
		table.createTBody();
		box.append(table);
		return table;
	}

	/* --- the view of frames --- */

	/* What keys do, for those who ask. */
	const KEYS = [["[ ]", "the hitch before, the next one: a frame that has a cause"], ["\u2190 \u2192", "in the part of one frame: the frame before, the next one"], ["m", "the median frame"], ["c", "what the cause is about, one zone after the other"],
		["\u2190 \u2191 \u2192 \u2193", "in a timeline or a flame graph: from zone to zone"], ["Enter", "in these: the chosen zone alone"],
		["+ \u2212 0", "in these: zoom in, zoom out, all"], ["a d", "in these: move left, move right"],
		["Escape", "undo: a zoom, what is chosen, a range that is drawn, a range of frames"], ["?", "this list"]];

	function view() {
		const section = make("section", "", { id: "frame" }), title = make("h2", "Frame", { id: "h-frame" }), bar = make("p", "", { className: "x" });
		const told = make("p", ""), command = make("code", ""), missing = make("p", "", { hidden: true });
		const lack = make("span", ""), alone = make("code", ""), saves = make("p", "", { className: "x" }), savers = [];
		const times = tracetool.times, worst = [];
		const median = Number(about.dataset.median);
		let now = null, turn = 0, mark = () => 0, usual = null;

		for (const link of document.querySelectorAll("#worst table[data-t=\"hitches\"] tbody th")) {
			worst.push(Number(link.dataset.v));
		}
		/* The frames under "Why frames are long", in order. */
		const hitches = (document.querySelector("svg[data-top]").dataset.hitches || "").split(" ").filter((n) => n).map(Number);
		const line = boxes({ label: "Timeline of the frame; the table below has the same figures", hint:
			"Click a zone, or move with the arrow keys while this has the focus. Double click or Enter shows it alone, Escape all; + \u2212 0, or the wheel with Ctrl, " +
			"zoom; drag or a d move; ? tells all keys.",
		chosen: (z) => mark(z && z.node), step, one: "call", under: true, found: (z) => now !== null && now.blamed.has(z),
		told: (z) => z.name + ": " + shown(z.ns) + " (" + share(z.ns, now.ns) + " of the frame), self " + shown(z.self) + ", from " + shown(z.at) + " on, " +
			(z.allocs ? counted(z.allocs, "allocation") + ", " + bytes(z.bytes) + ", " : "") + "on " + z.t.name + (z.begins ? "" : "; began before the frame") +
			(z.cut ? "; has no end of its own: known is its time up to where it was closed" : "") +
			(now.blamed.has(z) ? "; the cause is about it" : "") });
		const outlined = make("span", " An outline: what the cause above is about.");
		const calls = grid("Calls in this frame", [["marker", "nm"], ["total", "n"], ["of frame", "n"], ["self", "n"], ["calls", "n"], ["allocated", "n"],
			["total in median frame", "n"], ["beyond median", "n"]]);
		calls.classList.add("calls");
		/* By number of a column: what calls are sorted by. */
		const SORTS = { 1: "ns", 3: "self", 4: "calls", 5: "bytes", 7: "more" };
		let sorted = 7;
		const allocs = grid("Allocations in this frame, most bytes first", [["class", "nm"], ["site", "nm"], ["count", "n"], ["bytes", "n"]]);

		function step(z, key) {
			const first = now.threads.find((t) => t.zones.length);

			if (!z) {
				return first ? first.zones[0] : null;
			}
			if (key === "ArrowUp") {
				return z.up;
			}
			if (key === "ArrowDown") {
				const next = z.t.zones[z.i + 1], other = now.threads.slice(now.threads.indexOf(z.t) + 1).find((t) => t.zones.length);

				return next && next.up === z ? next : other ? other.zones[0] : null;
			}
			for (let i = z.i + (key === "ArrowRight" ? 1 : -1); z.t.zones[i]; i += key === "ArrowRight" ? 1 : -1) {
				if (z.t.zones[i].depth === z.depth) {
					return z.t.zones[i];
				}
			}
			return null;
		}

		/* ${all}, the frame's own thread first, then those that ${cause} is about: it names them, or what they do, the longest first. */
		function ordered(all, cause) {
			const named = new Map();

			function weight(t) {
				let most = cause.includes("\"" + t.name + "\"") ? 1 : 0;

				for (const z of t.zones) {
					if (!named.has(z.name)) {
						named.set(z.name, cause.includes(z.name));
					}
					most = named.get(z.name) ? Math.max(most, z.ns) : most;
				}
				return most;
			}

			return all.slice(0, 1).concat(all.slice(1).map((t) => [t, cause ? weight(t) : 0]).sort((a, b) => b[1] - a[1]).map(([t]) => t));
		}

		function rows(threads) {
			const all = [];

			for (const t of threads) {
				const levels = Array.from({ length: t.depth }, () => ({ from: [], to: [], of: [] }));

				for (const z of t.zones) {
					const level = levels[z.depth];

					level.from.push(z.at);
					level.to.push(z.at + z.ns);
					level.of.push(z);
				}
				all.push({ title: t.name }, ...levels);
			}
			return all;
		}

		const why = new Map(), of_all = new Map();    /* by number of a frame: its cause in words, and that of frames of which it is the worst */

		/* ${how} it gets into the address: "push", "replace", "as it is"; "": it is what the page begins with. */
		async function show(number, how) {
			const mine = ++turn, begun = performance.now(), timed = times ? times.all[number - times.first] : null;
			const d = data.has(number) ? await frame(number) : await summed(number, timed);
			const ns = timed === null ? d && d.ns : timed, whole = data.has(number), rank = worst.indexOf(number);

			usual = usual || (d && await frame(median));
			if (mine !== turn) {
				return;
			}
			now = d ? { number, ns: d.ns, tree: d.tree, threads: ordered(d.threads, why.get(number) || ""), blamed: blamed(d.threads, why.get(number) || "") } :
				{ number, ns, threads: [], blamed: new Set() };
			outlined.hidden = !now.blamed.size;
			title.textContent = "Frame " + number;
			told.textContent = shown(ns) + (rank >= 0 ? ", number " + (rank + 1) + " of the worst" : "") + (number === median ? ", the median frame" :
				", the median frame takes " + shown(times ? times.all[median - times.first] : data.get(median).ns)) + ". " +
				(why.has(number) ? why.get(number) + "." : "");
			command.textContent = about.dataset.command + number;
			missing.hidden = whole;
			lack.textContent = (d ? "The page has the sums of its calls, not each of its zones" : "Its zones are not in this page. The command above prints its tables") +
				"; a page of this frame alone has its timeline" + (times ? ": " : ".");
			alone.textContent = times ? times.command + number : "";
			calls.parentNode.hidden = saves.hidden = d === null;
			for (const [button, zones] of savers) {
				button.hidden = zones && !whole;
			}
			for (const e of [...line.parts, allocs.parentNode]) {
				e.hidden = !whole;
			}
			if (d) {
				line.show(rows(now.threads), d.ns);
				against(d.tree, usual.tree);
				list();
				allocated(allocs, d.threads);
			}
			if (times) {
				times.mark(number);
			}
			for (const [key, button] of buttons) {
				button.disabled = !leads[key]();
			}
			tracetool.frame = number;
			if (tracetool.framed) {
				tracetool.framed(number);
			}
			if (how === "push" || how === "replace") {
				tracetool.remember("frame", number, how === "push");
			}
			if (how) {
				performance.measure("frame", { start: begun });
			} else {
				performance.mark("ready");
			}
		}

		/* The calls of the frame in the order that is chosen; of the median frame itself, where that is what is beyond the median, by their time. */
		function list() {
			const compared = now.number !== median, heads = Array.from(calls.tHead.rows[0].cells), by = sorted === 7 && !compared ? 1 : sorted;

			heads.slice(6).forEach((th) => th.hidden = !compared);
			heads.forEach((th, i) => i === by ? th.setAttribute("aria-sort", "descending") : th.removeAttribute("aria-sort"));
			mark = hierarchy(calls, now.tree, now.ns, compared, SORTS[by], line.choose);
			if (line.chosen()) {
				mark(line.chosen().node);
			}
		}

		function move(by) {
			const last = times ? times.first + times.all.length - 1 : Infinity, to = now.number + by;

			if (to >= (times ? times.first : 1) && to <= last) {
				go(to);
			}
		}

		function hitch(by) {
			const after = hitches.filter((n) => by > 0 ? n > now.number : n < now.number);

			if (after.length) {
				go(by > 0 ? after[0] : after[after.length - 1]);
			}
		}

		/* From one frame to the next: Back leads to where that began. */
		function go(number, how = "replace") {
			return show(number, how).catch(failed);
		}

		/* To the next of the zones that the cause is about: those of the frame's own thread first, the longest of each first. */
		function point() {
			const own = (z) => z.t === now.threads[0], all = Array.from(now.blamed).sort((a, b) => own(b) - own(a) || b.ns - a.ns);

			if (all.length) {
				line.choose(all[(all.indexOf(line.chosen()) + 1) % all.length]);
				line.parts[1].scrollIntoView({ block: "nearest" });
				line.focus();
			}
		}

		function failed(e) {
			missing.hidden = false;
			missing.textContent = "The data of this frame cannot be read: " + e.message;
		}

		function open(number, how = "push") {
			const before = document.activeElement;

			/* Arrow keys move in the timeline then. */
			go(number, how).then(() => {
				section.scrollIntoView({ block: "start" });
				/* Not from whoever was faster than the data. */
				if (how === "as it is" && document.activeElement !== before) {
					return;
				}
				if (data.has(number)) {
					line.focus();
				} else {
					title.focus({ preventScroll: true });
				}
			});
		}

		/* Where there is nothing to lead to, a button says so. */
		const buttons = new Map(), leads = { "[": () => hitches[0] < now.number, "]": () => hitches[hitches.length - 1] > now.number, "m": () => now.number !== median, "c": () => now.blamed.size > 0,
			"ArrowLeft": () => now.number > (times ? times.first : 1), "ArrowRight": () => !times || now.number < times.first + times.all.length - 1 };
		const keys = { "[": () => hitch(-1), "]": () => hitch(1), "m": () => go(median), "ArrowLeft": () => move(-1), "ArrowRight": () => move(1), "c": point };

		for (const [text, key, label] of [["\u25C0 hitch", "[", "Previous hitch"], ["hitch \u25B6", "]", "Next hitch"], ["\u25C0", "ArrowLeft", "Previous frame"],
			["\u25B6", "ArrowRight", "Next frame"], ["median", "m", "Median frame"], ["cause", "c", "What the cause is about"]]) {
			const button = make("button", text, { type: "button", className: "c", title: label + " (key " + key.replace(/Arrow(.*)/, "$1 arrow") + ")" });

			button.setAttribute("aria-label", label);
			button.addEventListener("click", keys[key]);
			buttons.set(key, button);
			bar.append(button, " ");
		}
		const help = tracetool.keys(KEYS, bar);

		document.addEventListener("keydown", (event) => {
			const at = event.target, own = section.contains(at);

			if (event.key === "?" && at.type !== "search" && !document.querySelector("dialog[open]")) {
				event.preventDefault();
				help.showModal();
				return;
			}
			if (event.ctrlKey || event.metaKey || event.altKey || (/^(INPUT|TEXTAREA|SELECT|DIALOG)$/.test(at.tagName) && at.type !== "number") || !keys[event.key] ||
				(event.key.startsWith("Arrow") && (!own || at.classList.contains("t")))) {
				return;
			}
			event.preventDefault();
			keys[event.key]();
		});
		line.parts[3].append(outlined);
		for (const column of Object.keys(SORTS).map(Number)) {
			const th = calls.tHead.rows[0].cells[column], button = make("button", th.textContent, { type: "button", className: "s", title: th.title });

			th.replaceChildren(button);
			button.addEventListener("click", () => {
				sorted = column;
				list();
			});
		}
		missing.append(lack, alone);
		/* Buttons that save ${frames}, a function's, in files of this name. */
		function offer(to, words, name, frames) {
			to.append(words + ": ");
			for (const [kind, [ending, type, text, zones]] of Object.entries(FILES)) {
				const button = make("button", kind, { type: "button", className: "c", title: words + " as " + kind });

				button.addEventListener("click", () => text(frames()).then((parts) => save(name() + ending, type, parts)).catch(failed));
				to.append(button, " ");
				savers.push([button, zones && to === saves]);
			}
		}

		offer(saves, "Save this frame", () => "frame-" + now.number, () => yield_one(now));
		const all = make("p", "", { className: "x" });
		offer(all, "Save the " + counted(data.size, "frame") + " that this page has in full", () => "frames", yield_held);
		title.tabIndex = -1;
		section.setAttribute("aria-labelledby", "h-frame");
		told.append(" ");
		const commands = make("p", "");
		commands.append(command);
		const tables = make("div", "", { className: "g" });

		tables.append(calls.parentNode, allocs.parentNode);
		section.append(title, bar, told, commands, missing, ...line.parts, tables, saves, ...(data.size > 1 ? [all] : []));
		tracetool.beside = tables;
		document.getElementById("frames").after(section);
		listed(section);
		tracetool.skip("Skip to the timeline of a frame", () => open(now.number, "as it is"));
		if (navigator.clipboard) {
			copied(command);
			if (times) {
				copied(alone);
			}
		}
		/* Links to what a worst frame did lead to all of it. */
		for (const link of document.querySelectorAll("a[href^=\"#worst-\"], a[data-n]")) {
			link.addEventListener("click", (event) => {
				const number = link.dataset.n ? Number(link.dataset.n) : worst[Number(link.getAttribute("href").slice("#worst-".length)) - 1];

				if (number !== undefined && event.button === 0 && !event.ctrlKey && !event.metaKey) {
					event.preventDefault();
					open(number);
				}
			});
		}
		if (times) {
			times.clicked = open;
			times.told = (number) => why.has(number) ? why.get(number) : worst.includes(number) ? "number " + (worst.indexOf(number) + 1) + " of the worst" :
				number === median ? "the median frame" : "";
		}
		/* The worst frame of each cause; the page begins with that of the first. */
		let first_cause = [];
		const heads = Array.from(document.querySelectorAll("#causes thead th"), (th) => th.dataset.c);

		for (const tr of document.querySelectorAll("#causes tbody tr")) {
			const td = tr.cells[heads.indexOf("worst")];

			if (!td || td.dataset.v === undefined) {
				continue;
			}
			const button = make("button", td.textContent, { type: "button", className: "s" });

			if (!first_cause.length) {
				first_cause = [Number(td.dataset.v), ...Array.from(tr.querySelectorAll("a[data-n]"), (a) => Number(a.dataset.n))];
			}
			of_all.set(Number(td.dataset.v), td.parentNode.cells[0].textContent.replace(/^f/, "F") + ": " + td.parentNode.querySelector("td.p").firstChild.textContent);
			button.setAttribute("aria-label", "Show frame " + td.dataset.v);
			button.addEventListener("click", () => open(Number(td.dataset.v)));
			td.replaceChildren(button);
		}
		/* What is said of a frame alone comes before what is said of several. */
		const columns = Array.from(document.querySelectorAll("#t-frame_causes thead th"), (th) => th.dataset.c);

		for (const tr of document.querySelectorAll("#t-frame_causes tbody tr")) {
			const number = Number(tr.cells[columns.indexOf("frame")].dataset.v);

			if (!why.has(number)) {
				why.set(number, tr.cells[columns.indexOf("sentence")].textContent);
			}
		}
		of_all.forEach((text, number) => why.has(number) || why.set(number, text));

		/* In the tables of all rows, numbers of frames lead to them: when a table is looked at. */
		tracetool.opens = (cell, number) => {
			const button = make("button", cell.textContent, { type: "button", className: "s" });

			button.setAttribute("aria-label", "Show frame " + number);
			button.addEventListener("click", () => open(number));
			cell.replaceChildren(button);
		};
		document.addEventListener("toggle", (event) => {
			const table = event.target.matches("#tables > details:not([data-led])") && event.target.querySelector("thead th[data-c=frame]") && event.target.querySelector("table");

			if (!table || !times) {
				return;
			}
			const at = Array.from(table.tHead.rows[0].cells).findIndex((th) => th.dataset.c === "frame");

			event.target.dataset.led = "1";
			for (const tr of table.tBodies[0].rows) {
				const number = Number(tr.cells[at].dataset.v);

				if (times.all[number - times.first] !== undefined) {
					tracetool.opens(tr.cells[at], number);
				}
			}
		}, true);

		/* Whoever asks for it is led to where that is said. */
		function absent(text) {
			told.prepend(make("strong", "There is no frame " + text + " here: this is frame " + now.number + "."), " ");
			if (tracetool.sought("frame")) {
				section.scrollIntoView({ block: "start" });
				title.focus({ preventScroll: true });
			}
		}

		function asked(first) {
			const text = tracetool.asked("frame"), number = Number(text), is = (n) => data.has(n);
			const start = first_cause.find(is) || (times && first_cause[0]) || worst.find(is) || median;

			if (number && (data.has(number) || (times && times.all[number - times.first] !== undefined))) {
				first && tracetool.sought("frame") ? open(number, "as it is") : go(number, "as it is");
			} else if (first || now.number !== start || text !== null) {
				show(start, first ? "" : "as it is").then(() => text !== null && absent(text)).catch(failed);
			}
		}

		tracetool.moved(() => asked(false));
		asked(true);
	}

	/* --- a marker over the frames --- */

	function over(source, times) {
		const chart = document.querySelector("figure > svg > svg[data-top]"), figure = chart.closest("figure"), columns = chart.viewBox.baseVal.width;
		const label = make("label", "Marker over the frames "), said = make("p", ""), select = make("select", ""), own = tracetool.plot("mk", ["k0"]);
		const looked = Number(source.dataset.looked);
		let known = null, values = [];

		/* The frames of a column. */
		function frames(c) {
			const n = times.all.length, from = Math.floor(n * c / columns), to = Math.floor(n * (c + 1) / columns) - 1;

			return [times.first + from, times.first + to];
		}

		function column(frame) {
			const n = times.all.length;

			return Math.floor(((frame - times.first + 1) * columns + n - 1) / n) - 1;
		}

		/* The marker has a chart and a scale of its own, of the range that is looked at. */
		function draw(low, high) {
			const from = column(low), to = column(high), some = values.filter(([, c]) => c >= from && c <= to);
			const sorted = some.map(([ns]) => ns).sort((a, b) => a - b), longest = sorted.length ? sorted[sorted.length - 1] : 1;
			/* A few that are much longer do not flatten the others. */
			const most = sorted[Math.floor(sorted.length * .98)] * 1.5, top = Math.max(longest > most * 1.5 ? most : longest, 1);
			const higher = sorted.filter((ns) => ns > top).length;

			own.axes(to - from + 1, top, frames(from)[0], frames(to)[1], higher ? higher + " higher" : "");
			own.paths[0].setAttribute("d", some.map(([ns, c]) => tracetool.bar(c - from, Math.min(ns / top, 1))).join(""));
		}

		/* The column under the pointer. */
		function under(event) {
			const box = own.svg.getBoundingClientRect(), [from, to] = own.range().map(column), n = to - from + 1;

			return from + Math.max(0, Math.min(n - 1, Math.floor((event.clientX - box.left) / box.width * n)));
		}

		function tell(event) {
			const c = under(event), [from, to] = frames(c), value = values.find(([, at]) => at === c);

			tip(event, (from === to ? "Frame " + from : "Frames " + from + "\u2013" + to + ", the longest") + ": " + (value ? shown(value[0]) : "none") + " of " +
				select.selectedOptions[0].text);
		}

		function show(i, keep) {
			const flat = i < 0 ? [] : known[1][i];
			let at = 0;

			values = [];
			for (let k = 0; k < flat.length; k += 2) {
				at += flat[k];
				values.push([flat[k + 1], at]);
			}
			own.svg.toggleAttribute("hidden", i < 0);
			if (i >= 0) {
				own.svg.setAttribute("aria-label", "Time of " + known[0][i] + " over the frames; the longest are named below");
				draw(...times.range());
			}
			const longest = values.slice();
			said.replaceChildren();
			if (i >= 0) {
				const name = known[0][i];

				longest.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
				said.append(looked ? name + ", in the " + looked.toLocaleString("en-US") + " frames that were looked at, because there are too many zones " +
					"or frames: evenly spaced ones and the longest. Of these the longest, on all threads together: " : name + " runs in " + longest.length +
					" of " + columns + (columns < times.all.length ? " columns" : " frames") + "; the longest, on all threads together: ");
				for (const [ns, column] of longest.slice(0, 5)) {
					const [from, to] = frames(column), text = (from === to ? "frame " + from : "frames " + from + "\u2013" + to) + " ", e = from === to ?
						make("button", text, { type: "button", className: "s" }) : make("span", text);

					if (from === to) {
						e.addEventListener("click", () => times.clicked && times.clicked(from));
					}
					said.append(e, " " + shown(ns) + (longest.indexOf(longest.find((l) => l[1] === column)) < Math.min(5, longest.length) - 1 ? ", " : ". "));
				}
				const code = make("code", source.dataset.command + quoted(name), { title: EXACT });

				said.append(code);
				if (navigator.clipboard) {
					copied(code);
				}
			}
			if (keep) {
				tracetool.remember("over", i < 0 ? null : known[0][i], true);
			}
		}

		/* A cause that no single frame has is seen over all of them: a growth as its marker's line. */
		function steady() {
			const whole = document.querySelectorAll("#t-causes tbody tr"), heads = Array.from(document.querySelectorAll("#t-causes thead th"), (th) => th.dataset.c);

			document.querySelectorAll("#causes tbody tr").forEach((row, i) => {
				const value = (id) => whole[i] && heads.includes(id) ? whole[i].cells[heads.indexOf(id)].textContent : "-", name = value("marker");

				if (value("worst") === "-" && value("class") !== "leak" && known[0].includes(name)) {
					const button = make("button", row.cells[0].textContent, { type: "button", className: "s", title: name + " over the frames" });

					button.addEventListener("click", () => open(name));
					row.cells[0].replaceChildren(button);
				}
			});
		}

		/* To the chart. */
		function lead() {
			select.focus({ preventScroll: true });
			own.svg.scrollIntoView({ block: "center" });
		}

		function open(name) {
			select.value = String(known[0].indexOf(name));
			show(Number(select.value), true);
			lead();
		}

		async function load() {
			known = await inflate(source.textContent);
			tracetool.lines = { names: new Set(known[0]), open };
			steady();
			/* Last what is open nearly all the time, which says no more than the times of frames. */
			const sum = times.all.reduce((a, b) => a + b, 0), always = (i) => known[1][i].reduce((a, v, k) => a + (k & 1 ? v : 0), 0) > .95 * sum;
			const order = columns === times.all.length ? known[0].map((_, i) => i).sort((a, b) => always(a) - always(b)) : known[0].map((_, i) => i);

			select.append(make("option", "(none)", { value: "-1" }), ...order.map((i) => make("option", known[0][i], { value: String(i) })));
			asked();
			if (values.length && tracetool.sought("over")) {
				lead();
			}
		}

		function asked() {
			const i = known[0].indexOf(tracetool.asked("over"));

			select.value = String(i);
			show(i, false);
		}

		select.addEventListener("change", () => show(Number(select.value), true));
		tracetool.moved(() => known && asked());
		own.svg.addEventListener("pointermove", tell);
		own.svg.addEventListener("pointerleave", (event) => tip(event, null));
		own.svg.addEventListener("click", (event) => {
			const [from, to] = frames(under(event));

			if (from === to && times.clicked) {
				times.clicked(from);
			}
		});
		times.looked = (low, high) => values.length && draw(low, high);
		times.marked = own.mark;
		label.append(select);
		figure.append(label, own.svg, said);
		load().catch((e) => said.textContent = "The data of markers cannot be read: " + e.message);
	}

	/* --- the flame graph --- */

	/* Boxes of the tree as the data have them, each with its caller. */
	function flames([texts, flat]) {
		const all = [], around = [];
		let end = 0;

		for (let i = 0; i < flat.length; i += 6) {
			const up = flat[i] ? around[flat[i] - 1] : null, from = up ? up.next : end;
			const b = { name: texts[flat[i + 1]], depth: flat[i], ns: flat[i + 2], self: flat[i + 3], n: flat[i + 4], bytes: flat[i + 5], from, next: from, up,
				under: [] };

			if (up) {
				up.next += b.ns;
				up.under.push(b);
			} else {
				end += b.ns;
			}
			around[b.depth] = b;
			all.push(b);
		}
		return all;
	}

	function add(map, b, ns, from) {
		const known = map.get(b.name) || { name: b.name, ns: 0, self: 0, n: 0, bytes: 0, under: new Map(), up: from, thread: !b.depth };

		known.ns += ns;
		known.self += b.self;
		known.n += b.n;
		known.bytes += b.bytes;
		map.set(b.name, known);
		return known;
	}

	/* What calls ${name} above it, what it calls below: outermost calls, added up by name. */
	function around(all, name) {
		const self = { name, ns: 0, self: 0, n: 0, bytes: 0, under: new Map(), over: new Map(), up: null };

		function below(b, into) {
			for (const kid of b.under) {
				below(kid, add(into.under, kid, kid.ns, into));
			}
		}

		for (const b of all) {
			let within = false;

			if (b.name !== name || !b.depth) {
				continue;
			}
			for (let up = b.up; up; up = up.up) {
				within = within || up.name === name;
			}
			self.n += b.n;
			self.self += b.self;
			if (within) {
				continue;
			}
			self.ns += b.ns;
			self.bytes += b.bytes;
			below(b, self);
			let map = self.over, last = self;
			for (let up = b.up; up; up = up.up) {
				last = add(map, { name: up.name, self: 0, n: 0, bytes: 0, depth: up.depth }, b.ns, last);
				map = last.under;
			}
		}
		return self;
	}

	/* ${k}: what the boxes are of, by KINDS. */
	function flame(source, k) {
		const section = make("section", "", { id: k.id }), find = make("input", "", { type: "search" }), label = make("label", "Markers with ");
		const said = make("output", ""), pick = make("button", "Callers and callees", { type: "button", className: "c" });
		const whole = make("button", "Whole tree", { type: "button", className: "c" }), code = make("code", "");
		const lined = make("button", "Over the frames", { type: "button", className: "c" }), bar = make("p", "", { className: "x" });
		const told = make("p", ""), commands = make("p", "");

		code.title = EXACT;
		let all = null, total = 0, text = "", shownRows = [], now = null;
		const chart = boxes({ label: k.label, amount: k.amount, timed: k.calls, one: "path", hint: "A box is a call path: as wide as " + k.wide +
			", inside its caller's box. Click one, or move with the arrow keys; double click or Enter shows it alone.",
		told: (b) => b.name + ": " + k.amount(b.ns) + " (" + share(b.ns, now ? now.ns : total) + " of " + (now ? k.its : "all") + ")" + (b.n || !k.calls ?
			", self " + k.amount(b.self) : "") + (b.n ? ", " + counted(b.n, "call") : "") + (b.bytes ? ", " + bytes(b.bytes) +
			" allocated" : ""),
		chosen: () => {
			pick.disabled = !target();
		}, found: (b) => b === now || text !== "" && b.name.toLowerCase().includes(text), step });
		const callers = grid("Callers", [["caller", "nm"], [k.of, "n"], ["share", "n"]]), callees = grid("Callees", [["callee", "nm"], [k.total, "n"],
			["share", "n"], ["self", "n"]].concat(k.calls ? [["calls", "n"]] : [])), tables = make("div", "", { className: "g" });

		function step(b, key) {
			const at = shownRows.findIndex((row) => row.of.includes(b)), row = shownRows[at];

			if (!b || !row) {
				return shownRows.length ? shownRows[0].of[0] : null;
			}
			const i = row.of.indexOf(b);

			if (key === "ArrowLeft" || key === "ArrowRight") {
				return row.of[i + (key === "ArrowRight" ? 1 : -1)] || null;
			}
			const next = shownRows[at + (key === "ArrowDown" ? 1 : -1)], middle = row.from[i];

			return next ? next.of[Math.min(above(next.to, middle), next.of.length - 1)] : null;
		}

		function matching() {
			return text === "" ? [] : all.filter((b) => b.depth && b.name.toLowerCase().includes(text));
		}

		/* The marker that the button leads to: the chosen box's, else the largest that is found. */
		function target() {
			const b = chart.chosen();

			if (b && !b.thread && (now || b.depth)) {
				return b.name;
			}
			return largest();
		}

		/* Of the markers that are found. */
		function largest() {
			const sums = new Map();

			for (const m of matching()) {
				sums.set(m.name, (sums.get(m.name) || 0) + m.ns);
			}
			return Array.from(sums).sort((x, y) => y[1] - x[1]).map((x) => x[0])[0] || null;
		}

		function put(rows, level, b, from) {
			const row = rows[level] = rows[level] || { from: [], to: [], of: [] };

			row.from.push(from);
			row.to.push(from + b.ns);
			row.of.push(b);
			for (const kid of Array.from(b.under.values()).sort((x, y) => y.ns - x.ns)) {
				put(rows, level + 1, kid, from);
				from += kid.ns;
			}
		}

		function list(table, rows, of, more) {
			table.tBodies[0].replaceChildren(...rows.sort((a, b) => b.ns - a.ns).slice(0, 20).map((b) => {
				const tr = make("tr", ""), th = make("th", "", { scope: "row", className: "nm" }), button = make("button", b.name, { type: "button", className: "s" });

				button.addEventListener("click", () => show(b.name, true));
				th.append(b.thread ? b.name : button);
				tr.append(th, cell(k.amount(b.ns), b.ns), cell(share(b.ns, of)));
				if (more) {
					tr.append(cell(k.amount(b.self), b.self));
				}
				if (more && k.calls) {
					tr.append(cell(b.n.toLocaleString("en-US"), b.n));
				}
				return tr;
			}));
			table.parentNode.hidden = rows.length === 0;
		}

		async function load() {
			if (!all) {
				all = flames(await inflate(source.textContent));
				total = all.reduce((sum, b) => sum + (b.depth ? 0 : b.ns), 0);
			}
		}

		async function show(name, keep) {
			await load();
			const s = name !== null && around(all, name);
			now = s && s.ns > 0 ? s : null;
			tables.hidden = commands.hidden = !now;
			if (now) {
				const over = [], under = [];

				put(over, 0, { ns: now.ns, under: now.over }, 0);
				put(under, 0, now, 0);
				shownRows = over.slice(1).reverse().concat(under);
				chart.show(shownRows, now.ns);
				told.textContent = now.name + ": " + k.amount(now.ns) + ", " + share(now.ns, total) + " of " + k.all + ", " + (k.calls ?
					counted(now.n, "call") + ", " : "") + "self " + k.amount(now.self) + ". Its callers are above it, its callees below.";
				list(callers, Array.from(now.over.values()), now.ns, false);
				list(callees, Array.from(now.under.values()), now.ns, true);
				code.textContent = source.dataset.command + quoted(now.name);
			} else {
				shownRows = [];
				for (const b of all) {
					const row = shownRows[b.depth] = shownRows[b.depth] || { from: [], to: [], of: [] };

					row.from.push(b.from);
					row.to.push(b.from + b.ns);
					row.of.push(b);
				}
				chart.show(shownRows, total);
				told.textContent = "All threads, " + k.amount(total) + k.within + "." + (Number(source.dataset.left) ? " " +
					Number(source.dataset.left).toLocaleString("en-US") + " narrower call paths are left out." : "");
			}
			whole.disabled = !now;
			/* What was searched for is found. */
			find.value = "";
			search();
			lined.hidden = !now || !tracetool.lines || !tracetool.lines.names.has(now.name);
			if (keep) {
				tracetool.remember(k.hash, now ? now.name : null, true);
			}
		}

		function search() {
			text = find.value.toLowerCase();
			const hits = matching(), outer = hits.filter((b) => {
				for (let up = b.up; up; up = up.up) {
					if (up.depth && up.name.toLowerCase().includes(text)) {
						return false;
					}
				}
				return true;
			});

			const found = new Set(hits.map((b) => b.name)).size;

			said.textContent = text ? counted(found, "marker") + ", " + share(outer.reduce((sum, b) => sum + b.ns, 0), total) +
				(found > 1 ? "; Enter shows the largest, " + largest() : "") : "";
			pick.disabled = !target();
			chart.redraw();
		}

		find.addEventListener("input", search);
		find.addEventListener("keydown", (event) => event.key === "Enter" && largest() && show(largest(), true));
		pick.addEventListener("click", () => show(target(), true));
		whole.addEventListener("click", () => show(null, true));
		lined.addEventListener("click", () => tracetool.lines.open(now.name));
		label.append(find);
		bar.append(label, " ", pick, " ", whole, " ", lined, " ", said);
		commands.append(code);
		tables.append(callers.parentNode, callees.parentNode);
		section.append(make("h2", k.title, { id: "h-" + k.id }), bar, told, ...chart.parts, tables, commands);
		section.setAttribute("aria-labelledby", "h-" + k.id);
		const before = document.getElementById("time") || document.getElementById("source");
		before.before(section);
		listed(section);
		if (navigator.clipboard) {
			copied(code);
		}

		/* ${lead} to the section? Back does not: the browser returns to where the page was. */
		function asked(lead) {
			const name = tracetool.asked(k.hash), sought = lead && tracetool.sought(k.hash);

			return (all && name === (now && now.name) ? Promise.resolve() : show(name, false)).then(() => sought && section.scrollIntoView());
		}

		/* Markers in front lead to their callers and callees. */
		tracetool.leads = { ...tracetool.leads, [k.table]: (th) => {
			const button = make("button", th.textContent, { type: "button", className: "s" });

			button.addEventListener("click", () => show(th.textContent, true).then(() => section.scrollIntoView()));
			th.replaceChildren(button);
		} };
		document.querySelectorAll("#time table[data-t=\"" + k.table + "\"] tbody th").forEach(tracetool.leads[k.table]);
		tracetool.moved(() => asked(history.state === null));
		asked(true).catch((e) => told.textContent = "The data of the call tree cannot be read: " + e.message);
	}

	/* A heap that grows is seen over the frames, and who allocates what is in it. */
	function leaks() {
		const whole = document.querySelectorAll("#t-causes tbody tr"), at = Array.from(document.querySelectorAll("#t-causes thead th"), (th) => th.dataset.c).indexOf("class");

		document.querySelectorAll("#causes tbody tr").forEach((row, i) => {
			const to = whole[i] && whole[i].cells[at].textContent === "leak" ? [["heap", "its size"], ["memory", "what allocates"]].filter(([id]) =>
				document.getElementById(id)) : [], links = to.map(([id, text]) => make("a", text, { href: "#" + id }));

			if (to.length) {
				row.cells[0].replaceChildren(make("a", row.cells[0].textContent, { href: "#" + to[0][0] }));
				const see = make("div", "see ");

				see.append(...links.flatMap((a, k) => k ? [", ", a] : [a]));
				row.querySelector("td.p").append(see);
			}
		});
	}

	/* Links to the sections that are made here, among those in front. */
	function listed(section) {
		const nav = document.querySelector("nav"), links = Array.from(nav.querySelectorAll("a"));
		const frame = section.querySelector("h2").id === "h-frame";
		const link = make("a", frame ? "One frame" : section.querySelector("h2").textContent, { href: "#" + section.id, className: frame ? "n0" : "n1" });
		const after = links.find((a) => a.className > link.className || (a.className === link.className &&
			section.compareDocumentPosition(document.querySelector(a.getAttribute("href"))) & Node.DOCUMENT_POSITION_FOLLOWING));

		if (after) {
			after.before(link, " ");
		}
	}

	Object.assign(tracetool, { inflate, bytes, grid, meaning, median: about ? Number(about.dataset.median) : 0 });
	if (about) {
		view();
	}
	const sampled = document.querySelector("script[data-samples]"), source = document.querySelector("script[data-flame]"), markers = document.querySelector("script[data-over]");

	if (markers && tracetool.times && about) {
		over(markers, tracetool.times);
	}

	leaks();
	if (source) {
		flame(source, { id: "flame", title: "Call tree", hash: "marker", table: "markers", amount: shown, calls: true, wide: "the time spent in it",
			its: "its time", all: "the time in zones", within: " in zones", of: "time of it", total: "total",
			label: "Flame graph of the call tree; the table of calls has the same figures" });
	}
	if (sampled) {
		flame(sampled, { id: "sampled", title: "Samples", hash: "sampled", table: "samples", amount: (n) => counted(n, "sample"),
			calls: false, wide: "samples have it", its: "its samples", all: "all samples", within: "", of: "samples of it",
		total: "samples", label: "Flame graph of the stacks of samples; the table of samples has the same figures" });
	}
})();
