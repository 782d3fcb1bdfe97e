import { rm } from 'node:fs/promises';
import { openImages } from '../src/open-images.ts';

const [name = ''] = process.argv.slice(2);
const root = '/tmp/bench/store';
for (let i = 0; i < 3; i++) {
  await rm(root, { recursive: true, force: true });
  const images = await openImages({ root });
  let worst = 0,
    last = performance.now();
  const t = setInterval(() => {
    const n = performance.now();
    worst = Math.max(worst, n - last - 5);
    last = n;
  }, 5);
  const start = performance.now();
  const cpu = process.cpuUsage();
  await images.store.pull(name);
  const ms = performance.now() - start;
  const c = process.cpuUsage(cpu);
  clearInterval(t);
  console.log(
    name,
    `${Math.round(ms)} ms; cpu of node ${Math.round((c.user + c.system) / 1000)} ms; blocked at most ${worst.toFixed(1)} ms; ${(images.store.usage().usedBytes / 1e6 / (ms / 1e3)).toFixed(0)} MB/s`,
  );
  await images.close();
}
