import { FeatureGates } from '@coxswain/api';
import type { Verbosity } from '@coxswain/apimachinery/log';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { type Clock, type Logger, systemClock } from '@coxswain/client';
import { camelCase } from '@coxswain/component-base';
import type { MetricsRegistry } from '@coxswain/component-base/metrics';
import { RequestedServingCertificate } from '../certificates/requested-serving-certificate.ts';
import { configurationKind, type KubeletConfiguration } from '../configuration/index.ts';
import type { Kubelet } from '../kubelet.ts';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import { type KubeletCommandOptions, kubeletFlags } from '../options/kubelet-flags.ts';
import type { NodeConfiguration } from '../options/node-configuration.ts';
import { kubeletPages } from '../server/kubelet-pages.ts';
import { startHealthPort, startKubeletServer } from '../server/kubelet-server.ts';
import type { ApiClients } from './api-clients.ts';

export interface ServeKubeletOptions {
  readonly options: KubeletCommandOptions;
  readonly config: KubeletConfiguration;
  readonly configuration: NodeConfiguration;
  readonly api: ApiClients;
  readonly metrics: { readonly registry: MetricsRegistry; readonly kubelet: KubeletMetrics };
  readonly environment: {
    readonly logger: Logger;
    readonly verbosity?: Verbosity;
    readonly clock?: Clock;
    readonly random?: Random;
  };
}

/** The open ports of a kubelet. */
export interface ServedKubelet {
  /** Ends with the signal. Undefined if there is nothing to do while the ports are open. */
  readonly running: Promise<void> | undefined;
  close(): Promise<void>;
}

/** Opens the ports that the configuration asks for. Rejects if one is taken or a certificate cannot be used. */
export async function serveKubelet(
  kubelet: Kubelet,
  program: ServeKubeletOptions,
  signal: AbortSignal,
): Promise<ServedKubelet> {
  const { config, configuration, environment } = program;
  const { logger, clock = systemClock } = environment;
  if (!configuration.server.enabled) {
    const health = await startHealthPort(config, logger);
    return { running: undefined, close: async () => health?.close() };
  }
  const certificate = configuration.server.requestsCertificate
    ? await requestedCertificate(kubelet, program)
    : undefined;
  const running = certificate?.run(signal);
  // Whoever awaits it later is told; until then a failure is no unhandled rejection.
  running?.catch(() => {});
  const server = await startKubeletServer({
    host: kubelet.host,
    settings: config,
    pages: pagesOf(program),
    clients: program.api.clients,
    ...(certificate && { certificate }),
    certDirectory: configuration.directories.certificates,
    hostName: configuration.nodeName,
    systemLogs: '/var/log',
    metrics: program.metrics.kubelet,
    clock,
    logger,
  });
  logger.info('Started kubelet', { node: configuration.nodeName, port: server.port });
  return { running, close: () => server.close() };
}

function requestedCertificate(kubelet: Kubelet, program: ServeKubeletOptions): Promise<RequestedServingCertificate> {
  const { config, configuration, api, environment } = program;
  const { logger, clock = systemClock, random = systemRandom } = environment;
  const { tlsCertFile: certificateFile, tlsPrivateKeyFile: keyFile } = config;
  return RequestedServingCertificate.create({
    nodeName: configuration.nodeName,
    directory: configuration.directories.certificates,
    ...(certificateFile !== '' && keyFile !== '' && { files: { certificateFile, keyFile } }),
    client: api.signingRequests,
    addresses: () => kubelet.node?.status?.addresses ?? [],
    allowNamesOnly: new FeatureGates(config.featureGates).enabled('AllowDNSOnlyNodeCSR'),
    clock,
    random: random.number,
    logger,
  });
}

function pagesOf({ options, config, metrics, environment }: ServeKubeletOptions) {
  const { verbosity, clock = systemClock } = environment;
  const gates = new FeatureGates(config.featureGates);
  const given: Readonly<Record<string, unknown>> = options;
  const flags = Object.entries(kubeletFlags).map(([name, { byDefault }]) => [
    name,
    given[camelCase(name)] ?? byDefault,
  ]);
  return kubeletPages({
    metrics: metrics.registry,
    checks: [{ name: 'syncloop', check: () => {} }],
    configuration: { ...configurationKind, ...masked(config) },
    flags: Object.fromEntries(flags),
    features: {
      ComponentFlagz: gates.enabled('ComponentFlagz'),
      ComponentStatusz: gates.enabled('ComponentStatusz'),
    },
    profiling: config.enableProfilingHandler,
    verbosity: config.enableDebugFlagsHandler ? verbosity : undefined,
    clock,
  });
}

/** Without the values of headers, which may be credentials. */
const masked = (config: KubeletConfiguration): KubeletConfiguration => ({
  ...config,
  staticPodURLHeader: Object.fromEntries(
    Object.keys(config.staticPodURLHeader).map((name): [string, string[]] => [name, ['<masked>']]),
  ),
});
