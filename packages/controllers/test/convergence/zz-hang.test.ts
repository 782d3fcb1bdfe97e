import { appendFileSync, readFileSync } from 'node:fs';
import { it } from 'vitest';
import { World } from './world.ts';
const log = (...a: unknown[]) => appendFileSync('/tmp/7A-log', `${a.join(' ')}\n`);
it('hang', async () => {
  const world = await World.start();
  let over = false; let phase = '';
  void (async () => {
    for (const step of JSON.parse(readFileSync('/tmp/7A-steps.json', 'utf8'))) { phase = JSON.stringify(step); await world.take(step); }
    phase = 'rest'; await world.comeToRest(); over = true;
  })();
  for (let i = 0; i < 16 && !over; i++) {
    await new Promise((r) => setTimeout(r, 1000));
    const now = world.cluster.spy.requests;
    log(phase, over, now.length, new Date(world.cluster.clock.now()).toISOString(), now.slice(-3).map((r) => `${r.method} ${r.url}`).join(' | '), world.cluster.log.slice(-2).join('|'));
  }
}, 60_000);
