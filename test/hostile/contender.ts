import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { startTheirs } from '../compat/api-servers.ts';
import type { Stage } from '../compat/stage.ts';
import { etcdAndApiServer, oneProcess, type Restartable } from './restartable.ts';

/** A running API server under test. */
export interface RunningServer {
  /** The path of an admin kubeconfig. */
  readonly kubeconfig: string;
  readonly host: string;
  readonly port: number;
  /** The process id of the API server; absent when it was not started here. */
  readonly pid?: number;
}

/** The server under test: ours, the original, or a running one. */
export interface Contender {
  readonly name: string;
  /** A folder for its files and those of the scenario, deleted afterwards. */
  readonly folder: string;
  /**
   * Starts a server with a durable store, which ends with the scenario. A scenario that needs a `process` may use
   * `restartable` instead.
   */
  start(): Promise<RunningServer>;
  /** Returns a server that the scenario starts and kills itself. Rejects when the server was not started here. */
  restartable(extent: Extent): Promise<Restartable>;
}

/** The API server alone; or a whole cluster, if one program runs it. */
type Extent = 'server' | 'cluster';

const cox = fileURLToPath(new URL('../../packages/cli/bin/cox.js', import.meta.url));

export function ours(stage: Stage): Contender {
  const { folder } = stage;
  const flags = [`--data-dir=${join(folder, 'data')}`, '--bind-address=127.0.0.1', '--secure-port=0'];
  const program = [process.execPath, cox, 'apiserver', ...flags];
  return {
    name: 'cox',
    folder,
    restartable: async (extent) => (extent === 'server' ? server(folder, program) : cluster(folder)),
    async start() {
      const pid = await stage.start('cox-apiserver', program, { until: /is ready at / });
      return { ...(await described(join(folder, 'data', 'admin.kubeconfig'))), ...(pid !== undefined && { pid }) };
    },
  };
}

function server(folder: string, program: readonly string[]): Restartable {
  const data = join(folder, 'data');
  return oneProcess(program, {
    ready: /is ready at /,
    kubeconfig: join(data, 'admin.kubeconfig'),
    dataFiles: () => [join(data, 'store', 'store.mdb')],
    leftovers: () => draftsBelow(data),
  });
}

function cluster(folder: string): Restartable {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const [data, kubeconfig] = [join(folder, 'cluster'), join(home, 'config')];
  const flags = [`--data-dir=${data}`, `--kubeconfig=${kubeconfig}`, '--port=0', '--runtime=hollow', '--nodes=1'];
  return oneProcess([process.execPath, cox, 'up', ...flags], {
    ready: /cluster is ready at /,
    kubeconfig,
    dataFiles: () => [join(data, 'store', 'store.mdb')],
    leftovers: () => [...readdirSync(home).filter((name) => name !== 'config'), ...draftsBelow(data)],
  });
}

/** Returns the temporary files of atomic writes. */
function draftsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tmp|new)$/.test(name));
}

export function theirs(stage: Stage, programs: { readonly kubeApiserver: string; readonly etcd: string }): Contender {
  return {
    name: 'kube-apiserver',
    folder: stage.folder,
    restartable: () => etcdAndApiServer(stage.folder, programs),
    async start() {
      mkdirSync(stage.folder, { recursive: true });
      const { kubeconfig, pid } = await startTheirs(stage, programs.kubeApiserver, programs.etcd);
      return { ...(await described(kubeconfig)), ...(pid !== undefined && { pid }) };
    },
  };
}

/** A server that was not started here. */
export function given(stage: Stage, kubeconfig: string): Contender {
  return {
    name: 'given',
    folder: stage.folder,
    restartable: () => Promise.reject(new Error('this server was not started here')),
    start: () => described(kubeconfig),
  };
}

async function described(kubeconfig: string): Promise<Omit<RunningServer, 'pid'>> {
  const { server } = await loadRestConfig({ path: kubeconfig });
  const { hostname, port } = new URL(server);
  return { kubeconfig, host: hostname, port: Number(port || 443) };
}

/** Calls `work` with an admin client, and closes the client afterwards. */
export async function asAdministrator<T>(server: RunningServer, work: (rest: RESTClient) => Promise<T>): Promise<T> {
  const rest = RESTClient.forConfig({ ...(await loadRestConfig({ path: server.kubeconfig })), qps: 0 });
  try {
    return await work(rest);
  } finally {
    await rest.close();
  }
}
