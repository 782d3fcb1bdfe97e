import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod, Probe } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, readinessOf, shell } from '../real-node.ts';
import { leftoversOfKubelet } from './leftovers.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of a container runtime that is killed. ${problem}`);

/** With COXSWAIN_LONG the runtime is away for so long that the node is not ready. */
const isLong = process.env.COXSWAIN_LONG !== undefined;
const outageMs = isLong ? 45_000 : 4000;

const stateOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];
const isReady = (pod: Pod | undefined): boolean => stateOf(pod)?.ready ?? false;
const isGone = (pod: Pod | undefined): boolean => pod === undefined;

describe.skipIf(problem)('a container runtime', { timeout: 300_000 }, () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.11.0/24');
  });
  afterAll(() => node?.close());
  afterEach(async () => {
    const { items } = await pods().list();
    for (const { metadata } of items) await pods().delete(metadata.name!, { gracePeriodSeconds: 0 });
    await expect.poll(() => leftoversOfKubelet(node), { timeout: 60_000 }).toEqual([]);
  });

  const pods = () => node.clients.core.v1.pods('default');
  const untilMs = 60_000;
  const forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done";
  /** Passes, however slow the machine is. */
  const always: Probe = { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 60 };
  const flag = () => join(node.directory, 'flag');
  /** A container that ends when the flag is there. */
  const ending = (code: number) => ({
    containers: [
      {
        ...shell('main', `while [ ! -e /flags/flag ]; do sleep 0.1; done; exit ${code}`),
        volumeMounts: [{ name: 'flags', mountPath: '/flags' }],
      },
    ],
    volumes: [{ name: 'flags', hostPath: { path: node.directory } }],
  });
  const probed = { ...shell('main', forever), livenessProbe: always, readinessProbe: always };

  it('that is killed and started again costs no pod anything', async () => {
    await rm(flag(), { force: true });
    await node.create('kept', { containers: [probed] });
    await node.create('ends', { ...ending(3), restartPolicy: 'Never' });
    await node.create('again', ending(4));
    await node.create('going', { containers: [shell('main', forever)] });
    const before = await node.until('kept', isReady);
    for (const name of ['ends', 'again', 'going']) await node.until(name, isReady);

    await node.containerd.kill();
    await writeFile(flag(), '');
    await pods().delete('going');
    await node.create('coming', { containers: [shell('main', forever)] });
    await delay(outageMs);
    expect((await pods().get('kept')).status).toEqual(before?.status);
    expect((await pods().get('ends')).status?.phase).toBe('Running');
    if (isLong) await node.untilNode((found) => readinessOf(found)?.message === 'container runtime is down');
    await rm(flag());
    await node.containerd.restart();

    const ended = await node.until('ends', (pod) => pod?.status?.phase === 'Failed', untilMs);
    // containerd 2 has lost the exit codes.
    expect([3, 255]).toContain(stateOf(ended)?.state?.terminated?.exitCode);
    const restarted = await node.until('again', (pod) => stateOf(pod)?.restartCount === 1 && isReady(pod), untilMs);
    expect([4, 255]).toContain(stateOf(restarted)?.lastState?.terminated?.exitCode);
    await node.until('going', isGone, untilMs);
    await node.until('coming', isReady, untilMs);
    await node.untilNode((found) => readinessOf(found)?.status === 'True');
    expect((await pods().get('kept')).status).toEqual(before?.status);
    const events = await node.events('kept');
    expect(events.filter((event) => /Killing|probe failed/.test(event))).toEqual([]);
    expect(events.filter((event) => event.startsWith('Normal Started'))).toHaveLength(1);
  });

  it('that answers nothing for a while costs no pod anything', async () => {
    await node.create('kept', { containers: [probed] });
    const before = await node.until('kept', isReady);
    node.containerd.pause();
    await node.create('coming', { containers: [shell('main', forever)] });
    await delay(outageMs);
    expect((await pods().get('kept')).status).toEqual(before?.status);
    if (isLong) await node.untilNode((found) => readinessOf(found)?.message === 'container runtime is down');
    node.containerd.resume();
    await node.until('coming', isReady, untilMs);
    await node.untilNode((found) => readinessOf(found)?.status === 'True');
    expect((await pods().get('kept')).status).toEqual(before?.status);
    expect(stateOf(await pods().get('coming'))?.restartCount).toBe(0);
  });

  it('that is killed while pods are started and stopped leaves none half done', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `pod-${i}`);
    const runs = join(node.directory, 'runs');
    await writeFile(runs, '');
    const volumes = [{ name: 'runs', hostPath: { path: runs, type: 'File' as const } }];
    const mounts = { volumeMounts: [{ name: 'runs', mountPath: '/runs' }] };
    await Promise.all(
      names.map((name) =>
        node.create(name, {
          volumes,
          containers: [{ ...shell('main', `echo ${name} >> /runs; ${forever}`), ...mounts }],
        }),
      ),
    );
    // The first pods run by now, and the last ones have no sandboxes.
    await expect.poll(() => readFile(runs, 'utf8'), { timeout: untilMs, interval: 5 }).not.toBe('');
    await node.containerd.restart();
    for (const name of names) await node.until(name, isReady, untilMs);

    await Promise.all(names.map((name) => pods().delete(name)));
    await node.until(names[0]!, (pod) => pod?.metadata.deletionTimestamp !== undefined || isGone(pod));
    await node.containerd.restart();
    for (const name of names) await node.until(name, isGone, untilMs);
  });

  it('that completes a request which was given up leaves nothing behind', async () => {
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let made: Promise<unknown> = Promise.resolve();
    await node.stopKubelet();
    await node.startKubelet({
      runtime: (connection) => ({
        ...connection,
        runtime: {
          ...connection.runtime,
          async runPodSandbox(request, { signal } = {}) {
            asked();
            const answer = delay(2000).then(() => connection.runtime.runPodSandbox(request));
            made = answer;
            const givenUp = new Promise<never>((_, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
            });
            return await Promise.race([answer, givenUp]);
          },
        },
      }),
    });
    await node.create('gone', { containers: [shell('main', forever)] });
    await isAsked;
    await pods().delete('gone', { gracePeriodSeconds: 0 });
    await made;
    await expect.poll(() => leftoversOfKubelet(node), { timeout: 30_000 }).toEqual([]);
    await node.stopKubelet();
    await node.startKubelet();
  });
});
