import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { recordLogs } from '@coxswain/apimachinery/log';
import { connectRuntime } from '@coxswain/cri';
import { busyboxImage, type Containerd, containerdProblem, startContainerd } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, CombinedNodeProvider, HollowNodeProvider, RealNodeProvider, removeRealNode } from '../src/index.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of clusters with a real node. ${problem}`);

const taint = { key: 'hollow.coxswain.dev/node', effect: 'NoSchedule' } as const;

describe.skipIf(problem)('a cluster with a real node', () => {
  let directory: string;
  let containerd: Containerd;
  let cluster: Cluster;
  const logs = recordLogs();
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cox-cluster-'));
    containerd = await startContainerd({ directory: join(directory, 'containerd'), podCIDR: '10.213.15.0/24' });
    const real = new RealNodeProvider({
      runtime: containerd.endpoint,
      directory: join(directory, 'node'),
      owner: 'test-one',
      name: 'real',
    });
    const hollow = new HollowNodeProvider([{ name: 'hollow-0', taints: [taint] }]);
    cluster = await Cluster.start({ nodes: new CombinedNodeProvider([real, hollow]), logger: logs.logger });
    await cluster.whenReady(AbortSignal.timeout(50_000)).catch((error: unknown) => {
      throw new Error(logs.lines.join('\n'), { cause: error });
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    if (containerd) {
      await removeRealNode({ runtime: containerd.endpoint, owner: 'test-one', directory: join(directory, 'node') });
      await containerd.close();
    }
    await rm(directory, { recursive: true, force: true });
  });

  const until = async <T>(get: () => Promise<T>, condition: (value: T) => boolean): Promise<T> => {
    for (let tries = 0; tries < 400; tries++) {
      const value = await get();
      if (condition(value)) return value;
      await delay(50);
    }
    throw new Error(`${JSON.stringify(await get(), undefined, 1)}\n${logs.lines.join('\n')}`);
  };
  const container = (script: string) => ({
    name: 'main',
    image: busyboxImage,
    imagePullPolicy: 'IfNotPresent' as const,
    command: ['/bin/sh', '-c', script],
  });

  it('runs the pods of a Deployment there, and none by chance on hollow nodes', async () => {
    const { apps, core } = cluster.clients;
    const labels = { app: 'web' };
    const spec = { terminationGracePeriodSeconds: 1, containers: [container('exec sleep 1000')] };
    await apps.v1.deployments('default').create({
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await until(
      () => apps.v1.deployments('default').get('web'),
      ({ status }) => status?.availableReplicas === 3,
    );
    const { items } = await core.v1.pods('default').list({ labelSelector: 'app=web' });
    expect(items.map((pod) => pod.spec?.nodeName)).toEqual(['real', 'real', 'real']);
    expect(new Set(items.map((pod) => pod.status?.podIP)).size).toBe(3);
    await apps.v1.deployments('default').delete('web', { propagationPolicy: 'Foreground' });
    await until(
      () => core.v1.pods('default').list({ labelSelector: 'app=web' }),
      (list) => list.items.length === 0,
    );
  });

  it('shows what its containers print, by the API server', async () => {
    const pods = cluster.clients.core.v1.pods('default');
    await pods.create({
      metadata: { name: 'says' },
      spec: { nodeName: 'real', restartPolicy: 'Never', containers: [container('echo hello')] },
    });
    await until(
      () => pods.get('says'),
      ({ status }) => status?.phase === 'Succeeded',
    );
    // The runtime may write the log after it has reported the end of the container.
    const log = async () => Buffer.from(await (await pods.getLogs('says')).bytes()).toString();
    await expect.poll(log, { timeout: 5000 }).toBe('hello\n');
    await pods.delete('says');
  });

  it('has volumes of its default class on its disk, and removes them', async () => {
    const { core } = cluster.clients;
    await core.v1.persistentVolumeClaims('default').create({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
    const main = { ...container('echo kept > /data/file'), volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    await core.v1.pods('default').create({
      metadata: { name: 'writes' },
      spec: {
        restartPolicy: 'Never',
        containers: [main],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    await until(
      () => core.v1.pods('default').get('writes'),
      ({ status }) => status?.phase === 'Succeeded',
    );
    const claim = await core.v1.persistentVolumeClaims('default').get('data');
    const volume = await core.v1.persistentVolumes().get(claim.spec!.volumeName!);
    const path = volume.spec!.hostPath!.path;
    await access(join(path, 'file'));
    await core.v1.pods('default').delete('writes');
    await core.v1.persistentVolumeClaims('default').delete('data');
    await until(
      () =>
        access(path).then(
          () => true,
          () => false,
        ),
      (exists) => !exists,
    );
  });

  it('leaves the pods of others in the same runtime alone', async () => {
    const { runtime, close } = await connectRuntime(containerd.endpoint);
    const metadata = { name: 'other', namespace: 'default', uid: 'not-ours', attempt: 0 };
    const labels = { 'io.kubernetes.pod.uid': 'not-ours' };
    const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, labels } });
    await cluster.stopComponent('nodes');
    cluster.startComponent('nodes');
    // The Node object still says that the node is ready.
    await cluster.whenReady(AbortSignal.timeout(30_000));
    expect(cluster.nodes.dialer('real')).toBeDefined();
    await cluster.clients.core.v1.pods('default').create({
      metadata: { name: 'after' },
      spec: { nodeName: 'real', restartPolicy: 'Never', containers: [container('true')] },
    });
    await until(
      () => cluster.clients.core.v1.pods('default').get('after'),
      ({ status }) => status?.phase === 'Succeeded',
    );
    expect((await runtime.podSandboxStatus({ podSandboxId })).status?.state).toBe('SANDBOX_READY');
    await runtime.stopPodSandbox({ podSandboxId });
    await runtime.removePodSandbox({ podSandboxId });
    close();
  });
});
