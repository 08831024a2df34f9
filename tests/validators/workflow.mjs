// workflow.mjs FILE...: read workflows with GitHub's own parser; print each fault as "FILE: text". Exit status 1 if there is one.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';

// The package imports JSON as Node wanted it before it asked for an attribute.
register('data:text/javascript,' + encodeURIComponent(`export const load = (url, context, next) =>
	next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context);`));
const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import('@actions/workflow-parser');

for (const name of process.argv.slice(2)) {
	const { context, value } = parseWorkflow({ name, content: readFileSync(name, 'utf8') }, new NoOperationTraceWriter());

	if (value && !context.errors.count)
		await convertWorkflowTemplate(context, value);
	for (const e of context.errors.getErrors()) {
		console.log(`${name}: ${e.message}`);
		process.exitCode = 1;
	}
}
