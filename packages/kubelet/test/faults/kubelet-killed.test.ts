import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PrivateRegistry, startPrivateRegistry } from '../private-registry.ts';
import { RealNode, shell } from '../real-node.ts';
import { KubeletProcesses } from './kubelet-process.ts';
import { leftovers } from './leftovers.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of kubelets that are killed. ${problem}`);

/** Steps at which a kubelet is killed. With COXSWAIN_LONG all of them are tried, otherwise some. */
const isLong = process.env.COXSWAIN_LONG !== undefined;
const some = (steps: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(steps).filter((step) => isLong || steps[step]);
const startSteps = some({
  'before preparePod': false,
  'after preparePod': false,
  'during mountVolumes': false,
  'after mountVolumes': true,
  'during runPodSandbox': true,
  'after runPodSandbox': false,
  'during pullImage': true,
  'after pullImage': false,
  'after prepareContainer': false,
  'during createContainer': false,
  'after createContainer': true,
  'during startContainer': false,
  'after startContainer': true,
});
const endSteps = some({
  'during stopContainer': true,
  'after stopContainer': false,
  'during stopPodSandbox': false,
  'after stopPodSandbox': false,
  'during releasePod': true,
  'after releasePod': false,
  'during removePodSandbox': true,
  'after removePodSandbox': false,
  'before removePod': true,
  'during removePod': true,
  'after removePod': false,
});
/** A container that is created, but never started, counts as a run. */
const mayCount = ['during createContainer', 'after createContainer', 'during startContainer'];

const stateOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];
const isReady = (pod: Pod | undefined): boolean => stateOf(pod)?.ready ?? false;
const isGone = (pod: Pod | undefined): boolean => pod === undefined;

describe.skipIf(problem)('a kubelet that is killed', () => {
  let node: RealNode;
  let registry: PrivateRegistry;
  let kubelets: KubeletProcesses;
  beforeAll(async () => {
    registry = await startPrivateRegistry('team', 'word');
    node = await RealNode.start('10.213.10.0/24', { kubeletElsewhere: true });
    kubelets = await KubeletProcesses.prepare(node);
    await mkdir(join(node.directory, 'runs'));
    const { secrets, configMaps } = node.clients.core.v1;
    const auth = Buffer.from('team:word').toString('base64');
    await secrets('default').create({
      metadata: { name: 'key' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [registry.host]: { auth } } }) },
    });
    await configMaps('default').create({ metadata: { name: 'settings' }, data: { color: 'blue' } });
    await kubelets.start();
  });
  afterAll(async () => {
    await kubelets?.kill();
    await node?.close();
    await registry?.close();
  });
  afterEach(async () => {
    const { items } = await pods().list();
    for (const { metadata } of items) await pods().delete(metadata.name!, { gracePeriodSeconds: 0 });
    await expect.poll(() => leftovers(node), { timeout: 40_000 }).toEqual([]);
  });

  const pods = () => node.clients.core.v1.pods('default');
  const untilMs = 40_000;
  const forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done";

  /** Creates a pod with volumes, whose image is pulled with a login, and which notes each run of its container. */
  const create = async (name: string, script = forever, restartPolicy: 'Always' | 'Never' = 'Always') => {
    await writeFile(join(node.directory, 'runs', name), '');
    const main = {
      ...shell('main', `cat /settings/color > /memory/color; echo run >> /runs/${name}; ${script}`),
      image: `${registry.host}/team/web:1`,
      imagePullPolicy: 'Always' as const,
      volumeMounts: ['runs', 'memory', 'settings'].map((volume) => ({ name: volume, mountPath: `/${volume}` })),
    };
    return await node.create(name, {
      restartPolicy,
      containers: [main],
      imagePullSecrets: [{ name: 'key' }],
      volumes: [
        { name: 'runs', hostPath: { path: join(node.directory, 'runs') } },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
        { name: 'settings', configMap: { name: 'settings' } },
      ],
    });
  };
  const until = (name: string, condition: (pod: Pod | undefined) => boolean) =>
    node.until(name, condition, untilMs).catch((error: unknown) => {
      throw new Error(kubelets.log, { cause: error });
    });
  const runsOf = async (name: string): Promise<number> =>
    (await readFile(join(node.directory, 'runs', name), 'utf8')).split('\n').length - 1;

  it.each(startSteps)('%s is followed by one that starts the pod, once', async (step) => {
    const name = step.replace(' ', '-').toLowerCase();
    const { dead } = await kubelets.killAt(step);
    await create(name);
    await dead;
    await kubelets.start();
    const ready = await until(name, isReady);
    await expect.poll(() => runsOf(name)).toBe(1);
    expect(ready?.status?.phase).toBe('Running');
    expect(mayCount.includes(step) ? 0 : stateOf(ready)?.restartCount).toBe(0);
    await pods().delete(name);
    await until(name, isGone);
    expect(await runsOf(name)).toBe(1);
  });

  it.each(endSteps)('%s is followed by one that ends the pod, and leaves nothing behind', async (step) => {
    const name = step.replace(' ', '-').toLowerCase();
    await create(name);
    await until(name, isReady);
    const { dead } = await kubelets.killAt(step);
    await pods().delete(name);
    await dead;
    await kubelets.start();
    await until(name, isGone);
    expect(await runsOf(name)).toBe(1);
  });

  it('while pods run is followed by one that restarts none, and reports what has happened meanwhile', async () => {
    await create('kept');
    await create('fails', 'while [ ! -e /runs/fail ]; do sleep 0.1; done; exit 3', 'Never');
    await create('deleted');
    await create('forced');
    const before = await until('kept', isReady);
    for (const name of ['fails', 'deleted', 'forced']) await until(name, isReady);
    await kubelets.kill();
    await writeFile(join(node.directory, 'runs', 'fail'), '');
    await pods().delete('deleted');
    await pods().delete('forced', { gracePeriodSeconds: 0 });
    await create('new');
    await kubelets.start();
    const failed = await until('fails', (pod) => pod?.status?.phase === 'Failed');
    expect(stateOf(failed)?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    await until('deleted', isGone);
    await until('new', isReady);
    expect((await pods().get('kept')).status).toEqual(before?.status);
    expect(await runsOf('kept')).toBe(1);
    const events = await node.events('kept');
    expect(events.filter((event) => event.includes('Started'))).toHaveLength(1);
  });
});
