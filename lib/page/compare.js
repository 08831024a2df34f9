/*
 * What the comparison page does where scripts run, beside what page.js does: the flame graph of both sides is looked at closely. A click or
 * Enter shows a box over the whole width, arrow keys lead from box to box, a search marks boxes; the address keeps what is shown. The boxes are those that the page has
 * without scripts; text from captures is only read from them, and set as text. page.js is in front of this and has what it uses.
 */
"use strict";
(function () {
	const { make } = tracetool, figure = document.querySelector("figure[data-flame]"), ROW = 18, TOP = 24;

	if (!figure) {
		return;
	}
	const chart = figure.querySelector("svg"), said = make("output", ""), find = make("input", "", { type: "search" }), label = make("label", "Markers with ");
	const whole = make("button", "Whole tree", { type: "button", className: "c" }), bar = make("p", "", { className: "x" });
	const HINT = "A click, or Enter, shows a box over the whole width; arrow keys lead from box to box.";
	const boxes = Array.from(chart.querySelectorAll("svg"), (e) => {
		const title = e.querySelector("title"), told = title.textContent;

		return { e, told, name: told.replace(/: [^:]*$/, ""), x: parseFloat(e.getAttribute("x")), w: parseFloat(e.getAttribute("width")),
			depth: (Number(e.getAttribute("y")) - TOP) / ROW, up: null, label: e.querySelector("text"), rect: e.querySelector("rect") };
	});
	const open = [];
	let shown = null, chosen = null;

	for (const b of boxes) {
		open.length = b.depth;
		b.up = b.depth ? open[b.depth - 1] : null;
		b.path = (b.up ? b.up.path + "/" : "") + b.name;
		open.push(b);
	}

	function within(b, other) {
		return b === other || (b.up !== null && within(b.up, other));
	}

	function draw() {
		const from = shown ? shown.x : 0, width = shown ? shown.w : 100;

		for (const b of boxes) {
			const below = !shown || within(b, shown), over = !below && within(shown, b);

			b.e.setAttribute("visibility", below || over ? "visible" : "hidden");
			b.e.setAttribute("x", (over ? 0 : (b.x - from) * 100 / width) + "%");
			b.e.setAttribute("width", (over ? 100 : b.w * 100 / width) + "%");
			if (!b.label && (over || b.w * 200 >= width)) {
				b.label = document.createElementNS("http://www.w3.org/2000/svg", "text");
				b.label.textContent = b.told.replace(/ \([^(]*\)$/, "").replace(/^(.*): ([+\u2212]?)([^:]*)$/s, (all, name, sign, time) =>
					(sign ? sign + " " : "") + name + " " + time);
				b.label.setAttribute("class", "t");
				b.label.setAttribute("x", "3");
				b.label.setAttribute("y", "13");
				b.label.setAttribute("font-size", "11");
				b.e.append(b.label);
			}
		}
		whole.disabled = !shown;
	}

	function tell() {
		said.textContent = chosen ? chosen.told : HINT;
		for (const b of boxes) {
			b.rect.classList.toggle("on", b === chosen);
		}
	}

	function show(b, keep) {
		shown = b;
		chosen = b;
		draw();
		tell();
		if (keep) {
			history.replaceState(null, "", b ? "#path=" + encodeURIComponent(b.path) : "#flame");
		}
	}

	function step(key) {
		const same = (b) => b.depth === chosen.depth && b.e.getAttribute("visibility") !== "hidden", at = boxes.indexOf(chosen);

		if (!chosen) {
			return shown || boxes[0];
		}
		switch (key) {
		case "ArrowUp": return chosen.up || chosen;
		case "ArrowDown": return boxes.find((b) => b.up === chosen) || chosen;
		case "ArrowRight": return boxes.slice(at + 1).find(same) || chosen;
		default: return boxes.slice(0, at).reverse().find(same) || chosen;
		}
	}

	function search() {
		const text = find.value.toLowerCase(), hits = boxes.filter((b) => text && b.depth && b.name.toLowerCase().includes(text));

		for (const b of boxes) {
			b.rect.classList.toggle("hit", hits.includes(b));
		}
		said.textContent = text ? hits.length + " boxes: " + Array.from(new Set(hits.map((b) => b.name))).slice(0, 5).join(", ") : HINT;
	}

	chart.addEventListener("click", (event) => {
		const e = event.target.closest("svg"), b = boxes.find((one) => one.e === e);

		if (b) {
			show(b === shown ? b.up : b, true);
		}
	});
	chart.addEventListener("pointermove", (event) => {
		const e = event.target.closest("svg"), b = boxes.find((one) => one.e === e);

		said.textContent = b ? b.told : chosen ? chosen.told : HINT;
	});
	chart.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || !/^(Arrow|Enter$|Escape$)/.test(event.key)) {
			return;
		}
		event.preventDefault();
		if (event.key === "Enter" && chosen) {
			show(chosen, true);
		} else if (event.key === "Escape") {
			show(null, true);
		} else if (event.key !== "Enter") {
			chosen = step(event.key);
			tell();
		}
	});
	find.addEventListener("input", search);
	whole.addEventListener("click", () => show(null, true));

	function asked() {
		const path = /^#path=(.+)$/.exec(location.hash), b = path && boxes.find((one) => one.path === decodeURIComponent(path[1]));

		if (b) {
			show(b, false);
			figure.scrollIntoView();
		}
	}

	chart.tabIndex = 0;
	chart.setAttribute("focusable", "true");
	said.setAttribute("role", "status");
	label.append(find);
	bar.append(label, " ", whole, " ");
	figure.prepend(bar);
	chart.after(said);
	show(null, false);
	addEventListener("hashchange", asked);
	asked();
})();
