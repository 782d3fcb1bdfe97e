import type { RuntimeServiceHandlers } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import { type RuntimeContext, runtimeHandlers } from '../lifecycle/index.ts';
import { metricDescriptors, podMetrics, type StatsReader } from '../stats/index.ts';
import { batches } from './batches.ts';
import { sandboxesOf } from './filters.ts';
import { infoOf } from './verbose-info.ts';

export interface RuntimeName {
  readonly name: string;
  readonly version: string;
  /** Of the OCI runtime. */
  readonly ociVersion: string;
}

/** The calls about the runtime itself, its events and its metrics. */
export function nodeHandlers(context: RuntimeContext, stats: StatsReader, { name, version, ociVersion }: RuntimeName) {
  return {
    async version() {
      return { version: '0.1.0', runtimeName: name, runtimeVersion: version, runtimeApiVersion: 'v1' };
    },
    async status({ verbose }) {
      const problem = await context.network.problem();
      const network = {
        type: 'NetworkReady',
        status: problem === undefined,
        reason: problem === undefined ? '' : 'NetworkPluginNotReady',
        message: problem ?? '',
      };
      const features = { recursiveReadOnlyMounts: context.features.mountOptions.has('rro'), userNamespaces: false };
      const details = {
        ...context.paths,
        ociRuntime: context.runtime.program,
        ociVersion,
        cgroups: context.node.cgroups,
        security: context.node.security,
      };
      return {
        status: { conditions: [{ type: 'RuntimeReady', status: true, reason: '', message: '' }, network] },
        info: infoOf(verbose, details),
        runtimeHandlers: runtimeHandlers.map((handler) => ({ name: handler, features })),
        features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
      };
    },
    async runtimeConfig() {
      return {
        linux: { cgroupDriver: context.cgroups.driver === 'systemd' ? ('SYSTEMD' as const) : ('CGROUPFS' as const) },
      };
    },
    async updateRuntimeConfig({ runtimeConfig }) {
      const podCIDR = runtimeConfig?.networkConfig?.podCidr ?? '';
      if (podCIDR !== '') await context.network.setPodCIDR?.(podCIDR);
      return {};
    },
    async checkpointContainer() {
      throw new RpcError('Unimplemented', 'method CheckpointContainer not implemented');
    },
    getContainerEvents: (_, { signal }) => context.events.listen(signal),
    async listMetricDescriptors() {
      return { descriptors: metricDescriptors() };
    },
    async listPodSandboxMetrics() {
      return {
        podMetrics: await Promise.all(readySandboxes(context).map((sandbox) => podMetrics(context, stats, sandbox))),
      };
    },
    async *streamPodSandboxMetrics() {
      for (const batch of batches(readySandboxes(context))) {
        yield { podSandboxMetrics: await Promise.all(batch.map((sandbox) => podMetrics(context, stats, sandbox))) };
      }
    },
  } satisfies RuntimeServiceHandlers;
}

const readySandboxes = (context: RuntimeContext) => sandboxesOf(context, undefined).filter(({ isReady }) => isReady);
