import fc from 'fast-check';
import { expect, it } from 'vitest';
import { problemsOf } from './problems.ts';
import { type Step, steps } from './steps.ts';
import { World } from './world.ts';

/*
 * Runs all controllers with random actions of users, nodes and the network. After the faults have ended and some time has
 * passed, everything must match its spec, limits must not have been exceeded meanwhile, and nothing may be written any more.
 */

const isLong = process.env.COXSWAIN_LONG !== undefined;
const hour = 3_600_000;

async function inWorld(use: (world: World) => Promise<void>): Promise<void> {
  const world = await World.start();
  try {
    await use(world);
  } finally {
    await world.stop();
  }
}

it('everything converges to its spec within its limits, and then causes no writes', async () => {
  const comesToRest = (todo: readonly Step[]): Promise<void> =>
    inWorld(async (world) => {
      for (const step of todo) await world.take(step);
      await world.comeToRest();
      expect(await problemsOf(world.cluster)).toEqual([]);
      expect(world.limits.violations).toEqual([]);
      expect(await world.writesIn(hour)).toEqual([]);
    });
  // Shrinking a failure takes long, and the sequences are short enough to be read.
  await fc.assert(fc.asyncProperty(steps, comesToRest), { numRuns: isLong ? 300 : 6, endOnFailure: true });
}, 3_600_000);

it('the checks detect problems', () =>
  inWorld(async (world) => {
    const { clients } = world.cluster;
    await world.take({ do: 'create ReplicaSet', in: 'one', n: 2, pause: 'settle' });
    // The pods have not been made ready yet.
    const problems = await problemsOf(world.cluster);
    expect(problems).toContain('ReplicaSet one/set: ready is 0, not 2');
    expect(problems).toContain('ReplicaSet one/set: availableReplicas is 0, not 2');
    expect(world.limits.violations).toEqual([]);
    await clients.core.v1.pods('one').create({
      metadata: { name: 'more', labels: { app: 'set' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await world.cluster.settle();
    expect(world.limits.violations).toEqual(['3 active pods of one/set, of at most 2']);
  }));
