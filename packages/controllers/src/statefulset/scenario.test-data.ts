import type { ControllerRevision, StatefulSet, StatefulSetSpec, StatefulSetStatus } from '@coxswain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { AppsV1, CoreV1 } from '@coxswain/client';
import { afterEach, beforeEach, expect } from 'vitest';
import { TestCluster, type TestClusterOptions } from '../../test/test-cluster.ts';
import { Pods } from '../replicaset/pods.test-data.ts';
import { statefulSetController } from './index.ts';

export let cluster: TestCluster;
export let pods: Pods;
export async function startCluster(server: TestClusterOptions['server'] = {}): Promise<void> {
  cluster = await TestCluster.start({ controllers: [statefulSetController], server });
  pods = new Pods(cluster);
}

/** Starts a new cluster for each test of the file. */
export function useCluster(): void {
  beforeEach(() => startCluster());
  afterEach(() => cluster.stop());
}

export const sets = (): AppsV1.StatefulSetInterface => cluster.clients.apps.v1.statefulSets('default');
export const podClient = (): CoreV1.PodInterface => cluster.clients.core.v1.pods('default');
export const claimClient = (): CoreV1.PersistentVolumeClaimInterface =>
  cluster.clients.core.v1.persistentVolumeClaims('default');
export const revisionClient = (): AppsV1.ControllerRevisionInterface =>
  cluster.clients.apps.v1.controllerRevisions('default');

export const labels = { app: 'web' };
export const templateOf = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', image }] },
});
export const template = templateOf('web:1');
export const claimTemplate: PersistentVolumeClaim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

/** Creates the StatefulSet `web`. */
export async function create(spec: Partial<StatefulSetSpec> = {}): Promise<StatefulSet> {
  const created = await sets().create({
    metadata: { name: 'web' },
    spec: { replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, template, ...spec },
  });
  await cluster.settle();
  return created;
}

export async function patch(spec: Partial<StatefulSetSpec>): Promise<void> {
  await sets().patch('web', 'merge', { spec });
  await cluster.settle();
}

export const status = async (): Promise<StatefulSetStatus | undefined> => (await sets().get('web')).status;
export const nameOf = ({ metadata }: Pod | PersistentVolumeClaim | ControllerRevision): string => metadata.name!;
export const names = async (): Promise<string[]> => (await pods.staying()).map(nameOf);
export const imageOf = ({ spec }: Pod): string => `${spec!.containers[0]!.image}`;
export const images = async (): Promise<string[]> =>
  (await pods.list()).map((pod) => `${nameOf(pod)} ${imageOf(pod)}${pod.metadata.deletionTimestamp ? ' going' : ''}`);
export const run = async (...of: string[]): Promise<void> =>
  pods.run((await pods.list()).filter((pod) => of.includes(nameOf(pod))));
export const stall = async (...of: string[]): Promise<void> =>
  pods.run(
    (await pods.list()).filter((pod) => of.includes(nameOf(pod))),
    false,
  );
export const claims = async (): Promise<PersistentVolumeClaim[]> => (await claimClient().list()).items;
export const revisions = async (): Promise<ControllerRevision[]> =>
  (await revisionClient().list()).items.sort((a, b) => a.revision - b.revision);
export const written = (method: string, path: RegExp): number =>
  cluster.spy.writes.filter((seen) => seen.method === method && path.test(seen.url)).length;
export const told = async (word: string): Promise<string[]> =>
  (await cluster.events()).filter((event) => event.includes(word));

export async function fail(name: string, phase: 'Failed' | 'Succeeded' = 'Failed'): Promise<void> {
  await podClient().patch(name, 'merge', { status: { phase } }, { subresource: 'status' });
  await cluster.settle();
}

export async function expectIdle(): Promise<void> {
  const before = cluster.spy.writes.length;
  await cluster.advance(3_600_000, 600_000);
  expect(cluster.spy.writes.slice(before)).toEqual([]);
}
