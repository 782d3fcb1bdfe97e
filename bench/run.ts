/** `npm run bench [-- name…]`: runs us and a peer in one go and prints how they compare. */
import { print } from './measure.ts';

const benches: Record<string, () => Promise<string>> = {
  pod: async () => print(await (await import('./pod.ts')).podBench()),
  crd: async () => (await import('./crd/bench.ts')).crdBench(),
  apiserver: async () => (await import('./apiserver/bench.ts')).apiserverBench(),
  controllers: async () => (await import('./controllers/bench.ts')).controllersBench(),
  scheduler: async () => (await import('./scheduler/bench.ts')).schedulerBench(),
  cluster: async () => (await import('./cluster/bench.ts')).clusterBench(),
  'controllers-idle': async () => (await import('./controllers/idle-bench.ts')).controllersIdleBench(),
  client: async () => (await import('./client/bench.ts')).clientBench(),
  cel: async () => (await import('./cel/bench.ts')).celBench(),
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench) {
    console.error(`no bench ${name}; there are: ${Object.keys(benches).join(', ')}`);
    process.exitCode = 1;
    continue;
  }
  console.log(`${name}\n${await bench()}`);
}
