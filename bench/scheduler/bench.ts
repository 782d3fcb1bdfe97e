import { fileURLToPath } from 'node:url';
import type { Pod } from '@coxswain/api/core/v1';
import { ClientSet, RESTClient } from '@coxswain/client';
import { startOurs, type Target } from '../apiserver/target.ts';
import { type ComparedRow, type Comparison, comparing } from '../comparison.ts';
import { Manager } from '../controllers/manager.ts';
import { inParallel } from '../controllers/workloads.ts';
import { nodeCount, nodeName, nodeStatus, onNode, podOf, type Workload, workloads } from './workloads.ts';

const peerName = 'kube-scheduler';
const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));

interface Measured {
  readonly podsPerSecond: number;
  readonly cpuMsPerPod: number;
  readonly rssMiB: number;
}

/**
 * Our scheduler on 5,000 nodes and, when `KUBE_SCHEDULER` is the path of the binary, the real one: one after the other, each in its own
 * process with its own API server (ours), and after it has scheduled some of the initial pods. `BENCH_WORKLOADS` selects workloads,
 * separated by commas.
 */
export async function schedulerBench(): Promise<Comparison> {
  const { KUBE_SCHEDULER: peer, BENCH_WORKLOADS: wanted } = process.env;
  const rows: ComparedRow[] = [];
  for (const workload of workloads.filter(({ name }) => !wanted || wanted.split(',').includes(name))) {
    const ours = await measure('ours', [cox, 'scheduler'], workload);
    const theirs = peer ? await measure(peerName, [peer], workload) : undefined;
    rows.push(...rowsOf(workload, ours, theirs));
  }
  return { peerName, rows };
}

/**
 * The goal is that one core of the scheduler reaches upstream's own threshold for six cores. The time until pods are bound also depends on
 * the API server and the load, which share the same few cores.
 */
function rowsOf({ name, threshold }: Workload, ours: Measured, peer: Measured | undefined): ComparedRow[] {
  const row = comparing(ours, peer);
  return [
    row(`${name}: pods per second of one core`, '/s', ({ cpuMsPerPod }) => 1000 / cpuMsPerPod, {
      of: 'ours',
      atLeast: threshold,
    }),
    row(`${name}: CPU per pod`, 'ms', ({ cpuMsPerPod }) => cpuMsPerPod),
    row(`${name}: pods, all told`, '/s', ({ podsPerSecond }) => podsPerSecond),
    row(`${name}: memory`, 'MiB', ({ rssMiB }) => rssMiB),
  ];
}

async function measure(who: string, command: readonly string[], workload: Workload): Promise<Measured> {
  console.error(`${who}: ${workload.name} …`);
  const target = await startOurs(cox);
  const clients = clientFor(target);
  try {
    await prepare(clients, workload);
    const scheduler = await Manager.start(who, command, target);
    try {
      await untilWorking(clients);
      const { initial, measured, namespace, pod } = workload;
      await schedule(clients, initial.namespace, initial.scheduled, (index) =>
        podOf(initial.pod, `scheduled-${index}`),
      );
      const cpuMs = scheduler.cpuMs();
      const seconds = await schedule(clients, namespace, measured, (index) => podOf(pod, `pod-${index}`));
      return {
        podsPerSecond: measured / seconds,
        cpuMsPerPod: (scheduler.cpuMs() - cpuMs) / measured,
        rssMiB: scheduler.rssMiB(),
      };
    } finally {
      await scheduler.stop();
    }
  } finally {
    await clients.rest.close();
    await target.stop();
  }
}

async function prepare(clients: ClientSet, { node, initial, namespace }: Workload): Promise<void> {
  const { namespaces, nodes, pods } = clients.core.v1;
  for (const name of new Set([initial.namespace, namespace, 'first']))
    await namespaces().create({ metadata: { name } });
  await clients.scheduling.v1.priorityClasses().create({ metadata: { name: 'important' }, value: 10 });
  await inParallel(nodeCount, async (index) => {
    const name = nodeName(index);
    await nodes().create({ metadata: { name, ...node(index) } });
    await nodes().patch(name, 'merge', { spec: { taints: [] } });
    await nodes().patch(name, 'merge', { status: nodeStatus }, { subresource: 'status' });
  });
  await inParallel(initial.count - initial.scheduled, (index) =>
    pods(initial.namespace).create(podOf(onNode(initial.pod, index), `initial-${index}`)),
  );
}

/** Waits until a first pod is bound: then the scheduler knows all nodes. */
async function untilWorking(clients: ClientSet): Promise<void> {
  const pods = clients.core.v1.pods('first');
  const tiny = { containers: [{ name: 'c', image: 'c' }], priorityClassName: 'important' };
  await pods.create({ metadata: { name: 'first' }, spec: tiny });
  while (!(await pods.get('first')).spec?.nodeName) await pause(50);
}

/** Returns the time from the first pod's creation until the last one is bound. */
async function schedule(
  clients: ClientSet,
  namespace: string,
  count: number,
  podOf: (index: number) => Pod,
): Promise<number> {
  const pods = clients.core.v1.pods(namespace);
  const [bound, started] = [await bindings(clients), performance.now()];
  const creating = inParallel(count, (index) => pods.create(podOf(index)));
  while ((await bindings(clients)) - bound < count) await pause(100);
  const seconds = (performance.now() - started) / 1000;
  await creating;
  return seconds;
}

/** Returns the number of bindings from the server's metrics: listing the pods would be work for the server. */
async function bindings({ rest }: ClientSet): Promise<number> {
  const { bytes } = await rest.raw({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } });
  let count = 0;
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    if (
      line.startsWith('apiserver_request_total{') &&
      line.includes('subresource="binding"') &&
      line.includes('code="201"')
    )
      count += Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return count;
}

const clientFor = ({ port, token }: Target): ClientSet =>
  new ClientSet(
    RESTClient.forConfig({
      server: `https://127.0.0.1:${port}`,
      tls: { insecureSkipTlsVerify: true },
      credentials: { current: async () => ({ token }), refused: () => false },
      userAgent: 'load',
      qps: 0,
    }),
  );

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
