import type { Node, Pod, Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import {
  BucketRateLimiter,
  type EventRecorder,
  ItemExponentialFailureRateLimiter,
  MaxOfRateLimiter,
  type SharedIndexInformer,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addLabelIndex } from '../framework/labels/label-index.ts';
import { type IPFamily, podOfServicesHandler, podsOf } from '../framework/services/pod-endpoints.ts';
import { addSelectorIndex, selectorOf } from '../framework/services/service-index.ts';
import { zoneLabel } from './endpoint.ts';
import { ownSliceHandler } from './own-slice-handler.ts';
import { addressTypes, planSlices } from './service-slices.ts';
import { isOwnedBy, managedByPods, serviceKind, withTriggerTime } from './slice-metadata.ts';
import { reuseDeleted, type SlicePlan } from './slice-plan.ts';
import { addServiceIndex, SliceTracker, slicesOf } from './slice-tracker.ts';
import { SliceWriter } from './slice-writer.ts';
import { disabled, type Notice, TopologyHints, wantsTopologyHints } from './topology-hints.ts';
import { hintOwnPlace, removeHints, trafficDistribution } from './traffic-distribution.ts';
import { TriggerTimes } from './trigger-times.ts';
import { isNodeReady } from './zone-capacity.ts';

export interface EndpointSliceControllerOptions {
  /** `--max-endpoints-per-slice` */
  readonly maxEndpointsPerSlice?: number;
  /** `--endpointslice-updates-batch-period`: how long changes of pods are delayed to be combined with others. */
  readonly batchPeriodMs?: number;
  /** `--concurrent-service-endpoint-syncs` */
  readonly workers?: number;
}

const maxRetries = 15;

/** Delay after another client has changed a slice, because more changes may follow. */
const sliceChangeDelayMs = 1000;

const topologyKey = 'nodes';

/** Maintains the EndpointSlices of services with selectors. */
export class EndpointSliceController implements Controller {
  readonly #recorder: EventRecorder;
  readonly #services: SharedIndexInformer<Service>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #nodes: SharedIndexInformer<Node>;
  readonly #slices: SharedIndexInformer<EndpointSlice>;
  readonly #tracker = new SliceTracker();
  readonly #writer: SliceWriter;
  readonly #triggerTimes = new TriggerTimes();
  readonly #topology: TopologyHints;
  readonly #maxEndpointsPerSlice: number;
  readonly #batchPeriodMs: number;
  readonly #loop: ReconcileLoop;
  /** Has a single key, which stands for a change of nodes. */
  readonly #topologyLoop: ReconcileLoop;

  constructor(context: ControllerContext, options: EndpointSliceControllerOptions = {}) {
    const { maxEndpointsPerSlice = 100, batchPeriodMs = 0, workers = 5 } = options;
    const { core, discovery } = context.informers;
    this.#recorder = context.recorder('endpoint-slice-controller');
    this.#services = core.v1.services.informer;
    this.#pods = core.v1.pods.informer;
    this.#nodes = core.v1.nodes.informer;
    this.#slices = discovery.v1.endpointSlices.informer;
    this.#writer = new SliceWriter(context.clients, this.#tracker, 'Service');
    this.#topology = new TopologyHints(() => this.#nodes.indexer.values());
    this.#maxEndpointsPerSlice = maxEndpointsPerSlice;
    this.#batchPeriodMs = batchPeriodMs;
    const synced = [this.#services, this.#pods, this.#nodes, this.#slices];
    this.#loop = new ReconcileLoop(context, {
      name: 'endpoint_slice',
      workers,
      synced,
      reconcile: (key) => this.#reconcile(key),
      maxRetries,
      // Slices are large and are sent to every node, so retries are at least a second apart.
      rateLimiter: new MaxOfRateLimiter(
        new ItemExponentialFailureRateLimiter(1000, 1_000_000),
        new BucketRateLimiter(10, 100, context.clock),
      ),
    });
    this.#topologyLoop = new ReconcileLoop(context, {
      name: 'endpoint_slice_topology',
      workers: 1,
      synced,
      reconcile: async () => {
        for (const key of this.#topology.overloadedServices()) this.#loop.queue.add(key);
      },
    });
    addLabelIndex(this.#pods);
    addSelectorIndex(this.#services);
    addServiceIndex(this.#slices);
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#loop.run(signal), this.#topologyLoop.run(signal)]);
  }

  async #reconcile(key: string): Promise<void> {
    const service = this.#services.indexer.getByKey(key);
    if (!service) return this.#forget(key);
    if (service.spec?.type === 'ExternalName' || !selectorOf(service)) return;
    const pods = podsOf(this.#pods.indexer, service);
    const slices = slicesOf(this.#slices.indexer, key, managedByPods).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    if (this.#tracker.areStale(key, slices)) throw new Error('EndpointSlice informer cache is out of date');
    const triggerTime = this.#triggerTimes.observe(key, service, pods);

    const problems: string[] = [];
    const types = addressTypes(service);
    for (const addressType of types) {
      const existing = slices.filter((slice) => slice.addressType === addressType);
      problems.push(...(await this.#reconcileType(key, { service, pods, existing, addressType, triggerTime })));
    }
    const others = slices.filter(({ addressType }) => !types.some((type) => type === addressType));
    problems.push(...(await this.#deleteOthers(key, service, others)));
    if (problems.length > 0) this.#fail(service, problems);
  }

  async #reconcileType(
    key: string,
    { service, pods, existing, addressType, triggerTime }: TypeState,
  ): Promise<string[]> {
    const { plan, problems } = planSlices({
      service,
      pods,
      existing,
      addressType,
      nodeOf: ({ spec }) => this.#nodes.indexer.getByKey(spec?.nodeName ?? ''),
      maxEndpointsPerSlice: this.#maxEndpointsPerSlice,
    });
    const { plan: hinted, notices } = this.#hint(key, service, addressType, plan);
    const reused = reuseDeleted(hinted, (slice) => isOwnedBy(slice, service));
    const problem = await this.#writer.carryOut(service, {
      ...reused,
      create: reused.create.map((slice) => withTriggerTime(slice, triggerTime)),
      update: reused.update.map((slice) => withTriggerTime(slice, triggerTime)),
    });
    for (const { type, reason, message } of notices) {
      this.#recorder.event(service, type, reason, message, { kind: serviceKind });
    }
    return problem === undefined ? problems : [...problems, problem];
  }

  #hint(key: string, service: Service, addressType: IPFamily, plan: SlicePlan): { plan: SlicePlan; notices: Notice[] } {
    if (wantsTopologyHints(service)) return this.#topology.hint(key, addressType, plan);
    const notices = this.#topology.isEnabled(key)
      ? [disabled('Topology Aware Hints has been disabled', addressType)]
      : [];
    this.#topology.forget(key, addressType);
    const prefer = trafficDistribution(service);
    return { plan: prefer ? hintOwnPlace(plan, prefer) : removeHints(plan), notices };
  }

  /** Deletes slices of address types that the service no longer has. */
  async #deleteOthers(key: string, service: Service, slices: readonly EndpointSlice[]): Promise<string[]> {
    const { namespace, name } = service.metadata;
    const problems: string[] = [];
    for (const slice of slices) {
      this.#topology.forget(key, slice.addressType);
      await this.#writer.delete(slice).catch((error: unknown) => {
        const what = `error deleting ${slice.metadata.name} EndpointSlice for Service ${namespace}/${name}`;
        problems.push(`${what}: ${messageOf(error)}`);
      });
    }
    return problems;
  }

  #fail(service: Service, problems: readonly string[]): never {
    const unique = [...new Set(problems)];
    const message = unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`;
    const { namespace, name } = service.metadata;
    const told = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${message}`;
    this.#recorder.event(service, 'Warning', 'FailedToUpdateEndpointSlices', told, { kind: serviceKind });
    throw new Error(message);
  }

  #forget(key: string): void {
    this.#triggerTimes.forget(key);
    this.#tracker.forget(key);
    this.#topology.forgetService(key);
  }

  #watch(): void {
    const loop = this.#loop;
    loop.follow(this.#services);
    const enqueue = (service: Service): void => loop.addAfter(service, this.#batchPeriodMs);
    this.#pods.addEventHandler(podOfServicesHandler(this.#services.indexer, enqueue));
    const sliceDelayMs = Math.max(sliceChangeDelayMs, this.#batchPeriodMs);
    this.#slices.addEventHandler(
      ownSliceHandler({
        managedBy: managedByPods,
        tracker: this.#tracker,
        enqueue: (key) => loop.queue.addAfter(key, sliceDelayMs),
      }),
    );
    const nodesChanged = (): void => {
      this.#topology.nodesChanged();
      this.#topologyLoop.queue.add(topologyKey);
    };
    this.#nodes.addEventHandler({
      onAdd: nodesChanged,
      onUpdate: (old, node) => {
        const hasMoved = old.metadata.labels?.[zoneLabel] !== node.metadata.labels?.[zoneLabel];
        if (hasMoved || isNodeReady(old) !== isNodeReady(node)) nodesChanged();
      },
      onDelete: nodesChanged,
    });
  }
}

interface TypeState {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly existing: readonly EndpointSlice[];
  readonly addressType: IPFamily;
  readonly triggerTime: string | undefined;
}
