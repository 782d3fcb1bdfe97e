import { main } from '../../src/main.ts';

/* `cox` from source: what `bin/cox.js` is to a package that was built. */

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
