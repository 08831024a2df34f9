// lines.mjs github|azure: what the systems' own code makes of lines, JSON in and out.
//
// github: [{kind, properties, message}] -> the lines that toolkit's issueCommand writes.
// azure: [line] -> what task-lib's commandFromString reads: [{command, properties, message}].
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const at = new URL('../../validators/node_modules/', import.meta.url);
const input = JSON.parse(readFileSync(0, 'utf8'));

if (process.argv[2] === 'github') {
	const { issueCommand } = await import(new URL('@actions/core/lib/command.js', at));
	for (const c of input)
		issueCommand(c.kind, c.properties, c.message);
} else {
	const { commandFromString } = createRequire(import.meta.url)(new URL('azure-pipelines-task-lib/taskcommand.js', at).pathname);
	console.log(JSON.stringify(input.map((line) => commandFromString(line))));
}
