import type { Pod } from '@coxswain/api/core/v1';
import { type ClientSet, SharedIndexInformer } from '@coxswain/client';

/** The node of the pods: pods on missing nodes get no endpoints. */
export const nodeName = 'n1';
const labels = (app: string) => ({ matchLabels: { app } });
const podTemplate = (app: string, image: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image }] },
});

/**
 * Simulates the nodes of a cluster as cheaply as possible: new pods run and are ready at once, those of Jobs succeed, and those being
 * deleted are removed.
 */
export async function actAsNodes(clients: ClientSet, namespace: string, signal: AbortSignal): Promise<void> {
  const pods = clients.core.v1.pods(namespace);
  const pending = new Set<Promise<unknown>>();
  const act = async (pod: Pod): Promise<void> => {
    const { name = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp) await pods.delete(name, { gracePeriodSeconds: 0 }).catch(() => {});
    else if (pod.status?.phase === 'Pending') {
      const isJob = pod.metadata.labels?.['job-name'] !== undefined;
      const ready = { type: 'Ready', status: 'True' } as const;
      const status: Pod['status'] = isJob
        ? { phase: 'Succeeded' }
        : { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], conditions: [ready] };
      await pods.patch(name, 'strategic-merge', { status }, { subresource: 'status' }).catch(() => {});
    }
  };
  const begin = async (pod: Pod): Promise<void> => {
    const acting = act(pod).finally(() => pending.delete(acting));
    pending.add(acting);
    if (pending.size >= 32) await Promise.race(pending);
  };
  const informer = new SharedIndexInformer<Pod>(pods);
  informer.addEventHandler({ onAdd: begin, onUpdate: (_, pod) => begin(pod) });
  await informer.run(signal);
}

/** Work for a controller manager. `run` starts it, and resolves when it is done. */
export interface Workload {
  readonly name: string;
  /** The number of objects by which the values are divided. */
  readonly objects: number;
  /** Writes of the load itself, which do not count. */
  prepare?(clients: ClientSet, namespace: string): Promise<void>;
  run(clients: ClientSet, namespace: string): Promise<void>;
}

export const workloads: readonly Workload[] = [
  {
    name: 'Deployment of 1,000 from nothing',
    objects: 1000,
    async run(clients, namespace) {
      const spec = { replicas: 1000, selector: labels('web'), template: podTemplate('web', 'v1') };
      await clients.apps.v1.deployments(namespace).create({ metadata: { name: 'web' }, spec });
      await untilDeployed(clients, namespace, 1000);
    },
  },
  {
    name: 'rolling update of it',
    objects: 1000,
    async run(clients, namespace) {
      await clients.apps.v1.deployments(namespace).patch('web', 'strategic-merge', {
        spec: { template: podTemplate('web', 'v2') },
      });
      await untilDeployed(clients, namespace, 1000);
    },
  },
  {
    name: '1,000 Services and their pods',
    objects: 1000,
    async run(clients, namespace) {
      await inParallel(1000, (index) =>
        clients.core.v1.services(namespace).create({
          metadata: { name: `s-${index}` },
          spec: { selector: { app: `svc-${index}` }, ports: [{ port: 80 }] },
        }),
      );
      await inParallel(1000, (index) =>
        clients.core.v1.pods(namespace).create({
          metadata: { name: `p-${index}`, labels: { app: `svc-${index}` } },
          spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
        }),
      );
      await until(async () => {
        const { items } = await clients.discovery.v1.endpointSlices(namespace).list();
        return items.filter(({ endpoints }) => endpoints?.[0]?.conditions?.ready).length >= 1000;
      });
    },
  },
  {
    name: '1,000 Jobs to completion',
    objects: 1000,
    async run(clients, namespace) {
      const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] } };
      await inParallel(1000, (index) =>
        clients.batch.v1.jobs(namespace).create({ metadata: { name: `j-${index}` }, spec: { template } }),
      );
      await until(async () => {
        const { items } = await clients.batch.v1.jobs(namespace).list();
        return items.every(({ status }) => status?.completionTime);
      });
    },
  },
  {
    name: 'garbage of 10,000 objects',
    objects: 10_000,
    async prepare(clients, namespace) {
      const configMaps = clients.core.v1.configMaps(namespace);
      const { metadata } = await configMaps.create({ metadata: { name: 'owner' } });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid! };
      await inParallel(10_000, (index) =>
        configMaps.create({ metadata: { name: `g-${index}`, labels: { g: 'x' }, ownerReferences: [owner] } }),
      );
    },
    async run(clients, namespace) {
      await clients.core.v1.configMaps(namespace).delete('owner', { propagationPolicy: 'Background' });
      await until(async () => {
        const { items } = await clients.core.v1.configMaps(namespace).list({ labelSelector: 'g=x', limit: 1 });
        return items.length === 0;
      });
    },
  },
];

async function untilDeployed(clients: ClientSet, namespace: string, replicas: number): Promise<void> {
  await until(async () => {
    const { metadata, status } = await clients.apps.v1.deployments(namespace).get('web');
    return (
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === replicas &&
      status.availableReplicas === replicas &&
      status.replicas === replicas
    );
  });
}

/** Polls until the condition holds. */
export async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Calls `act` `count` times, 32 at a time. */
export async function inParallel(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < count) await act(next++);
    }),
  );
}
