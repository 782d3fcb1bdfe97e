import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from './real-node.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of static pods. ${problem}`);

describe.skipIf(problem)('a static pod', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.3.0/24');
  });
  afterAll(() => node?.close());

  const manifest = (name: string): string => join(node.manifests, `${name}.json`);
  const write = (name: string, script: string) =>
    writeFile(
      manifest(name),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { terminationGracePeriodSeconds: 1, containers: [shell('main', script)] },
      }),
    );
  const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';
  const containerOf = (pod: Pod | undefined): string | undefined => pod?.status?.containerStatuses?.[0]?.containerID;

  it('runs while its manifest exists, and has a mirror pod', async () => {
    await write('shown', 'exec sleep 1000');
    const mirror = await node.until('shown-real', isRunning);
    expect(mirror?.metadata.annotations).toMatchObject({ 'kubernetes.io/config.source': 'file' });
    expect(mirror?.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'real' }]);

    await rm(manifest('shown'));
    await node.until('shown-real', (pod) => pod === undefined);
    await node.untilNothingIsLeft();
  });

  it('keeps running when its mirror pod is deleted, which is created again', async () => {
    await write('kept', 'exec sleep 1000');
    const before = await node.until('kept-real', isRunning);
    await node.clients.core.v1.pods('default').delete('kept-real', { gracePeriodSeconds: 0 });
    const after = await node.until('kept-real', (pod) => isRunning(pod) && pod?.metadata.uid !== before?.metadata.uid);
    expect(containerOf(after)).toBe(containerOf(before));
    await rm(manifest('kept'));
    await node.untilNothingIsLeft();
  });

  it('is replaced when its manifest changes', async () => {
    await write('changed', 'exec sleep 1000');
    const before = await node.until('changed-real', isRunning);
    await write('changed', 'exec sleep 2000');
    const after = await node.until('changed-real', (pod) => isRunning(pod) && containerOf(pod) !== containerOf(before));
    expect(after?.spec?.containers[0]?.command?.[2]).toBe('exec sleep 2000');
    await rm(manifest('changed'));
    await node.untilNothingIsLeft();
  });

  it('that is invalid, or refers to API objects, causes a log message', async () => {
    await writeFile(
      manifest('bad'),
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bad"},"spec":{"containers":[]}}',
    );
    const spec = { serviceAccountName: 'someone', containers: [shell('main', 'true')] };
    await writeFile(
      manifest('served'),
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'served' }, spec }),
    );
    await node.untilLogged('spec.containers: Required value');
    await node.untilLogged('static pods may not reference serviceaccounts');
    await rm(manifest('bad'));
    await rm(manifest('served'));
  });
});
