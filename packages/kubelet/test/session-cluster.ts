import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, silentLogger, systemClock } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { MetricsRegistry } from '@coxswain/component-base/metrics';
import type { ContainerRuntime } from '@coxswain/cri';
import { KubeRuntime } from '../src/runtime/kube-runtime.ts';
import { defaultRuntimeSettings } from '../src/runtime/runtime-settings.ts';
import { inProcessDialer } from '../src/server/in-process-dialer.ts';
import { kubeletHandler } from '../src/server/kubelet-handler.ts';
import type { KubeletHost } from '../src/server/kubelet-host.ts';
import { kubeletPages } from '../src/server/kubelet-pages.ts';
import { type KubeletServer, startKubeletServer } from '../src/server/kubelet-server.ts';
import type { KubeletServerSettings } from '../src/server/server-settings.ts';
import type { ServingCertificateSource } from '../src/server/serving-certificate-source.ts';
import { LinuxFigures } from '../src/stats/linux-figures.ts';
import { StatsProvider } from '../src/stats/stats-provider.ts';

/** `secured`: the API server calls the node over HTTPS. `local`: it calls the node in its own process. */
export const sessionNodes = ['secured', 'local'] as const;

/** Settings of a server with its own port, which authenticates and authorizes clients by reviews of the API server. */
export const serverSettings: KubeletServerSettings = {
  address: '127.0.0.1',
  port: 0,
  readOnlyPort: 0,
  healthzPort: 0,
  healthzBindAddress: '127.0.0.1',
  authentication: {
    x509: { clientCAFile: '' },
    webhook: { enabled: true, cacheTTL: '2m0s' },
    anonymous: { enabled: false },
  },
  authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
  enableDebuggingHandlers: true,
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  enableSystemLogHandler: true,
};

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

/** An API server and the kubelet's server for a runtime, with two pods whose containers tests create. */
export class SessionCluster {
  readonly directory: string;
  readonly api: RunningApiServer;
  readonly clients: ClientSet;
  readonly pods: readonly Pod[];
  readonly kubeconfig: string;
  /** The directory of the node's logs, with a file `node.log`. */
  readonly systemLogs: string;
  readonly host: KubeletHost;
  #servers: KubeletServer[] = [];

  private constructor(
    given: Pick<SessionCluster, 'directory' | 'api' | 'clients' | 'pods' | 'kubeconfig' | 'systemLogs' | 'host'>,
  ) {
    this.directory = given.directory;
    this.api = given.api;
    this.clients = given.clients;
    this.pods = given.pods;
    this.kubeconfig = given.kubeconfig;
    this.systemLogs = given.systemLogs;
    this.host = given.host;
  }

  static async start(runtime: ContainerRuntime): Promise<SessionCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'cox-sessions-'));
    const pods: Pod[] = [];
    const logs = { read: async function* () {} };
    const machine = { terminationMessage: async () => undefined, logs };
    const kubeRuntime = new KubeRuntime({
      cri: runtime,
      machine,
      settings: defaultRuntimeSettings,
      clock: systemClock,
    });
    const host: KubeletHost = {
      nodeName: 'secured',
      runtime: kubeRuntime,
      stats: new StatsProvider({
        nodeName: 'secured',
        runtime: kubeRuntime,
        clock: systemClock,
        machine: {
          figures: new LinuxFigures(),
          rootDirectory: directory,
          logDirectory: ({ name }, container) => join(directory, name, container),
          volumes: async () => [],
        },
        pods: () => pods,
      }),
      logs,
      clock: systemClock,
      logger: silentLogger,
      pods: () => pods,
    };
    const api = await startApiServer(
      { memory: true, securePort: 0, bindAddress: '127.0.0.1', disableAdmissionPlugins: ['ServiceAccount'] },
      { localKubelets: (node) => (node === 'local' ? inProcessDialer(kubeletHandler(host)) : undefined) },
    );
    const kubeconfig = join(directory, 'kubeconfig');
    const systemLogs = join(directory, 'log');
    await writeFile(kubeconfig, api.kubeconfig!);
    await mkdir(systemLogs);
    await writeFile(join(systemLogs, 'node.log'), 'of the node\n');
    const clients = ClientSet.forConfig({ ...(await loadRestConfig({ path: kubeconfig })), qps: 0 });
    const cluster = new SessionCluster({ directory, api, clients, pods, kubeconfig, systemLogs, host });
    await writeFile(cluster.clientCAFile, api.authority.ca.certificatePem);
    const { port } = await cluster.serve();
    for (const name of sessionNodes) {
      const address = { type: 'InternalIP', address: '127.0.0.1' };
      const daemonEndpoints = { kubeletEndpoint: { Port: port } };
      const node = await clients.core.v1.nodes().create({ metadata: { name } });
      await clients.core.v1.nodes().updateStatus({ ...node, status: { addresses: [address], daemonEndpoints } });
      const containers = [
        { name: 'main', image: 'busybox', stdin: true },
        { name: 'terminal', image: 'busybox', stdin: true, tty: true },
        { name: 'server', image: 'busybox' },
      ];
      pods.push(
        await clients.core.v1
          .pods('default')
          .create({ metadata: { name: `on-${name}` }, spec: { nodeName: name, containers } }),
      );
    }
    return cluster;
  }

  get clientCAFile(): string {
    return join(this.directory, 'ca.crt');
  }

  /** Starts a kubelet's server that trusts the API server's client CA. It stops with the cluster. */
  async serve(
    settings: Partial<KubeletServerSettings> = {},
    certificate?: ServingCertificateSource,
  ): Promise<KubeletServer> {
    const authentication = settings.authentication ?? serverSettings.authentication;
    const server = await startKubeletServer({
      host: this.host,
      settings: {
        ...serverSettings,
        ...settings,
        authentication: { ...authentication, x509: { clientCAFile: this.clientCAFile } },
      },
      ...(certificate && { certificate }),
      pages: kubeletPages({
        metrics: new MetricsRegistry(() => new Date()),
        checks: [{ name: 'syncloop', check: () => {} }],
        configuration: { port: 10250 },
        flags: {},
        features: { ComponentFlagz: true, ComponentStatusz: true },
        profiling: true,
        verbosity: undefined,
        clock: systemClock,
      }),
      clients: this.clients,
      certDirectory: '',
      hostName: 'secured',
      systemLogs: this.systemLogs,
      clock: systemClock,
      logger: silentLogger,
    });
    this.#servers.push(server);
    return server;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.clients.rest.close();
    await this.api.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
