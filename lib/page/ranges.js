/*
 * Tables of the frames that a reader chooses, where scripts run: of frame times as page.js has them, of markers, threads and allocations by the
 * sums that lib/page/ranges.c writes. A table of the range stands in for that of all frames, and what is still of all frames says so. Figures
 * are those that the same tables have with the filter set to these frames. Text is only ever set as text.
 */
"use strict";
(function () {
	const { make, copied, shown, inflate, bytes } = tracetool, times = tracetool.times, source = document.querySelector("script[data-ranges]");
	const SHOWN = 10;

	if (!times || !source) {
		return;
	}
	const n = times.all.length, columns = Number(source.dataset.ranges), text = source.textContent, marks = [];
	let known = null, stand_ins = [], turn = 0;

	source.remove();
	times.columns = columns;

	/* ${a} * ${by} / ${b}, to the nearest integer, halves up. */
	function ratio(a, by, b) {
		return Number((2n * BigInt(a) * BigInt(by) + BigInt(b)) / (2n * BigInt(b)));
	}

	function sum(all) {
		return all.reduce((a, b) => a + b, 0);
	}

	/* --- figures --- */

	/* Of times in order, the longest last: by column of the tables frames and frame_budgets. */
	const of_times = {
		count: (all) => all.length,
		mean_ns: (all) => ratio(sum(all), 1, all.length),
		median_ns: (all) => rank(all, 50), p95_ns: (all) => rank(all, 95), p99_ns: (all) => rank(all, 99), max_ns: (all) => rank(all, 100),
		fps: (all) => rate(all), low_1_fps: (all) => rate(all.slice(-Math.ceil(all.length / 100))),
		over: (all, limit) => all.filter((ns) => ns > limit).length,
		over_share: (all, limit) => ratio(of_times.over(all, limit), 10000, all.length) / 100,
	};

	function rank(all, percent) {
		return all[Math.max(Math.ceil(all.length * percent / 100), 1) - 1];
	}

	function rate(all) {
		return sum(all) ? ratio(all.length, 1e12, sum(all)) / 1000 : null;
	}

	const share = (i) => (v, all) => all[i] ? ratio(v[i], 10000, all[i]) / 100 : null;
	const alloc = { bytes: (v) => v[0], share: share(0), count: (v) => v[1], mean_bytes: (v) => v[1] ? ratio(v[0], 1, v[1]) : null };
	/* Of the sums of a row, and of all rows. */
	const of_sums = {
		markers: { self_ns: (v) => v[0], self_share: share(0), total_ns: (v) => v[0] + v[1], count: (v) => v[2] },
		categories: { self_ns: (v) => v[0], self_share: share(0) },
		threads: { busy_ns: (v) => v[0], waiting_ns: (v) => v[1], allocs: (v) => v[3], alloc_bytes: (v) => v[2] },
		gcalloc: { bytes: (v) => v[0], count: (v) => v[1], collections: (v) => v[2] },
		alloc_sites: alloc, alloc_classes: alloc,
	};
	/* What means nothing of several rows together. */
	const SINGLE = ["total_ns", "busy_ns"];

	function written(id, v) {
		if (v === null) {
			return "-";
		}
		/* Of thousandths, halves up, as tables have them: toFixed() rounds the binary number, which may be a little less. */
		return id.endsWith("_ns") ? shown(v) : id.endsWith("bytes") ? bytes(v) :
			id.endsWith("share") || id.endsWith("fps") ? (Math.round(Math.round(v * 1000) / 10) / 100)
				.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }) : v.toLocaleString("en-US");
	}

	/* --- sums of columns --- */

	/* The first frame of column ${c}, from 0. */
	function first(c) {
		return Math.floor(n * c / columns);
	}

	function column(frame) {
		return Math.floor(((frame + 1) * columns + n - 1) / n) - 1;
	}

	/* The sums of ${flat} from column ${low} to ${high}. */
	function summed(flat, low, high) {
		let at = 0, all = 0;

		for (const v of flat) {
			if (v >= 0 && at >= low && at <= high) {
				all += v;
			}
			at += v < 0 ? -v : 1;
		}
		return all;
	}

	/* [[names, values] of each row], the others last. */
	function rows([, names, values, texts, flats], low, high) {
		const all = [];

		for (let i = 0; i < flats.length; i += values) {
			all.push([texts.slice(i / values * names, (i / values + 1) * names), flats.slice(i, i + values).map((flat) => summed(flat, low, high))]);
		}
		return all;
	}

	/* --- tables --- */

	function head(th, scope) {
		const to = make("th", th.textContent, { scope, className: th.className, title: th.title });

		to.dataset.c = th.dataset.c;
		return to;
	}

	function cell(id, v) {
		const td = make("td", written(id, v), { className: "n" });

		if (v !== null) {
			td.dataset.v = String(v);
		}
		return td;
	}

	/* ${table} of a range: with the columns ${ids}, and ${body}: rows of texts and of the values of the columns after them. */
	function table_of(table, said, ids, body) {
		const to = make("table", ""), tr = make("tr", ""), heads = Array.from(table.tHead.rows[0].cells);

		to.dataset.range = table.dataset.t;
		to.createCaption().textContent = table.caption.firstChild.textContent + ", " + said;
		tr.append(...ids.map((id) => head(heads.find((th) => th.dataset.c === id), "col")));
		to.createTHead().append(tr);
		to.createTBody().append(...body.map(([texts, values]) => {
			const row = make("tr", "");

			const lead = tracetool.leads && tracetool.leads[table.dataset.t];

			row.append(...texts.map((t, i) => make(i ? "td" : "th", t, Object.assign({ className: tr.cells[i].className }, i ? {} : { scope: "row" }))),
				...ids.slice(texts.length).map((id, i) => cell(id, values[i])));
			if (lead && texts[0] !== "(all others)") {
				lead(row.cells[0]);
			}
			return row;
		}));
		return to;
	}

	/* The same of facts that are below each other: a column for each of ${all}, [name, values], whose names are there if there are several. */
	function facts_of(table, said, of, all) {
		const to = make("table", "", { className: "facts" }), body = to.createTBody();

		to.dataset.range = table.dataset.t;
		to.createCaption().textContent = table.caption.firstChild.textContent + ", " + said;
		for (const tr of table.rows) {
			const th = tr.cells[0], id = th.dataset.c;

			if (all.length > 1 && id === "time") {
				const row = to.createTHead().insertRow();

				row.append(head(th, "row"), ...all.map(([name]) => make("th", name, { scope: "col", className: "n" })));
			} else if (of[id]) {
				const row = body.insertRow();

				row.append(head(th, "row"), ...all.map(([, values]) => cell(id, of[id](values))));
			}
		}
		return to;
	}

	function of_frames(table, low, high) {
		/* By the names of their rows in the tables. */
		const part = (of) => of.slice(low, high + 1).sort((a, b) => a - b);
		const all = [["wall", times.all, times.counted], ["uncapped", times.uncapped, times.uncapped]].filter(([, of]) => of)
			.map(([name, of, counted]) => [name, part(of), part(counted)]);
		const facts = !table.tHead || table.tHead.rows[0].cells[0].scope === "row";
		const heads = facts ? Array.from(table.rows, (tr) => tr.cells[0]) : Array.from(table.tHead.rows[0].cells);
		const ids = heads.map((th) => th.dataset.c).filter((id) => of_times[id] || (!facts && (id === "time" || id === "budget_ns")));

		/* The page does not have what other threads take in each frame. */
		const times_of = facts ? Array.from(table.tHead ? table.tHead.rows[0].cells : [], (th) => th.textContent).slice(1) :
			Array.from(table.tBodies[0].rows, (tr) => tr.cells[0].textContent);
		const less = times_of.filter((name, i) => !all.some(([known]) => known === name) && times_of.indexOf(name) === i);
		const said = (less.length ? "without " + less.join(" and ") + ", " : "") + named(low, high);

		if (facts) {
			return facts_of(table, said, of_times, all);
		}
		return table_of(table, said, ids, all.flatMap(([name, values, counted]) => Array.from(table.tBodies[0].rows).filter((tr) => tr.cells[0].textContent === name)
			.map((tr) => {
				const limit = heads.findIndex((th) => th.dataset.c === "budget_ns"), ns = limit < 0 ? null : Number(tr.cells[limit].dataset.v);

				/* How many are over is told by the time for which they were shown. */
				return [[name], ids.slice(1).map((id) => id === "budget_ns" ? ns : of_times[id](id.startsWith("over") ? counted : values, ns))];
			})));
	}

	function of_range(table, set, low, high) {
		const of = of_sums[set[0]], said = named(first(low), first(high + 1) - 1);
		const heads = table.tHead ? Array.from(table.tHead.rows[0].cells, (th) => th.dataset.c) : [];
		const all = rows(set, low, high), whole = all[0][1].map((_, i) => sum(all.map(([, v]) => v[i])));

		if (set[0] === "gcalloc") {
			return facts_of(table, said, of, [["", all[0][1]]]);
		}
		/* Without classes, allocation sites have their markers alone. */
		const others = all.pop()[1], named_by = heads.slice(0, set[1]).filter((id) => !of[id]), ids = named_by.concat(heads.filter((id) => of[id] && (id !== "self_share" || !Number(shares))));
		const values = (v, some) => ids.slice(named_by.length).map((id) => some && SINGLE.includes(id) ? null : of[id](v, whole));
		const met = all.filter(([, v]) => v.some((x) => x > 0)).sort((a, b) => b[1][0] - a[1][0] || b[1][1] - a[1][1]), rest = met.slice(SHOWN);
		const left = others.map((v, i) => v + sum(rest.map(([, w]) => w[i])));
		const body = met.slice(0, SHOWN).map(([texts, v]) => [texts.slice(0, named_by.length), values(v, false)]);

		if (left.some((v) => v > 0)) {
			body.push([["(all others)"].concat(Array(named_by.length - 1).fill("")), values(left, true)]);
		}
		return table_of(table, said, ids, body);
	}

	const shares = source.dataset.gpu;

	/* Frames from the ${low}th to the ${high}th, from 0, in words. */
	function named(low, high) {
		return low === high ? "frame " + (times.first + low) : "frames " + (times.first + low) + "\u2013" + (times.first + high);
	}

	/* --- on the page --- */

	const followed = new Map(["frames", "frame_budgets", ...Object.keys(of_sums)].map((id) => [id,
		Array.from(document.querySelectorAll("main > section:not(#tables) table[data-t=\"" + id + "\"]")).find((t) => t.closest("#frames, #time, #memory"))])
		.filter(([, table]) => table));

	/* What is still of all frames. */
	function mark() {
		const unmarked = [];

		for (const section of document.querySelectorAll("main > section")) {
			if (["frames", "time", "memory"].includes(section.id)) {
				unmarked.push(...Array.from(section.querySelectorAll("table[data-t]:not([hidden]) > caption")));
			} else if (!["verdict", "loss", "frame", "source"].includes(section.id)) {
				unmarked.push(section.querySelector("h2"));
			}
		}
		for (const e of unmarked) {
			const note = make("span", " of all frames", { className: "u" });

			e.append(note);
			marks.push(note);
		}
	}

	function clear() {
		marks.splice(0).forEach((e) => e.remove());
		stand_ins.splice(0).forEach((e) => e.remove());
		followed.forEach((table) => table.hidden = false);
	}

	function put(id, made) {
		const table = followed.get(id);

		table.hidden = true;
		table.before(made);
		stand_ins.push(made);
	}

	/* Frames ${low} to ${high} are chosen, or all; ${said} is where that is told. */
	async function ranged(low, high, said) {
		const mine = ++turn, from = low - times.first, to = high - times.first, whole = to - from + 1 === n;
		const code = make("code", source.dataset.command + low + "-" + high);

		if (!whole) {
			const c = [column(from), column(to)], wide = first(c[0]) !== from || first(c[1] + 1) - 1 !== to;

			said.append(make("br", ""), "Their tables: ", code, make("span", text === "" ? " This page has their times alone: what happens in them the command tells." :
				wide ? " Markers, threads and allocations below cover " + named(first(c[0]), first(c[1] + 1) - 1) +
					": the page has one sum for every " + Math.ceil(n / columns) + " frames." :
					" Tables below cover these frames; those that still cover all frames say so."));
			if (navigator.clipboard) {
				copied(code);
			}
			known = known || (text === "" ? [] : await inflate(text));
			if (mine !== turn) {
				return;
			}
			clear();
			for (const [id, table] of followed) {
				const set = known.find((s) => s[0] === id);

				if (id === "frames" || id === "frame_budgets") {
					put(id, of_frames(table, from, to));
				} else if (set) {
					put(id, of_range(table, set, ...c));
				}
			}
			mark();
		} else {
			clear();
		}
		performance.mark("ranged");
	}

	times.ranged = (low, high, said) => ranged(low, high, said).catch((e) => said.append(" The sums of frames cannot be read: " + e.message));
})();
