import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { newCgroupName } from '@coxswain/linux';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from '../real-node.ts';
import { leftovers } from './leftovers.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of pods that take all they can get. ${problem}`);

const podPidsLimit = 40;
const logs = { maxSizeBytes: 200_000, maxFiles: 3, maxWorkers: 1, checkEveryMs: 100 };

const stateOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];
const isReady = (pod: Pod | undefined): boolean => stateOf(pod)?.ready ?? false;
const isGone = (pod: Pod | undefined): boolean => pod === undefined;

describe.skipIf(problem)('a pod', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.12.0/24', {
      configure: ({ cgroups, containers, ...others }) => ({
        ...others,
        cgroups: { ...cgroups, podPidsLimit },
        containers: { ...containers, logs },
      }),
    });
    await node.create('neighbour', {
      containers: [
        {
          ...shell('main', "trap 'exit 0' TERM; while :; do sleep 0.1; done"),
          livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 60 },
        },
      ],
    });
    await node.until('neighbour', isReady);
  });
  afterAll(async () => {
    await node?.close();
  });
  /** Ends the pod. What the other one has must be all that is left. */
  afterEach(async () => {
    const { items } = await pods().list();
    const greedy = items.flatMap(({ metadata: { name = '' } }) => (name === 'neighbour' ? [] : [name]));
    for (const name of greedy)
      await pods()
        .delete(name)
        .catch(() => {});
    for (const name of greedy) await node.until(name, isGone);
    const neighbour = await pods().get('neighbour');
    expect(stateOf(neighbour)).toMatchObject({ ready: true, restartCount: 0 });
    const { uid } = neighbour.metadata;
    const id = stateOf(neighbour)?.containerID?.replace('containerd://', '');
    const ofOthers = async () =>
      (await leftovers(node)).filter((each) => !each.includes(uid!) && !each.includes(id!) && !isOfNeighbour(each));
    await expect.poll(ofOthers, { timeout: 20_000 }).toEqual([]);
  });

  const pods = () => node.clients.core.v1.pods('default');
  let neighbours: readonly string[] = [];
  const isOfNeighbour = (each: string): boolean => neighbours.includes(each);
  beforeAll(async () => {
    if (node) neighbours = await leftovers(node);
  });

  it('that forks without bound gets no more processes than its limit', async () => {
    const script = "while :; do sh -c 'while :; do sleep 1000 & done' 2> /dev/null; sleep 0.5; done";
    const { metadata } = await node.create('forks', { containers: [shell('main', script)] });
    const cgroup = newCgroupName(node.cgroupRoot, 'kubepods', 'besteffort', `pod${metadata.uid}`);
    const processes = async () => (await node.cgroups.stats(node.cgroups.path(cgroup))).processes;
    await expect.poll(processes, { timeout: 40_000 }).toBe(podPidsLimit);
    // It can be seen, and others can be started beside it.
    await node.create('other', { restartPolicy: 'Never', containers: [shell('main', 'echo here')] });
    await node.until('other', (pod) => pod?.status?.phase === 'Succeeded');
    expect(await processes()).toBeLessThanOrEqual(podPidsLimit);
  });

  it('that takes more memory than its limit is killed and restarted, and has the reason in its status', async () => {
    const resources = { limits: { memory: '16Mi' } };
    await node.create('eats', { containers: [{ ...shell('main', 'exec tail /dev/zero'), resources }] });
    const killed = await node.until('eats', (pod) => (stateOf(pod)?.restartCount ?? 0) > 0);
    expect(stateOf(killed)?.lastState?.terminated ?? stateOf(killed)?.state?.terminated).toMatchObject({
      reason: 'OOMKilled',
      exitCode: 137,
    });
  });

  it('that fills its log has the last part of it, in few files', async () => {
    const { metadata } = await node.create('talks', {
      containers: [shell('main', 'i=0; while :; do i=$((i+1)); echo $i; done')],
    });
    await node.until('talks', isReady);
    const directory = join(node.directory, 'logs', `default_talks_${metadata.uid}`, 'main');
    const rotated = async () => (await readdir(directory)).filter((name) => name.endsWith('.gz')).length;
    // One file is written to, and at most one is being compressed.
    for (let checks = 0; checks < 10; checks++) {
      await expect.poll(rotated, { timeout: 20_000 }).toBeGreaterThan(0);
      expect((await readdir(directory)).length).toBeLessThanOrEqual(logs.maxFiles + 1);
    }
    const lines = async () => (await node.logs('talks')).trim().split('\n').map(Number);
    // A file is short right after a rotation.
    await expect.poll(async () => (await lines()).length, { timeout: 20_000 }).toBeGreaterThan(100);
    expect((await lines()).findIndex((line, i, all) => i > 0 && line !== all[i - 1]! + 1)).toBe(-1);
  });

  it('that writes more to the disk than its limits allow is evicted', { timeout: 150_000 }, async () => {
    const volumeMounts = [{ name: 'disk', mountPath: '/disk' }];
    await node.create('fills', {
      initContainers: [{ ...shell('first', 'head -c 3000000 /dev/zero > /disk/file'), volumeMounts }],
      containers: [{ ...shell('main', 'exec sleep 1000'), volumeMounts }],
      volumes: [{ name: 'disk', emptyDir: { sizeLimit: '1Mi' } }],
    });
    const resources = { limits: { 'ephemeral-storage': '100Ki' } };
    const script = 'head -c 150000 /dev/zero | tr "\\0" "a" | fold -w 100; exec sleep 1000';
    await node.create('writes', { containers: [{ ...shell('main', script), resources }] });
    const reasons = {
      fills: 'Usage of EmptyDir volume "disk" exceeds the limit "1Mi". ',
      writes: 'Pod ephemeral local storage usage exceeds the total limit of containers 100Ki. ',
    };
    for (const [name, message] of Object.entries(reasons)) {
      // What volumes have in them is measured once a minute.
      const evicted = await node.until(name, (pod) => pod?.status?.phase === 'Failed', 120_000);
      expect(evicted?.status).toMatchObject({ reason: 'Evicted', message });
      await expect.poll(() => node.events(name)).toContain(`Warning Evicted: ${message}`);
    }
  });
});
