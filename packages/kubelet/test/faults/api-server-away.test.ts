import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from '../real-node.ts';
import { ApiOutage } from './api-outage.ts';
import { leftovers } from './leftovers.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of kubelets without an API server. ${problem}`);

/** With COXSWAIN_LONG the API server is away for more than a minute. */
const outageMs = process.env.COXSWAIN_LONG === undefined ? 5000 : 70_000;

const stateOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];
const isReady = (pod: Pod | undefined): boolean => stateOf(pod)?.ready ?? false;
const isGone = (pod: Pod | undefined): boolean => pod === undefined;

describe.skipIf(problem)('without its API server', () => {
  let node: RealNode;
  let outage: ApiOutage;
  beforeAll(async () => {
    node = await RealNode.start('10.213.9.0/24');
    await node.stopKubelet();
  });
  afterAll(() => node?.close());
  afterEach(async () => {
    outage.end();
    const { items } = await pods().list();
    await Promise.all(
      items.map(({ metadata }) =>
        pods()
          .delete(metadata.name!)
          .catch(() => undefined),
      ),
    );
    await expect.poll(() => leftovers(node), { timeout: 60_000 }).toEqual([]);
    await node.stopKubelet();
  });

  const pods = () => node.clients.core.v1.pods('default');
  const start = async (): Promise<void> => {
    outage = new ApiOutage();
    await node.startKubelet(outage);
  };
  const forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done";

  it('a kubelet goes on, and afterwards reports what has happened', { timeout: 300_000 }, async () => {
    await start();
    const alive = { exec: { command: ['cat', '/tmp/alive'] }, periodSeconds: 1, failureThreshold: 1 };
    const flag = join(node.directory, 'flag');
    await writeFile(flag, '');
    await node.create('kept', { containers: [shell('main', forever)] });
    await node.create('ends', { restartPolicy: 'Never', containers: [shell('main', 'sleep 4; echo done; exit 3')] });
    await node.create('fails', {
      containers: [{ ...shell('main', `test -e /tmp/alive || touch /tmp/alive; ${forever}`), livenessProbe: alive }],
    });
    await node.create('unready', {
      containers: [
        {
          ...shell('main', forever),
          readinessProbe: { exec: { command: ['test', '-e', '/flag/flag'] }, periodSeconds: 1, failureThreshold: 1 },
          volumeMounts: [{ name: 'flag', mountPath: '/flag' }],
        },
      ],
      volumes: [{ name: 'flag', hostPath: { path: node.directory } }],
    });
    await node.create('going', { containers: [shell('main', forever)] });
    const before = await node.until('kept', isReady);
    for (const name of ['fails', 'unready', 'going']) await node.until(name, isReady);
    const failing = stateOf(await pods().get('fails'))!.containerID!.replace('containerd://', '');

    outage.begin();
    await node.kubelet.runtime.service.execSync({ containerId: failing, cmd: ['rm', '/tmp/alive'], timeout: 5 });
    await rm(flag);
    await pods().delete('going');
    await node.create('coming', { containers: [shell('main', forever)] });
    await delay(outageMs);
    expect((await pods().get('kept')).status).toEqual(before?.status);
    expect(isReady(await pods().get('unready'))).toBe(true);
    outage.end();

    const untilMs = 60_000;
    const ended = await node.until('ends', (pod) => pod?.status?.phase === 'Failed', untilMs);
    expect(stateOf(ended)?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    const restarted = await node.until('fails', (pod) => (stateOf(pod)?.restartCount ?? 0) > 0, untilMs);
    expect(stateOf(restarted)?.lastState?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    await node.until('unready', (pod) => !isReady(pod), untilMs);
    await node.until('going', isGone, untilMs);
    await node.until('coming', isReady, untilMs);
    expect((await pods().get('kept')).status).toEqual(before?.status);
    expect(stateOf(await pods().get('unready'))?.restartCount).toBe(0);
    // Events of the time without a server are written later.
    await expect
      .poll(() => node.events('fails'), { timeout: untilMs })
      .toContain('Normal Killing: Container main failed liveness probe, will be restarted');
  });

  it('a kubelet that is started leaves the pods alone', { timeout: 300_000 }, async () => {
    await start();
    await node.create('kept', { containers: [shell('main', forever)] });
    const before = await node.until('kept', isReady);
    await node.stopKubelet();
    outage = new ApiOutage();
    outage.begin();
    await node.startKubelet(outage);
    await delay(3000);
    const { items } = await node.kubelet.runtime.service.listPodSandbox({});
    expect(items.map(({ state }) => state)).toEqual(['SANDBOX_READY']);
    outage.end();
    await node.create('coming', { containers: [shell('main', forever)] });
    await node.until('coming', isReady, 60_000);
    expect((await pods().get('kept')).status).toEqual(before?.status);
  });

  it('a kubelet that is started runs its static pods', { timeout: 300_000 }, async () => {
    const path = join(node.manifests, 'static.json');
    const spec = { terminationGracePeriodSeconds: 1, containers: [shell('main', forever)] };
    await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'static' }, spec }));
    outage = new ApiOutage();
    outage.begin();
    await node.startKubelet(outage);
    const containers = async () => (await node.kubelet.runtime.service.listContainers({})).containers;
    await expect
      .poll(async () => (await containers()).map(({ state }) => state), { timeout: 20_000 })
      .toEqual(['CONTAINER_RUNNING']);
    const [before] = await containers();
    outage.end();
    const mirror = await node.until('static-real', isReady, 60_000);
    expect(stateOf(mirror)?.containerID).toBe(`containerd://${before?.id}`);
    await rm(path);
    await node.until('static-real', isGone);
  });
});
