import { recordLogs } from '@coxswain/apimachinery/log';
import { startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';
import { type CorefileSource, DnsServer, type DnsServerOptions, textSource } from '../src/index.ts';

export interface TestCluster {
  readonly clients: ClientSet;
  readonly rest: RESTClient;
  stop(): Promise<void>;
}

/** An API server in this process. */
export async function startTestCluster(): Promise<TestCluster> {
  const server = await startApiServer({
    memory: true,
    disableAdmissionPlugins: ['ServiceAccount'],
    serviceClusterIpRange: ['10.96.0.0/16', 'fd00:10:96::/112'],
  });
  const rest = new RESTClient(
    new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] })),
  );
  return { clients: new ClientSet(rest), rest, stop: () => server.stop() };
}

export interface TestDns {
  readonly server: DnsServer;
  readonly port: number;
  readonly log: readonly string[];
  /** Rejects like `DnsServer.run`. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

/** Starts a DNS server with a Corefile for port 53, on a free port of the loopback interface. */
export async function startTestDns(
  rest: RESTClient,
  source: string | CorefileSource,
  options: Partial<DnsServerOptions> = {},
): Promise<TestDns> {
  const { logger, lines } = recordLogs();
  const stop = new AbortController();
  let started = (): void => {};
  const isStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const server = new DnsServer({
    rest,
    source: typeof source === 'string' ? textSource(source) : source,
    listen: () => ({ hosts: ['127.0.0.1'], port: 0 }),
    logger,
    onStarted: started,
    ...options,
  });
  const running = server.run(stop.signal);
  running.catch(() => {});
  await Promise.race([isStarted, running]);
  return {
    server,
    port: server.listening(53)?.port ?? 0,
    log: lines,
    running,
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}
