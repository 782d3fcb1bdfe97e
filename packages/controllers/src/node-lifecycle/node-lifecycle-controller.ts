import type { Lease } from '@coxswain/api/coordination/v1';
import type { Node, NodeCondition, Pod, Taint } from '@coxswain/api/core/v1';
import { type EventRecorder, type SharedIndexInformer, waitForCacheSync } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { PeriodicTask } from '../framework/controller/periodic-task.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { inParallel } from '../framework/failures/in-parallel.ts';
import { recordNodeEvent, recordNodeStatusChange } from '../framework/nodes/node-events.ts';
import { addNodeIndex, podsOnNode } from '../framework/nodes/pod-node-index.ts';
import { isSameTaint, noScheduleTaintChange, notReadyTaintKey, unreachableTaintKey } from './condition-taints.ts';
import { labelsToUpdate } from './deprecated-labels.ts';
import { nodeCondition } from './node-condition.ts';
import { type GracePeriods, type NodeHealth, observeNode, silentConditions } from './node-health.ts';
import { NodeWrites } from './node-writes.ts';
import { TaintQueue } from './taint-queue.ts';
import {
  type EvictionRates,
  evictionRate,
  isExcludedFromDisruption,
  type ZoneState,
  zoneOf,
  zoneState,
} from './zones.ts';

export interface NodeLifecycleOptions extends Partial<GracePeriods>, Partial<EvictionRates> {
  readonly nodeMonitorPeriodMs?: number;
}

const defaults = {
  nodeMonitorPeriodMs: 5000,
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

const nodeWorkers = 8;
const podWorkers = 4;
const healthTries = 5;
const taintingPeriodMs = 100;
const taintRetryMs = 50;

const notReadyTaint: Taint = { key: notReadyTaintKey, effect: 'NoExecute' };
const unreachableTaint: Taint = { key: unreachableTaintKey, effect: 'NoExecute' };

/** A failure zone with at least one node. */
interface Zone {
  state: ZoneState;
  readonly queue: TaintQueue;
}

export class NodeLifecycleController implements Controller {
  readonly #context: ControllerContext;
  readonly #options: typeof defaults;
  readonly #recorder: EventRecorder;
  readonly #writes: NodeWrites;
  readonly #nodes: SharedIndexInformer<Node>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #leases: SharedIndexInformer<Lease>;
  readonly #nodeLoop: ReconcileLoop;
  readonly #podLoop: ReconcileLoop;
  /** Its keys are zones. */
  readonly #taintLoop: ReconcileLoop;
  readonly #monitor: PeriodicTask;
  readonly #zones = new Map<string, Zone>();
  /** The nodes at the previous check. */
  #known = new Map<string, Node>();
  /** The health of nodes in `#known`. */
  readonly #health = new Map<string, NodeHealth>();
  /** Nodes with pods that could not be marked as not ready. */
  readonly #unmarked = new Set<string>();

  constructor(context: ControllerContext, options: NodeLifecycleOptions) {
    this.#context = context;
    this.#options = { ...defaults, ...options };
    this.#recorder = context.recorder('node-controller');
    this.#writes = new NodeWrites(context, this.#recorder);
    this.#nodes = context.informers.core.v1.nodes.informer;
    this.#pods = context.informers.core.v1.pods.informer;
    this.#leases = context.informers.coordination.v1.leases.informer;
    addNodeIndex(this.#pods);
    const loop = (
      name: string,
      workers: number,
      reconcile: (key: string) => Promise<ReconcileResult | undefined>,
    ): ReconcileLoop => new ReconcileLoop(context, { name, workers, synced: [], reconcile });
    this.#nodeLoop = loop('node_lifecycle_controller', nodeWorkers, (name) => this.#reconcileNode(name));
    this.#podLoop = loop('node_lifecycle_controller_pods', podWorkers, (key) => this.#reconcilePod(key));
    this.#taintLoop = loop('node_lifecycle_controller_taints', 1, (zone) => this.#taintNodes(zone));
    const { nodeMonitorPeriodMs } = this.#options;
    this.#monitor = new PeriodicTask(context, 'monitoring nodes', nodeMonitorPeriodMs, () => this.#monitorNodes());
    this.#nodes.addEventHandler({
      onAdd: (node) => this.#nodeLoop.add(node),
      onUpdate: (_, node) => this.#nodeLoop.add(node),
    });
    this.#pods.addEventHandler({
      onAdd: (pod) => {
        if (pod.spec?.nodeName) this.#podLoop.add(pod);
      },
      onUpdate: (old, pod) => {
        if (pod.spec?.nodeName && pod.spec.nodeName !== old.spec?.nodeName) this.#podLoop.add(pod);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await waitForCacheSync(signal, this.#leases, this.#nodes, this.#pods);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const parts: readonly Controller[] = [this.#nodeLoop, this.#podLoop, this.#taintLoop, this.#monitor];
    await Promise.all(parts.map((part) => part.run(signal)));
  }

  /** Sets the NoSchedule taints and deprecated labels that the node's state requires. */
  async #reconcileNode(name: string): Promise<undefined> {
    const node = this.#nodes.indexer.getByKey(name);
    if (!node) return;
    const change = noScheduleTaintChange(node);
    if (change) await this.#writes.changeTaints(node, change);
    const labels = labelsToUpdate(node.metadata.labels);
    if (labels) await this.#writes.setLabels(node, labels);
  }

  /** Marks a pod as not ready that was bound to a node which is not ready. */
  async #reconcilePod(key: string): Promise<undefined> {
    const pod = this.#pods.indexer.getByKey(key);
    const ready = this.#health.get(pod?.spec?.nodeName ?? '')?.ready;
    if (pod && ready && ready.status !== 'True') await this.#writes.markPodsNotReady([pod]);
  }

  async #monitorNodes(): Promise<void> {
    const nodes = this.#nodes.indexer.list();
    await this.#welcomeAndForget(nodes);
    const readiness = new Map<string, { ready: number; notReady: number }>();
    await inParallel(nodes, nodeWorkers, async (cached) => {
      const found = await this.#checkHealth(cached);
      if (!found) return;
      const { node, ready, wasReady } = found;
      if (!isExcludedFromDisruption(node)) {
        const counts = readiness.get(zoneOf(node)) ?? { ready: 0, notReady: 0 };
        counts[ready?.status === 'True' ? 'ready' : 'notReady']++;
        readiness.set(zoneOf(node), counts);
      }
      if (ready) await this.#followUp(node, ready, wasReady);
      else this.#unmarked.delete(node.metadata.name ?? '');
    });
    await this.#updateZones(readiness, nodes);
    for (const [name, { queue }] of this.#zones) {
      // Delayed, so that the cache contains the taints and statuses that were just written.
      if (queue.isActive) this.#taintLoop.queue.addAfter(name, taintingPeriodMs);
    }
  }

  async #welcomeAndForget(nodes: readonly Node[]): Promise<void> {
    const known = this.#known;
    this.#known = new Map(nodes.map((node) => [node.metadata.name ?? '', node]));
    for (const [name, node] of this.#known) {
      if (known.has(name)) continue;
      recordNodeEvent(this.#recorder, node, 'RegisteredNode', `Registered Node ${name} in Controller`);
      await this.#markReachable(node);
    }
    for (const [name, node] of known) {
      if (this.#known.has(name)) continue;
      recordNodeEvent(this.#recorder, node, 'RemovingNode', `Removing Node ${name} from Controller`);
      this.#health.delete(name);
      this.#unmarked.delete(name);
      this.#zones.get(zoneOf(node))?.queue.remove(name);
    }
    const zones = new Set(nodes.map(zoneOf));
    for (const name of this.#zones.keys()) if (!zones.has(name)) this.#zones.delete(name);
  }

  /** Returns undefined when the node's status could not be written. The node is then skipped in this check. */
  async #checkHealth(cached: Node): Promise<{ node: Node; ready?: NodeCondition; wasReady: boolean } | undefined> {
    const { name = '' } = cached.metadata;
    const nodes = this.#context.clients.core.v1.nodes();
    const lease = this.#leases.indexer.getByKey(`kube-node-lease/${name}`);
    let node = cached;
    for (let left = healthTries; ; left--) {
      const now = this.#context.clock.now();
      const { health, isSilent } = observeNode(node, lease, this.#health.get(name), now, this.#options);
      this.#health.set(name, health);
      const wasReady = health.ready?.status === 'True';
      const conditions = isSilent ? silentConditions(node, this.#writes.now) : undefined;
      if (!conditions) return { node, wasReady, ...(health.ready && { ready: health.ready }) };
      try {
        const silent: Node = { ...node, status: { ...node.status, conditions } };
        await nodes.updateStatus(silent);
        const ready = nodeCondition(silent, 'Ready');
        this.#health.set(name, { ...health, ready });
        return { node: silent, wasReady, ...(ready && { ready }) };
      } catch (error) {
        const fresh = left > 1 ? await nodes.get(name).catch(() => undefined) : undefined;
        if (!fresh) {
          this.#context.logger.error('Update health of Node failed', error, { node: name });
          return undefined;
        }
        node = fresh;
      }
    }
  }

  async #followUp(node: Node, ready: NodeCondition, wasReady: boolean): Promise<void> {
    const { name = '' } = node.metadata;
    await this.#taintByReadiness(node, ready);
    const hasGoneSilent = ready.status !== 'True' && wasReady;
    if (hasGoneSilent) recordNodeStatusChange(this.#recorder, node, 'NodeNotReady');
    const isToMark = hasGoneSilent || (this.#unmarked.has(name) && !wasReady);
    this.#unmarked.delete(name);
    if (!isToMark) return;
    try {
      await this.#writes.markPodsNotReady(podsOnNode(this.#pods.indexer, name));
    } catch (error) {
      this.#context.logger.error('Unable to mark all pods NotReady on node; queuing for retry', error, { node: name });
      this.#unmarked.add(name);
    }
  }

  async #taintByReadiness(node: Node, { status }: NodeCondition): Promise<void> {
    if (status === 'True') return await this.#markReachable(node);
    const [wanted, opposite] =
      status === 'False' ? [notReadyTaint, unreachableTaint] : [unreachableTaint, notReadyTaint];
    if (hasTaint(node, opposite)) {
      // The pods' toleration time already started with the other taint, so the taint is replaced without rate limiting.
      await this.#tryChangeTaints(node, [wanted], [opposite]);
      return;
    }
    this.#zone(node).queue.add(node.metadata.name ?? '', !hasTaint(node, wanted));
  }

  async #markReachable(node: Node): Promise<void> {
    this.#zone(node).queue.remove(node.metadata.name ?? '');
    await this.#tryChangeTaints(node, [], [unreachableTaint, notReadyTaint]);
  }

  /** Updates the states of the zones and their tainting rates. */
  async #updateZones(
    readiness: ReadonlyMap<string, { ready: number; notReady: number }>,
    nodes: readonly Node[],
  ): Promise<void> {
    const zones = [...readiness].flatMap(([name, { ready, notReady }]) => {
      const zone = this.#zones.get(name) ?? this.#newZone(name);
      return [{ zone, next: zoneState(ready, notReady, this.#options), size: ready + notReady }];
    });
    const areAllDown = zones.every(({ next }) => next === 'FullDisruption');
    const wereAllDown = zones.every(({ zone }) => zone.state === 'FullDisruption');
    if (areAllDown && wereAllDown) return;
    if (areAllDown) {
      // A network problem of the controller itself is more likely than the failure of all nodes, so no node is tainted.
      await inParallel(nodes, nodeWorkers, (node) => this.#markReachable(node));
      for (const { zone } of zones) {
        zone.queue.setRate(0);
        zone.state = 'FullDisruption';
      }
      return;
    }
    if (wereAllDown) {
      const heardAt = this.#context.clock.now();
      for (const [name, health] of this.#health) this.#health.set(name, { ...health, heardAt });
    }
    for (const { zone, next, size } of zones) {
      if (wereAllDown || zone.state !== next) zone.queue.setRate(evictionRate(next, size, this.#options));
      zone.state = next;
    }
  }

  async #taintNodes(zoneName: string): Promise<ReconcileResult | undefined> {
    const queue = this.#zones.get(zoneName)?.queue;
    await queue?.process(async (name) => {
      const node = this.#nodes.indexer.getByKey(name);
      if (!node) return true;
      const status = this.#health.get(name)?.ready?.status;
      if (status === 'False') return await this.#tryChangeTaints(node, [notReadyTaint], [unreachableTaint]);
      if (status === 'Unknown') return await this.#tryChangeTaints(node, [unreachableTaint], [notReadyTaint]);
      return status === 'True';
    }, taintRetryMs);
    return queue?.isActive ? { requeueAfterMs: taintingPeriodMs } : undefined;
  }

  /** Returns whether the change succeeded. After a failure the next check tries again. */
  async #tryChangeTaints(node: Node, add: readonly Taint[], remove: readonly Taint[]): Promise<boolean> {
    try {
      await this.#writes.changeTaints(node, { add, remove });
      return true;
    } catch (error) {
      this.#context.logger.error('Failed to change taints of node', error, { node });
      return false;
    }
  }

  #zone(node: Node): Zone {
    const name = zoneOf(node);
    return this.#zones.get(name) ?? this.#newZone(name);
  }

  #newZone(name: string): Zone {
    const queue = new TaintQueue(this.#context.clock, this.#options.nodeEvictionRate);
    const zone: Zone = { state: 'Initial', queue };
    this.#zones.set(name, zone);
    return zone;
  }
}

const hasTaint = (node: Node, taint: Taint): boolean =>
  node.spec?.taints?.some((one) => isSameTaint(one, taint)) === true;
