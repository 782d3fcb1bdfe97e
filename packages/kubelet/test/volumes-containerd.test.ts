import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { containerdProblem } from '@coxswain/cri/testing';
import { readMountInfo } from '@coxswain/linux';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from './real-node.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of volumes in containers. ${problem}`);

describe.skipIf(problem)('containers of a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.7.0/24');
    const { configMaps, secrets, serviceAccounts } = node.clients.core.v1;
    await configMaps('default').create({ metadata: { name: 'settings' }, data: { 'a.conf': 'from a ConfigMap' } });
    await secrets('default').create({ metadata: { name: 'password' }, stringData: { word: 'from a Secret' } });
    await serviceAccounts('default').create({ metadata: { name: 'robot' } });
  });
  afterAll(() => node?.close());

  const leftovers = async (): Promise<unknown> => [
    await readdir(join(node.directory, 'kubelet', 'pods')),
    (await readMountInfo()).filter(({ mountPoint }) => mountPoint.startsWith(join(node.directory, 'kubelet'))),
  ];

  it('see the volumes of their pod, also after a restart of the kubelet, and leave no mounts behind', async () => {
    const script = `
      set -e
      cat /config/a.conf; echo; cat /part/file; echo; cat /secret/word; echo; cat /info/labels; echo
      [ $(cut -d . -f 1 /token/token) ] && echo token
      touch /secret/x 2>/dev/null || echo read-only
      echo kept > /disk/data/file; grep -c ' /memory tmpfs ' /proc/mounts; id -G
      exec sleep 1000`;
    const volumes = [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'secret', secret: { secretName: 'password', defaultMode: 0o440 } },
      { name: 'info', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.uid' } }] } },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'disk', emptyDir: {} },
    ];
    const volumeMounts = [
      ...volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
      { name: 'config', mountPath: '/part/file', subPath: 'a.conf' },
      { name: 'disk', mountPath: '/disk/data', subPath: 'data' },
    ];
    const pod = await node.create('volumes', {
      serviceAccountName: 'robot',
      securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000 },
      volumes,
      containers: [{ ...shell('main', script), volumeMounts }],
    });
    const started = await node.until('volumes', (each) => each?.status?.containerStatuses?.[0]?.started === true);
    await expect
      .poll(() => node.logs('volumes'), { timeout: 10_000 })
      .toBe(`from a ConfigMap\nfrom a ConfigMap\nfrom a Secret\n${pod.metadata.uid}\ntoken\nread-only\n1\n1000 2000\n`);
    await node.stopKubelet();
    await node.startKubelet();
    await node.clients.core.v1.pods('default').patch('volumes', 'merge', { metadata: { annotations: { a: 'b' } } });
    const again = await node.until('volumes', (each) => each?.status?.phase === 'Running');
    expect(again?.status?.containerStatuses?.[0]?.containerID).toBe(
      started?.status?.containerStatuses?.[0]?.containerID,
    );
    await node.clients.core.v1.pods('default').delete('volumes');
    await node.until('volumes', (each) => each === undefined);
    await node.untilNothingIsLeft();
    await expect.poll(leftovers, { timeout: 10_000 }).toEqual([[], []]);
  });

  it('wait until the objects exist that their volumes refer to', async () => {
    const volumes = [{ name: 'late', configMap: { name: 'late' } }];
    const containers = [{ ...shell('main', 'exec sleep 1000'), volumeMounts: [{ name: 'late', mountPath: '/late' }] }];
    await node.create('waits', { volumes, containers });
    const message = 'Warning FailedMount: MountVolume.SetUp failed for volume "late" : configmap "late" not found';
    await expect.poll(() => node.events('waits'), { timeout: 10_000 }).toContain(message);
    await node.clients.core.v1.configMaps('default').create({ metadata: { name: 'late' }, data: {} });
    await node.until('waits', (each) => each?.status?.phase === 'Running');
    await node.clients.core.v1.pods('default').delete('waits');
    await node.until('waits', (each) => each === undefined);
    await expect.poll(leftovers, { timeout: 10_000 }).toEqual([[], []]);
  });
});
