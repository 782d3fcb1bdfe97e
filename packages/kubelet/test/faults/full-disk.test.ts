import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountPointsBelow, RealNode, readinessOf, shell } from '../real-node.ts';
import { leftovers } from './leftovers.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of a full disk. ${problem}`);

const run = promisify(execFile);
const stateOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];
const isReady = (pod: Pod | undefined): boolean => stateOf(pod)?.ready ?? false;
const isGone = (pod: Pod | undefined): boolean => pod === undefined;
const forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done";

describe.skipIf(problem)('a node whose disk is full', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.13.0/24', {
      async prepare(directory) {
        await mkdir(join(directory, 'kubelet'));
        await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', join(directory, 'kubelet')]);
      },
    });
  });
  afterAll(() => node?.close());

  const filling = () => join(node.directory, 'kubelet', 'filling');
  const fill = async (): Promise<void> => {
    const file = await open(filling(), 'w');
    try {
      for (;;) await file.write(Buffer.alloc(4096));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      await file.close();
    }
  };

  it('says why pods wait, ends others, and starts those that wait when there is room', {
    timeout: 150_000,
  }, async () => {
    await node.clients.core.v1.configMaps('default').create({ metadata: { name: 'settings' }, data: { a: 'b' } });
    const volumes = [{ name: 'settings', configMap: { name: 'settings' } }];
    const volumeMounts = [{ name: 'settings', mountPath: '/settings' }];
    const containers = [{ ...shell('main', forever), volumeMounts }];
    await node.create('kept', { containers, volumes });
    await node.create('going', { containers, volumes });
    const before = await node.until('kept', isReady);
    await node.until('going', isReady);

    await fill();
    await node.create('waits', { containers, volumes });
    const events = async () =>
      (await node.events('waits')).filter((event) => event.includes('no space left on device'));
    await expect.poll(events, { timeout: 20_000 }).not.toEqual([]);
    await node.clients.core.v1.pods('default').delete('going');
    await node.until('going', isGone);
    expect((await node.clients.core.v1.pods('default').get('kept')).status).toEqual(before?.status);
    await node.untilNode((found) => readinessOf(found)?.status === 'True');

    await rm(filling());
    await node.until('waits', isReady, 60_000);
    for (const name of ['kept', 'waits']) {
      await node.clients.core.v1.pods('default').delete(name);
      await node.until(name, isGone);
    }
    await expect.poll(() => leftovers(node), { timeout: 20_000 }).toEqual([]);
    expect(await mountPointsBelow(join(node.directory, 'kubelet'))).toEqual([]);
  });
});
