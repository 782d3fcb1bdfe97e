#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { KeptScripts } from '@coxswain/component-base/kept-scripts';

// Limits the growth of the heap between collections to double; by default it would triple, and with it the memory of a
// server.
setFlagsFromString('--heap-growing-percent=100');
// Compiles hot functions after half of V8's default budget: a server is busy from its first minute on.
setFlagsFromString('--interrupt-budget=60000');

const scripts = new KeptScripts(fileURLToPath(new URL('../dist/bundle', import.meta.url)));
const { main } = scripts.load('cox.cjs');

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
scripts.keepCompiled();
