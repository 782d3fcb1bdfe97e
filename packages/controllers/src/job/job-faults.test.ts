import { newConflict, newForbidden, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { jobController } from './index.ts';
import { conditionsOf, failedWith, JobScenario } from './job-scenario.test-data.ts';

let cluster: TestCluster;
let scenario: JobScenario;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [jobController] });
  scenario = new JobScenario(cluster);
});
afterEach(() => cluster.stop());

describe('a Job with failures', () => {
  const jobs = GroupResource.of('batch', 'jobs');

  it('does not count a pod twice when status updates fail', async () => {
    await scenario.create({ completions: 2, parallelism: 2 });
    let failures = 2;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PUT' && url.endsWith('/status') && failures-- > 0)
        throw newConflict(jobs, 'pi', new Error('changed'));
    };
    const [first] = await scenario.activePods();
    await scenario.succeed(first!);
    expect((await scenario.job()).status?.succeeded).toBeUndefined();
    await cluster.advance(4000, 1000);
    expect((await scenario.job()).status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
  });

  it('counts pods whose finalizer was removed, and the others later', async () => {
    await scenario.create({ completions: 3, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    let isBroken = true;
    cluster.spy.plan = ({ method, url }) => {
      if (isBroken && method === 'PATCH' && url.endsWith(first!.metadata.name!))
        throw newInternalError(new Error('broken'));
    };
    await scenario.succeed(first!, second!);
    expect((await scenario.job()).status).toMatchObject({
      succeeded: 1,
      uncountedTerminatedPods: { succeeded: [first!.metadata.uid] },
    });
    isBroken = false;
    await cluster.advance(4000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 2, uncountedTerminatedPods: {} });
  });

  it('is completed by a new controller after an interruption at any step', async () => {
    for (const [i, part] of ['jobs', 'pods/', 'jobs'].entries()) {
      const name = `pi-${i}`;
      await scenario.create({ backoffLimit: 0 }, name);
      await scenario.setStatus((await scenario.activePods())[0]!, { phase: 'Failed' });
      let writes = 0;
      cluster.spy.plan = ({ method, url }) => {
        if (method === 'GET' || !/\/(jobs|pods)\//.test(url)) return;
        if (writes++ === i) expect(url).toContain(part);
        if (writes > i) throw newInternalError(new Error('killed'));
      };
      await scenario.tick();
      await cluster.stopControllers();
      cluster.spy.plan = () => {};
      cluster.startControllers();
      await scenario.tick();
      const message = 'Job has reached the specified backoff limit';
      expect(conditionsOf(await scenario.job(name))).toEqual(failedWith('BackoffLimitExceeded', message));
      expect((await scenario.job(name)).status).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
    }
  });

  it('reports that pods cannot be created, and stops after the first attempt', async () => {
    const pods = GroupResource.of('', 'pods');
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods')) throw newForbidden(pods, '', new Error('exceeded quota'));
    };
    const writes = await scenario.writesOf(() => scenario.create({ completions: 8, parallelism: 8 }));
    expect(writes.filter((write) => write.startsWith('POST'))).toHaveLength(1);
    expect((await scenario.job()).status?.active).toBeUndefined();
    expect(await scenario.events()).toEqual([
      'Warning FailedCreate Job/pi: Error creating: pods is forbidden: exceeded quota',
    ]);
    cluster.spy.plan = () => {};
    await cluster.advance(1000);
    expect((await scenario.job()).status).toMatchObject({ active: 8 });
    expect(await scenario.pods()).toHaveLength(8);
  });

  it('creates and counts no pods twice while the pod cache is stale', async () => {
    let openGate = (): void => {};
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'GET' && /\/pods\?.*watch=/.test(url)) return gate;
    };
    // The current watch ends in this time, and the next one cannot start.
    await cluster.advance(11 * 60_000, 60_000);
    const writes = await scenario.writesOf(async () => {
      await scenario.create({ completions: 4, parallelism: 2 });
      await scenario.succeed((await scenario.activePods())[0]!);
      // Longer than expectations last.
      await cluster.advance(6 * 60_000, 30_000);
    });
    expect(writes).toEqual(['POST pods', 'POST pods', 'PUT jobs/pi/status']);
    openGate();
    await cluster.advance(3000, 1000);
    expect((await scenario.job()).status).toMatchObject({ active: 2, succeeded: 1 });
    expect(await scenario.pods()).toHaveLength(3);
  });

  it('creates no pods twice after repeated restarts', async () => {
    await scenario.create({ completions: 4, parallelism: 2 });
    for (let i = 0; i < 3; i++) {
      await scenario.succeed((await scenario.activePods())[0]!);
      await cluster.stopControllers();
      cluster.startControllers();
      await cluster.settle();
    }
    await scenario.tick();
    expect(await scenario.pods()).toHaveLength(4);
    expect((await scenario.job()).status).toMatchObject({ active: 1, succeeded: 3 });
  });
});

it('every pod is counted once after random actions', async () => {
  const action = fc.constantFrom('succeed', 'fail', 'remove', 'wait', 'restart', 'break', 'mend');
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
      const name = `run-${runs++}`;
      await scenario.create({ completions: 4, parallelism: 2, backoffLimit: 100 }, name);
      const ended = { succeed: 0, fail: 0, remove: 0 };
      for (const one of [...actions, 'mend']) {
        const [pod] = await scenario.activePods();
        if (one === 'break') {
          let writes = 0;
          cluster.spy.plan = ({ method }) => {
            if (method !== 'GET' && writes++ % 2 === 0) throw newInternalError(new Error('broken'));
          };
        } else if (one === 'mend') cluster.spy.plan = () => {};
        else if (one === 'restart') {
          await cluster.stopControllers();
          cluster.startControllers();
        } else if (one === 'wait') await cluster.advance(60_000, 5000);
        else if (pod && (one === 'succeed' || one === 'fail' || one === 'remove')) {
          ended[one]++;
          await scenario[one](pod);
        }
        await cluster.settle();
      }
      await cluster.advance(700_000, 100_000);
      const { status } = await scenario.job(name);
      const { succeeded = 0, failed = 0, active = 0 } = status ?? {};
      expect([succeeded, failed]).toEqual([ended.succeed, ended.fail + ended.remove]);
      expect(active).toBe(Math.min(2, 4 - succeeded));
      expect(await scenario.activePods()).toHaveLength(active);
      expect(await scenario.pods()).toHaveLength(succeeded + ended.fail + active);
      expect(status?.conditions !== undefined).toBe(succeeded === 4);
      expect(await scenario.writesOf(() => cluster.advance(60_000, 30_000))).toEqual([]);
      await scenario.jobs.delete(name, { propagationPolicy: 'Background' });
      await cluster.settle();
      await cluster.clients.core.v1.pods('default').deleteCollection({ gracePeriodSeconds: 0 });
      await cluster.settle();
    }),
    { numRuns: 10 },
  );
});
