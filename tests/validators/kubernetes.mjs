// kubernetes.mjs FILE: check each document of a manifest by the schema of its kind, made of Kubernetes' own description of its interface; print
// each fault as "FILE: text", also a field that the schema does not know. Exit status 1 if there is one.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import yaml from 'yaml';

// The package takes formats of numbers and of quantities, like 2Gi, from another one, which brings a whole validator.
const formats = `const quantity = /^[+-]?[0-9.]+([eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?$/;
	export const formats = new Proxy({}, { get: (_, name) => ({ validate: name === 'quantity' ? quantity : () => true }) });`;
register('data:text/javascript,' + encodeURIComponent(`export const resolve = (name, context, next) => name === '@kubernetes-models/validate' ?
	{ url: ${JSON.stringify('data:text/javascript,' + encodeURIComponent(formats))}, shortCircuit: true } : next(name, context);`));
const kinds = { 'batch/v1/Job': 'IoK8sApiBatchV1Job' };
const [file] = process.argv.slice(2);
const fault = text => {
	console.log(`${file}: ${text}`);
	process.exitCode = 1;
};

// A schema reads each field that it knows, and no other.
const read = new Set(), watch = (value, at) => value === null || typeof value !== 'object' ? value : new Proxy(value, { get(target, key) {
	read.add(`${at}/${String(key)}`);
	return watch(target[key], `${at}/${String(key)}`);
} });
const unread = (value, at) => Object.entries(value ?? {}).flatMap(([key, inner]) => !read.has(`${at}/${key}`) ? [`${at}/${key}`] :
	typeof inner === 'object' ? unread(inner, `${at}/${key}`) : []);

for (const document of yaml.parseAllDocuments(readFileSync(file, 'utf8'))) {
	for (const e of [...document.errors, ...document.warnings])
		fault(e.message);
	const manifest = document.toJS(), kind = kinds[`${manifest.apiVersion}/${manifest.kind}`];

	if (!kind) {
		fault(`no schema for ${manifest.apiVersion}/${manifest.kind}`);
		continue;
	}
	const { validate } = await import(`./node_modules/kubernetes-models/_schemas/${kind}.js`);

	const name = manifest.metadata?.name;

	if (!validate(watch(manifest, name)))
		for (const e of validate.errors)
			fault(`${name}: ${e.instancePath} ${e.message ?? JSON.stringify(e.params)}`);
	for (const at of unread(manifest, name))
		fault(`${at}: not known`);
}
