#!/usr/bin/env -S node --max-semi-space-size=8
// Servers make much that is soon forgotten; a smaller nursery keeps their memory small at little cost.
import module from 'node:module';

// From Node 22 on, what is compiled is kept for the next start.
module.enableCompileCache?.();
const { main } = await import('../dist/bundle/cox.js');

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
