import { appendFileSync, readFileSync } from 'node:fs';
import { it } from 'vitest';
import { problemsOf } from './problems.ts';
import { World } from './world.ts';

it('replay', async () => {
  (globalThis as any).LOG7A = (...a: unknown[]) => appendFileSync('/tmp/7A-log', `${a.join(' ')}\n`);
  const todo = JSON.parse(readFileSync('/tmp/7A-steps.json', 'utf8'));
  const t0 = Date.now();
  const why = setInterval(
    () => console.log('ACTIVE', process.getActiveResourcesInfo().join(), world?.cluster.spy.requests.length),
    5000,
  );

  let world: World;
  world = await World.start();
  console.log('started', Date.now() - t0);
  for (const step of todo) {
    if (process.env.STEPS) console.log(JSON.stringify(step));
    await world.take(step);
  }
  console.log('taken', Date.now() - t0);
  const w1 = world.cluster.spy.writes.length;
  try {
    await world.comeToRest();
  } catch (e) {
    console.log(e);
  }
  console.log('rest', Date.now() - t0, new Date(world.cluster.clock.now()).toISOString());
  console.log(
    world.cluster.spy.writes
      .slice(process.env.ALL ? 0 : w1)
      .map((w) => `${w.method} ${w.url}`)
      .join('\n'),
  );
  console.log(JSON.stringify(await problemsOf(world.cluster), null, 1), world.limits.violations);
  for (const j of (await world.cluster.clients.batch.v1.jobs().list()).items)
    console.log(JSON.stringify(j.metadata.name), JSON.stringify(j.status));
  console.log(await world.writesIn(3_600_000));
  console.log('hour', Date.now() - t0);
  console.log(world.cluster.log.slice(-30).join('\n'));
  for (const j of (await world.cluster.clients.batch.v1.jobs().list()).items)
    console.log(JSON.stringify(j.metadata.name), JSON.stringify(j.status));
  if (process.env.POD)
    for (const p of await world.nodes.pods())
      console.log(JSON.stringify({ ...p, spec: { nodeName: p.spec!.nodeName } }));
  await world.stop();
}, 100_000);
