import { setMaxListeners } from 'node:events';
import type { Verbosity } from '@coxswain/apimachinery/log';
import { systemRandom } from '@coxswain/apimachinery/random';
import { ClientSet, type Clock, type Logger, RESTClient, systemClock } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { withDefaults } from '@coxswain/component-base';
import { MetricsRegistry } from '@coxswain/component-base/metrics';
import { userAgentOf } from '@coxswain/component-base/version';
import { DnsServer } from '../dns-server.ts';
import type { Listen } from '../listeners/index.ts';
import { DnsMetrics } from '../metrics/index.ts';
import { configMapSource, fileSource } from '../sources/index.ts';
import { type DnsCommandOptions, dnsFlags } from './dns-flags.ts';
import { collectOnce, keepHeapSmall } from './small-heap.ts';

/** The dependencies that are not given by flags. */
export interface DnsEnvironment {
  readonly logger: Logger;
  readonly verbosity?: Verbosity;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called when queries are answered. */
  readonly onStarted?: () => void;
}

/** Answers queries until the signal is aborted; resolves when everything is closed. Throws an Error when the configuration cannot be used. */
export async function runDns(
  options: DnsCommandOptions,
  environment: DnsEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const settings = withDefaults(dnsFlags, options);
  const { logger, clock = systemClock, random = systemRandom.number, env = process.env, onStarted } = environment;
  setMaxListeners(0, signal);
  keepHeapSmall();
  const { conf, configMap, kubeconfig, master, bindAddress } = settings;
  const restConfig = await loadRestConfig({
    env,
    ...(kubeconfig && { path: kubeconfig }),
    ...(master && { overrides: { cluster: { server: master } } }),
  });
  const rest = RESTClient.forConfig({ ...restConfig, clock, userAgent: userAgentOf('coredns') });
  const registry = new MetricsRegistry(() => new Date(clock.now()));
  const metrics = new DnsMetrics();
  registry.register(metrics.families());
  const [namespace, name] = configMap.split('/');
  const clients = new ClientSet(rest);
  const server = new DnsServer({
    rest,
    source: conf
      ? fileSource(conf)
      : configMapSource({ clients, ...(namespace && { namespace }), ...(name && { name }), clock, random, logger }),
    defaultPort: settings['dns.port'],
    ...(bindAddress.length > 0 && { listen: listenOn(bindAddress) }),
    clock,
    random,
    logger,
    clientMetrics: registry,
    metrics,
    metricsText: () => registry.text(),
    env,
    onStarted: () => {
      collectOnce();
      onStarted?.();
    },
  });
  try {
    await server.run(signal);
  } finally {
    await rest.close();
  }
}

const listenOn =
  (addresses: readonly string[]): Listen =>
  ({ use, host, port }) => ({ hosts: use === 'dns' ? addresses : host === '' ? undefined : [host], port });
