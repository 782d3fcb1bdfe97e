#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { KeptScripts } from '@coxswain/component-base/kept-scripts';

// The heap may double before its garbage is collected; it would triple otherwise, and what a server holds with it.
setFlagsFromString('--heap-growing-percent=100');
// What is run often is compiled after half as long as V8 waits by itself: a server is busy from its first minute on.
setFlagsFromString('--interrupt-budget=60000');

const scripts = new KeptScripts(fileURLToPath(new URL('../dist/bundle', import.meta.url)));
const { main } = scripts.load('cox.cjs');

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
scripts.keepCompiled();
