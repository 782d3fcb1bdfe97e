import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod, PodSpec } from '@coxswain/api/core/v1';
import { connectRuntime } from '@coxswain/cri';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PrivateRegistry, startPrivateRegistry } from './private-registry.ts';
import { RealNode, shell } from './real-node.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of image pulls by a real containerd. ${problem}`);

const password = 'hush-hush';
const hasSucceeded = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Succeeded';
const waitsFor = (reason: string) => (pod: Pod | undefined) =>
  pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason === reason;

describe.skipIf(problem)('a private image', () => {
  let node: RealNode;
  let registry: PrivateRegistry;
  beforeAll(async () => {
    registry = await startPrivateRegistry('team', password);
    node = await RealNode.start('10.213.77.0/24');
    const auth = Buffer.from(`team:${password}`).toString('base64');
    const auths = { [registry.host]: { auth } };
    await node.clients.core.v1.secrets('default').create({
      metadata: { name: 'key' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
    });
  });
  afterAll(async () => {
    await node?.close();
    await registry?.close();
  });
  afterEach(async () => {
    const pods = node.clients.core.v1.pods('default');
    const { items } = await pods.list();
    await Promise.all(items.map(({ metadata }) => pods.delete(metadata.name!, { gracePeriodSeconds: 0 })));
    await node.untilNothingIsLeft();
  });

  const create = (name: string, change: Partial<PodSpec>, pullPolicy: 'IfNotPresent' | 'Never' = 'IfNotPresent') =>
    node.create(name, {
      restartPolicy: 'Never',
      containers: [
        { ...shell('main', 'echo pulled'), image: `${registry.host}/team/web:1`, imagePullPolicy: pullPolicy },
      ],
      ...change,
    });
  const requestsOfTeam = () => registry.requests.filter((request) => request.endsWith('by team'));
  const withKey = { imagePullSecrets: [{ name: 'key' }] };

  it('is pulled with the secret of a pod, and only for pods that have it', async () => {
    await create('nobody', {});
    await node.until('nobody', waitsFor('ErrImagePull'));
    expect(registry.requests.every((request) => request.endsWith('by nobody'))).toBe(true);

    await create('owner', withKey);
    await node.until('owner', hasSucceeded);
    expect(await node.logs('owner')).toBe('pulled\n');
    expect(registry.requests.at(-1)).toMatch(/ team\/web .* by team$/);
    const seen = requestsOfTeam();

    await create('other', withKey);
    await node.until('other', hasSucceeded);
    expect(requestsOfTeam()).toEqual(seen);

    // It is on the node now, and still not for everybody.
    await create('thief', {});
    await node.until('thief', waitsFor('ErrImagePull'));
    expect(registry.requests.at(-1)).toMatch(/by nobody$/);
    await create('patient-thief', {}, 'Never');
    await node.until('patient-thief', waitsFor('ErrImageNeverPull'));

    await node.stopKubelet();
    await node.startKubelet();
    await create('later', withKey, 'Never');
    await node.until('later', hasSucceeded);
    expect(requestsOfTeam()).toEqual(seen);

    const records = await readdir(join(node.directory, 'kubelet', 'image_manager', 'pulled'));
    expect(records.length).toBeGreaterThan(0);
    const told = [...node.log, ...(await node.events('owner')), ...(await node.events('thief'))].join();
    expect(told).toContain('Successfully pulled image');
    expect(told).not.toContain(password);
  });
});

describe.skipIf(problem)('containers of a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.78.0/24');
  });
  afterAll(() => node?.close());

  it('find services by variables', async () => {
    const { services } = node.clients.core.v1;
    const { spec } = await services('default').create({
      metadata: { name: 'my-web' },
      spec: { ports: [{ port: 80 }] },
    });
    const address = `${spec?.clusterIP}:80`;
    const main = {
      ...shell('main', 'echo $URL; echo $MY_WEB_PORT; env | grep -c ^KUBERNETES_SERVICE_HOST='),
      env: [{ name: 'URL', value: 'http://$(MY_WEB_SERVICE_HOST):$(MY_WEB_SERVICE_PORT)/' }],
    };
    await node.create('linked', { restartPolicy: 'Never', containers: [main] });
    await node.until('linked', hasSucceeded);
    expect(await node.logs('linked')).toBe(`http://${address}/\ntcp://${address}\n1\n`);
    await node.create('unlinked', { restartPolicy: 'Never', enableServiceLinks: false, containers: [main] });
    await node.until('unlinked', (pod) => hasSucceeded(pod) || pod?.status?.phase === 'Failed');
    expect(await node.logs('unlinked')).toBe('http://$(MY_WEB_SERVICE_HOST):$(MY_WEB_SERVICE_PORT)/\n\n1\n');
  });

  it('get variables of files that init containers have written, and of no others', async () => {
    const mounts = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] };
    const pod = (script: string): Partial<PodSpec> => ({
      restartPolicy: 'Never',
      initContainers: [{ ...shell('init', script), ...mounts }],
      containers: [
        {
          ...shell('main', 'echo $COLOR'),
          env: [{ name: 'COLOR', valueFrom: { fileKeyRef: { volumeName: 'shared', path: 'env', key: 'COLOR' } } }],
        },
      ],
      volumes: [{ name: 'shared', emptyDir: {} }],
    });
    await node.create('good', pod(`echo "COLOR='blue'" > /shared/env`));
    await node.until('good', hasSucceeded);
    expect(await node.logs('good')).toBe('blue\n');
    await node.create('bad', pod('ln -s /etc/passwd /shared/env'));
    await node.until('bad', waitsFor('CreateContainerConfigError'));
  });

  it('do not run as root of the node where they ask for users of their own', async () => {
    await node.create('users', { hostUsers: false, containers: [shell('main', 'exec sleep 1000')] });
    const message = "can't set `spec.hostUsers: false`, runtime does not support user namespaces";
    const event = `Warning FailedCreatePodSandBox: Failed to create pod sandbox: ${message}`;
    await vi.waitFor(async () => expect(await node.events('users')).toContain(event), { timeout: 10_000 });
  });

  it('go on counting their starts when the runtime has forgotten them', async () => {
    await node.create('counted', { containers: [shell('main', 'echo run; exec sleep 1000')] });
    const pod = await node.until('counted', (seen) => seen?.status?.phase === 'Running');
    const uid = pod!.metadata.uid!;
    await node.stopKubelet();
    const { runtime, close } = await connectRuntime(node.containerd.endpoint);
    const { items } = await runtime.listPodSandbox({
      filter: { labelSelector: { 'io.kubernetes.pod.uid': uid } },
    });
    for (const { id: podSandboxId } of items) {
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
    }
    close();
    await node.startKubelet();
    const after = await node.until('counted', (seen) => {
      const { restartCount = 0, state } = seen?.status?.containerStatuses?.[0] ?? {};
      return restartCount > 0 && state?.running !== undefined;
    });
    expect(after?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect((await readdir(join(node.directory, 'logs', `default_counted_${uid}`, 'main'))).sort()).toEqual([
      '0.log',
      '1.log',
    ]);
  });
});
