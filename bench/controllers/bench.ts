import { fileURLToPath } from 'node:url';
import { ClientSet, RESTClient } from '@coxswain/client';
import { startOurs } from '../apiserver/target.ts';
import { type ComparedRow, type Comparison, comparing, type Goal } from '../comparison.ts';
import { Manager } from './manager.ts';
import { actAsNodes, nodeName, until, type Workload, workloads } from './workloads.ts';

const peerName = 'kube-controller-manager';
const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
/** The node has no heartbeats; without these flags it would be marked unreachable and its pods deleted. */
const noHeartbeats = ['--node-monitor-grace-period=24h', '--node-startup-grace-period=24h'];

/** After this time without work both managers have returned the memory that they return soon. */
const restMs = 30_000;

interface Measured {
  readonly seconds: number;
  readonly cpuMs: number;
  /** Writes without those of events and leases. */
  readonly writes: number;
  readonly events: number;
}

interface Result {
  /** The cost of each workload in the first round, with a newly started manager. */
  readonly first: readonly Measured[];
  /** The cost in the last two rounds, with a warm manager. */
  readonly measured: readonly Measured[];
  readonly rssMiB: number;
  /** The memory after some time without work. */
  readonly restMiB: number;
}

/**
 * Our controller manager and, when `KUBE_CONTROLLER_MANAGER` is the path of the binary, the real one: one after the other, each on its own
 * API server (ours), with the same work four times. The result is the mean of the last two.
 */
export async function controllersBench(): Promise<Comparison> {
  const { KUBE_CONTROLLER_MANAGER: peer } = process.env;
  const ours = await measure('ours', [cox, 'controller-manager']);
  const theirs = peer ? await measure(peerName, [peer]) : undefined;
  return { peerName, rows: rowsOf(ours, theirs) };
}

async function measure(name: string, command: readonly string[]): Promise<Result> {
  const target = await startOurs(cox);
  const rest = (userAgent: string) =>
    RESTClient.forConfig({
      server: `https://127.0.0.1:${target.port}`,
      tls: { insecureSkipTlsVerify: true },
      credentials: { current: async () => ({ token: target.token }), refused: () => false },
      userAgent,
      qps: 0,
    });
  const [load, nodes] = [rest('load'), rest('nodes')];
  const clients = new ClientSet(load);
  const stop = new AbortController();
  const acting: Promise<void>[] = [];
  await clients.core.v1.nodes().create({ metadata: { name: nodeName } });
  const manager = await Manager.start(name, [...command, ...noHeartbeats], target);
  /** Runs all workloads once, in a new namespace. */
  const everything = async (namespace: string): Promise<Measured[]> => {
    const { signal } = stop;
    await clients.core.v1.namespaces().create({ metadata: { name: namespace } });
    acting.push(actAsNodes(new ClientSet(nodes), namespace, signal).catch(() => {}));
    await until(() => isThere(clients.core.v1.serviceAccounts(namespace).get('default')));
    const measured: Measured[] = [];
    for (const workload of workloads)
      measured.push(await one(workload, clients, manager, `${name}, ${namespace}`, namespace));
    await clients.core.v1.namespaces().delete(namespace);
    await until(async () => !(await isThere(clients.core.v1.namespaces().get(namespace))));
    return measured;
  };
  try {
    // Managers run for days, and their code must be compiled first.
    const rounds: Measured[][] = [];
    for (const round of ['first', 'second', 'third', 'fourth']) rounds.push(await everything(round));
    const [first, , third, fourth] = rounds as [Measured[], Measured[], Measured[], Measured[]];
    const measured = third.map((one, index) => meanOf(one, fourth[index]!));
    const rssMiB = manager.rssMiB();
    console.error(`${name}: at rest …`);
    await new Promise((resolve) => setTimeout(resolve, restMs));
    return { first, measured, rssMiB, restMiB: manager.rssMiB() };
  } finally {
    stop.abort();
    await Promise.all(acting);
    await manager.stop();
    await load.close();
    await nodes.close();
    await target.stop();
  }
}

const meanOf = (a: Measured, b: Measured): Measured => ({
  seconds: (a.seconds + b.seconds) / 2,
  cpuMs: (a.cpuMs + b.cpuMs) / 2,
  writes: (a.writes + b.writes) / 2,
  events: (a.events + b.events) / 2,
});

const isThere = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

async function one(
  { name, prepare, run }: Workload,
  clients: ClientSet,
  manager: Manager,
  who: string,
  namespace: string,
): Promise<Measured> {
  console.error(`${who}: ${name} …`);
  await prepare?.(clients, namespace);
  // Waits until the work caused by the preparation is done.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const [writes, cpuMs, started] = [await writesOf(clients), manager.cpuMs(), performance.now()];
  await run(clients, namespace);
  const seconds = (performance.now() - started) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const after = await writesOf(clients);
  return {
    seconds,
    cpuMs: manager.cpuMs() - cpuMs,
    writes: after.others - writes.others,
    events: after.events - writes.events,
  };
}

/** Returns the writes of all clients as counted by the server; load and nodes write the same for both managers. */
async function writesOf(clients: ClientSet): Promise<{ others: number; events: number }> {
  const { bytes } = await clients.rest.raw({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } });
  let [others, events] = [0, 0];
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue;
    const verb = /verb="([A-Z]+)"/.exec(line)?.[1] ?? '';
    const resource = /resource="([^"]*)"/.exec(line)?.[1] ?? '';
    if (!['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION'].includes(verb) || resource === 'leases')
      continue;
    const count = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (resource === 'events') events += count;
    else others += count;
  }
  return { others, events };
}

function rowsOf(ours: Result, peer: Result | undefined): ComparedRow[] {
  const row = comparing(ours, peer);
  const half: Goal = { of: 'ratio', atMost: 0.5 };
  return [
    ...workloads.flatMap(({ name, objects }, index) => {
      const of = (result: Result): Measured => result.measured[index]!;
      return [
        row(`${name}: time`, 's', (result) => of(result).seconds),
        row(`${name}: CPU per object`, 'ms', (result) => of(result).cpuMs / objects, half),
        row(`${name}: the first time`, 'ms', ({ first }) => first[index]!.cpuMs / objects),
        // Writes of all clients: the load and the nodes write the same for both managers.
        row(`${name}: writes per object`, '', (result) => of(result).writes / objects, { of: 'ratio', atMost: 1 }),
        row(`${name}: events per object`, '', (result) => of(result).events / objects),
      ];
    }),
    row('memory, at the end of the work', 'MiB', ({ rssMiB }) => rssMiB),
    row('memory, half a minute later', 'MiB', ({ restMiB }) => restMiB, half),
  ];
}
