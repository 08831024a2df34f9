/*
 * duck.cjs: DuckDB, with a database in memory: for each line of JSON on standard input, [SQL], a line of it with the names and types of the
 * answer's columns and its rows, or {"error": text}. Numbers of 64 bits and more are texts in the rows, as JSON has no place for them.
 */
const readline = require('readline');
const { DuckDBInstance } = require('@duckdb/node-api');

(async () => {
	const connection = await (await DuckDBInstance.create(':memory:')).connect();

	for await (const line of readline.createInterface({ input: process.stdin })) {
		try {
			const r = await connection.runAndReadAll(JSON.parse(line)[0]);

			console.log(JSON.stringify({ names: r.columnNames(), types: r.columnTypes().map(String), rows: r.getRowsJson() }));
		} catch (e) {
			console.log(JSON.stringify({ error: String(e.message ?? e) }));
		}
	}
})();
