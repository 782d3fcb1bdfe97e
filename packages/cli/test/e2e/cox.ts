import { main } from '../../src/main.ts';

/* Runs `cox` from the sources, like `bin/cox.js` in the built package. */

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
