import type { Clock, Logger } from '@coxswain/client';
import type { Plugin } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';

export interface PreEnqueueOptions {
  /** The plug-ins of each profile, in order. */
  readonly plugins: ReadonlyMap<string, readonly Plugin[]>;
  readonly metrics: QueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Runs PreEnqueue plug-ins, which decide whether a pod may enter the active queue. */
export class PreEnqueue {
  readonly #options: PreEnqueueOptions;

  constructor(options: PreEnqueueOptions) {
    this.#options = options;
  }

  /** Runs the plug-ins for the pod. The first that rejects it becomes its gating plug-in. */
  run(pod: QueuedPodInfo): void {
    const { clock, metrics, plugins } = this.#options;
    const start = clock.monotonic();
    let code = 'Success';
    let gate: Plugin | undefined;
    for (const plugin of inOrder(plugins.get(pod.profile) ?? [], pod.gatingPlugin)) {
      const status = this.#ask(plugin, pod);
      if (!status) continue;
      code = status.code;
      gate = plugin;
      break;
    }
    pod.gate = gate;
    if (gate && !pod.isRejectedBy(gate.name)) {
      pod.unschedulablePlugins = new Set([...pod.unschedulablePlugins, gate.name]);
      metrics.rejected(gate.name, pod.profile, 1);
    }
    metrics.preEnqueue(code, pod.profile, clock.monotonic() - start);
  }

  /** Returns whether the pod's gating plug-in still rejects it. */
  isStillGated(pod: QueuedPodInfo): boolean {
    return pod.gate !== undefined && this.#ask(pod.gate, pod) !== undefined;
  }

  #ask(plugin: Plugin, pod: QueuedPodInfo): Status | undefined {
    let status: Status | undefined;
    try {
      status = plugin.preEnqueue?.(pod.info.pod);
    } catch (error) {
      status = Status.failed(error);
    }
    if (status?.code === 'Error') {
      this.#options.logger.error('Unexpected error running PreEnqueue plugin', status.error, {
        pod: pod.key,
        plugin: plugin.name,
      });
    }
    return status;
  }
}

/** The last gating plug-in comes first, because it most likely rejects the pod again. */
function inOrder(plugins: readonly Plugin[], first: string | undefined): readonly Plugin[] {
  if (first === undefined || plugins[0]?.name === first) return plugins;
  return plugins.toSorted((a, b) => Number(b.name === first) - Number(a.name === first));
}
