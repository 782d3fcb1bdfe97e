/**
 * `npm run bench [-- name…]`: runs our code and a peer and prints the comparison. `npm run bench -- compare [name…]`: runs all benches with
 * a real peer, as one table that is stored.
 */
import { comparable, compareBench } from './compare/bench.ts';
import { printComparison } from './comparison.ts';
import { print } from './measure.ts';

const alone: Record<string, () => Promise<string>> = {
  pod: async () => print(await (await import('./pod.ts')).podBench()),
  cluster: async () => (await import('./cluster/bench.ts')).clusterBench(),
  testkit: async () => (await import('./testkit/bench.ts')).testkitBench(),
  http2: async () => (await import('./http2/bench.ts')).http2Bench(),
  cel: async () => (await import('./cel/bench.ts')).celBench(),
};
const benches: Record<string, () => Promise<string>> = { ...alone };
for (const [name, bench] of Object.entries(comparable)) benches[name] = async () => printComparison(await bench());

const [first, ...further] = process.argv.slice(2);
if (first === 'compare') process.exitCode = await compareBench(further);
else await runEach(first === undefined ? Object.keys(benches) : [first, ...further]);

async function runEach(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
    if (!bench) {
      console.error(`no bench ${name}; there are: ${[...Object.keys(benches), 'compare'].join(', ')}`);
      process.exitCode = 1;
      continue;
    }
    console.log(`${name}\n${await bench()}`);
  }
}
