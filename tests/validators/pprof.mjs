// pprof.mjs FILE: what pprof-format, a reader of pprof that shares nothing with Go's, finds in a plain profile, as JSON:
// sums of each value by the innermost function, and by each label.
import { readFileSync } from "node:fs";
import { Profile } from "./node_modules/pprof-format/dist/esm/index.js";

const profile = Profile.decode(readFileSync(process.argv[2]));
const text = (i) => profile.stringTable.strings[Number(i)];
const types = profile.sampleType.map((t) => text(t.type));
const functions = new Map(profile.function.map((f) => [Number(f.id), text(f.name)]));
const lines = new Map(profile.location.map((l) => [Number(l.id), l.line.map((x) => functions.get(Number(x.functionId)))]));
const leaves = {}, labels = {};
const add = (to, key, n) => { to[key] = String(BigInt(to[key] ?? 0) + BigInt(n)); };
for (const sample of profile.sample) {
	sample.value.forEach((n, i) => {
		if (sample.locationId.length)
			add(leaves[types[i]] ??= {}, lines.get(Number(sample.locationId[0]))[0], n);
		for (const label of sample.label)
			if (Number(label.str))
				add((labels[types[i]] ??= {})[text(label.key)] ??= {}, text(label.str), n);
	});
}
process.stdout.write(JSON.stringify({ types, leaves, labels, samples: profile.sample.length, comments: profile.comment.map(text) }));
