import { fileURLToPath } from 'node:url';
import { ClientSet, RESTClient } from '@coxswain/client';
import { startOurs, type Target } from '../apiserver/target.ts';
import { type Comparison, comparing } from '../comparison.ts';
import { Manager } from './manager.ts';
import { actAsNodes, inParallel, until } from './workloads.ts';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
const peerName = 'kube-controller-manager';
const deployments = 1000;
/** The work caused by the creation of the Deployments is done by then. */
const settleMs = 15_000;
const measuredMs = 60_000;

/**
 * The cost of an idle controller manager: in a cluster of 1,000 Deployments, each with one running pod. Ours, and the real one when
 * `KUBE_CONTROLLER_MANAGER` is the path of the binary.
 */
export async function controllersIdleBench(): Promise<Comparison> {
  const { KUBE_CONTROLLER_MANAGER: peer } = process.env;
  const ours = await idle('ours', [cox, 'controller-manager']);
  const theirs = peer ? await idle(peerName, [peer]) : undefined;
  const row = comparing(ours, theirs);
  return {
    peerName,
    rows: [
      row('CPU, with 1,000 Deployments', '% of a core', ({ corePercent }) => corePercent, { of: 'ours', atMost: 1 }),
      row('memory', 'MiB', ({ rssMiB }) => rssMiB),
    ],
  };
}

interface Idle {
  readonly corePercent: number;
  readonly rssMiB: number;
}

async function idle(name: string, command: readonly string[]): Promise<Idle> {
  const target = await startOurs(cox);
  const [load, nodes] = [clientFor(target, 'load'), clientFor(target, 'nodes')];
  const stop = new AbortController();
  await load.core.v1.namespaces().create({ metadata: { name: 'bench' } });
  const manager = await Manager.start(name, command, target);
  const acting = actAsNodes(nodes, 'bench', stop.signal).catch(() => {});
  try {
    console.error(`${name}: ${deployments} Deployments …`);
    await inParallel(deployments, (index) => createDeployment(load, `web-${index}`));
    await until(async () => {
      const { items } = await load.apps.v1.deployments('bench').list();
      return items.filter(({ status }) => status?.availableReplicas === 1).length === deployments;
    });
    await pause(settleMs);
    const before = manager.cpuMs();
    await pause(measuredMs);
    return { corePercent: ((manager.cpuMs() - before) / measuredMs) * 100, rssMiB: manager.rssMiB() };
  } finally {
    stop.abort();
    await acting;
    await manager.stop();
    await load.rest.close();
    await nodes.rest.close();
    await target.stop();
  }
}

const clientFor = ({ port, token }: Target, userAgent: string): ClientSet =>
  new ClientSet(
    RESTClient.forConfig({
      server: `https://127.0.0.1:${port}`,
      tls: { insecureSkipTlsVerify: true },
      credentials: { current: async () => ({ token }), refused: () => false },
      userAgent,
      qps: 0,
    }),
  );

async function createDeployment(clients: ClientSet, name: string): Promise<void> {
  const labels = { app: name };
  await clients.apps.v1.deployments('bench').create({
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
    },
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
