import type { Node, Pod } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type SharedIndexInformer, waitForCacheSync } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { PeriodicTask } from '../framework/controller/periodic-task.ts';
import { inParallel } from '../framework/failures/in-parallel.ts';
import {
  type Disruption,
  excessTerminated,
  failedStatusPatch,
  terminatingOutOfService,
  terminatingUnscheduled,
} from './garbage.ts';

const checkPeriodMs = 20_000;
/** How long a node must be missing from the cache before the server is asked. */
const quarantineMs = 40_000;
const writesAtOnce = 500;
const nodeIsGone: Disruption = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };

export interface PodGarbageCollectorOptions {
  /** The number of terminated pods to keep. 0 or less keeps all. */
  readonly terminatedPodThreshold?: number;
}

/** Checks all pods every twenty seconds. */
export class PodGarbageCollector implements Controller {
  readonly #context: ControllerContext;
  readonly #threshold: number;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #nodes: SharedIndexInformer<Node>;
  /** When nodes that pods are bound to were first found missing. Existing nodes have no entry. */
  readonly #missingSince = new Map<string, number>();
  readonly #task: PeriodicTask;

  constructor(context: ControllerContext, { terminatedPodThreshold = 12_500 }: PodGarbageCollectorOptions) {
    this.#context = context;
    this.#threshold = terminatedPodThreshold;
    this.#pods = context.informers.core.v1.pods.informer;
    this.#nodes = context.informers.core.v1.nodes.informer;
    this.#task = new PeriodicTask(context, 'podgc', checkPeriodMs, () => this.#check());
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await waitForCacheSync(signal, this.#pods, this.#nodes);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await this.#task.run(signal);
  }

  async #check(): Promise<void> {
    const pods = this.#pods.indexer.list();
    const nodeOf = (name: string): Node | undefined => this.#nodes.indexer.getByKey(name);
    if (this.#threshold > 0) await this.#deleteAll(excessTerminated(pods, this.#threshold));
    await this.#deleteAll(terminatingOutOfService(pods, nodeOf));
    const gone = await this.#goneNodes(pods, nodeOf);
    await this.#deleteAll(
      pods.filter(({ spec }) => gone.has(spec?.nodeName ?? '')),
      nodeIsGone,
    );
    await this.#deleteAll(terminatingUnscheduled(pods));
  }

  /** Returns the nodes that have been missing for long enough and do not exist on the server either. */
  async #goneNodes(pods: readonly Pod[], nodeOf: (name: string) => Node | undefined): Promise<Set<string>> {
    const now = this.#context.clock.monotonic();
    const missing = new Set<string>();
    for (const { spec } of pods) if (spec?.nodeName && !nodeOf(spec.nodeName)) missing.add(spec.nodeName);
    for (const name of missing) if (!this.#missingSince.has(name)) this.#missingSince.set(name, now);
    const gone = new Set<string>();
    for (const [name, since] of this.#missingSince) {
      const isDue = missing.has(name) && now - since >= quarantineMs;
      if (isDue && !(await this.#exists(name))) gone.add(name);
      // If pods of the node remain, they wait for the quarantine period again.
      if (isDue || !missing.has(name)) this.#missingSince.delete(name);
    }
    return gone;
  }

  /** Whether the server has the node. True when the request fails. */
  async #exists(nodeName: string): Promise<boolean> {
    try {
      await this.#context.clients.core.v1.nodes().get(nodeName);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      this.#context.logger.error('Failed to read node', error, { node: nodeName });
      return true;
    }
  }

  async #deleteAll(pods: readonly Pod[], disruption?: Disruption): Promise<void> {
    const { clock, clients, logger } = this.#context;
    await inParallel(pods, writesAtOnce, async (pod) => {
      const { namespace = '', name = '' } = pod.metadata;
      const client = clients.core.v1.pods(namespace);
      const patch = failedStatusPatch(pod, disruption, timeFromDate(new Date(clock.now())));
      try {
        if (patch) await client.patch(name, 'strategic-merge', patch, { subresource: 'status' });
        await client.delete(name, { gracePeriodSeconds: 0 });
      } catch (error) {
        logger.error('Failed to delete pod', error, { pod: { namespace, name } });
      }
    });
  }
}
