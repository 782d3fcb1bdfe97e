import { isObjectEvent } from '@coxswain/apimachinery/watch';
import type { ClientSet } from '@coxswain/client';
import { RunningCluster } from './running-cluster.ts';

/** The cost of a cluster in one process: its start, filling it, changing it, emptying it. */
export async function clusterBench(): Promise<string> {
  return `${await small()}${await large()}`;
}

/** `cox up` like a user runs it: the time until a pod runs, and the memory. */
async function small(): Promise<string> {
  const cluster = await RunningCluster.start(2);
  try {
    const { clients } = cluster;
    await pod(clients, 'first');
    const readyMs = cluster.sinceStartMs;
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const started = performance.now();
      await pod(clients, `pod-${i}`);
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    return [
      `cox up with 2 nodes: a pod runs ${(readyMs / 1000).toFixed(2)} s after the start, ${cluster.rssMiB()} MiB`,
      `another pod runs after ${times[10]!.toFixed(0)} ms (median of 20, slowest ${times.at(-1)!.toFixed(0)} ms)\n`,
    ].join('\n');
  } finally {
    await cluster.stop();
  }
}

const nodes = 1000;
const deployments = 20;
const replicas = 500;

/** 1,000 nodes and 10,000 pods of Deployments. */
async function large(): Promise<string> {
  const cluster = await RunningCluster.start(nodes);
  const lines: string[] = [];
  const step = async (name: string, run: () => Promise<number>): Promise<void> => {
    console.error(`${name} …`);
    const [started, cpuMs] = [performance.now(), cluster.cpuMs()];
    const count = await run();
    const seconds = (performance.now() - started) / 1000;
    const cpu = (cluster.cpuMs() - cpuMs) / count;
    lines.push(
      `${name}: ${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s, ${cpu.toFixed(2)} CPU-ms each, ${cluster.rssMiB()} MiB`,
    );
  };
  try {
    const { clients } = cluster;
    const apps = clients.apps.v1.deployments('default');
    const names = Array.from({ length: deployments }, (_, i) => `web-${i}`);
    lines.push(`cox up with ${nodes} nodes: ready after ${(cluster.sinceStartMs / 1000).toFixed(1)} s`);
    await step('10,000 pods of Deployments, all Running', async () => {
      for (const name of names) await apps.create(deployment(name, replicas));
      await until(async () => (await availableOf(clients)) === deployments * replicas);
      return deployments * replicas;
    });
    await step('rolling update of 1,000 replicas', async () => {
      const [a, b] = ['web-0', 'web-1'] as const;
      for (const name of [a, b])
        await apps.patch(name, 'strategic-merge', { spec: { template: { metadata: { labels: { version: '2' } } } } });
      await until(async () => {
        const both = await Promise.all([apps.get(a), apps.get(b)]);
        return both.every(
          ({ metadata, status }) =>
            status?.observedGeneration === metadata.generation &&
            status?.updatedReplicas === replicas &&
            status.availableReplicas === replicas &&
            status.replicas === replicas,
        );
      });
      return 2 * replicas;
    });
    await step('garbage of 10,000 objects and more collected', async () => {
      for (const name of names) await apps.delete(name);
      await until(async () => (await clients.core.v1.pods('default').list({ limit: 1 })).items.length === 0);
      return deployments * replicas;
    });
    return `${lines.join('\n')}\n`;
  } finally {
    await cluster.stop();
  }
}

const deployment = (name: string, count: number) => ({
  metadata: { name },
  spec: {
    replicas: count,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'web:1', resources: { requests: { cpu: '10m', memory: '10Mi' } } }],
      },
    },
  },
});

async function availableOf(clients: ClientSet): Promise<number> {
  const { items } = await clients.apps.v1.deployments('default').list();
  return items.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
}

/** Resolves when a pod of that name runs. */
async function pod(clients: ClientSet, name: string): Promise<void> {
  const pods = clients.core.v1.pods('default');
  const watch = await pods.watch({ fieldSelector: `metadata.name=${name}` });
  await pods.create({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'web:1' }] } });
  for await (const event of watch) if (isObjectEvent(event) && event.object.status?.phase === 'Running') return;
}

async function until(isMet: () => Promise<boolean>): Promise<void> {
  while (!(await isMet())) await new Promise((resolve) => setTimeout(resolve, 200));
}
