import { ClientSet, type Logger, newTransport, RESTClient, type Transport } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import type { ClusterDirectory } from './cluster-directory.ts';
import { withRequestLog } from './request-log.ts';

/** The status of a running cluster. `ready` is false during its start. */
export type ClusterStatus = RunningStatus | { readonly running: true; readonly ready: false; readonly pid: number };

interface RunningStatus {
  readonly running: true;
  readonly ready: true;
  readonly pid: number;
  /** In the format of RFC 3339. */
  readonly startedAt: string;
  readonly url: string;
  readonly memory: boolean;
  readonly kubeconfig: string;
  readonly context: string;
  readonly nodes: { readonly total: number; readonly ready: number };
  /** The number of pods in each phase. */
  readonly pods: Readonly<Record<string, number>>;
}

/** Returns undefined when no cluster runs. Rejects when it does not answer. Requests are logged to `logger`. */
export async function statusOf(directory: ClusterDirectory, logger?: Logger): Promise<ClusterStatus | undefined> {
  const pid = await directory.holder();
  if (pid === undefined) return undefined;
  const state = await directory.state();
  if (state === 'damaged')
    throw new Error(`${directory.stateFile} of process ${pid} is damaged; cox down and cox up write it again`);
  if (state?.pid !== pid) return { running: true, ready: false, pid };
  const { url, memory, startedAt, kubeconfig, context } = state;
  return await withClient(directory, logger, async (rest) => {
    const { core } = new ClientSet(rest);
    const [nodes, pods] = await Promise.all([core.v1.nodes().list(), core.v1.pods().list()]);
    const ready = nodes.items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    const phases: Record<string, number> = {};
    for (const { status: { phase = 'Unknown' } = {} } of pods.items) phases[phase] = (phases[phase] ?? 0) + 1;
    return {
      running: true,
      ready: true,
      pid,
      startedAt,
      url,
      memory,
      kubeconfig,
      context,
      nodes: { total: nodes.items.length, ready: ready.length },
      pods: Object.fromEntries(Object.entries(phases).sort()),
    };
  });
}

/** Calls `work` with a client of the directory's cluster, and closes the client afterwards. */
export async function withClient<T>(
  directory: ClusterDirectory,
  logger: Logger | undefined,
  work: (rest: RESTClient) => Promise<T>,
): Promise<T> {
  const config = await loadRestConfig({ path: directory.adminKubeconfig });
  const direct = newTransport(config);
  const transport: Transport = logger ? withRequestLog(direct, config.server, logger) : direct;
  const rest = RESTClient.forConfig(config, { transport });
  try {
    return await work(rest);
  } finally {
    await rest.close();
  }
}
