import type { Endpoints, Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import {
  BucketRateLimiter,
  deletedObject,
  type EventRecorder,
  ItemExponentialFailureRateLimiter,
  MaxOfRateLimiter,
  type SharedIndexInformer,
} from '@coxswain/client';
import { leaderAnnotation } from '../endpoints/endpoints-controller.ts';
import { ownSliceHandler } from '../endpointslice/own-slice-handler.ts';
import { reuseDeleted } from '../endpointslice/slice-plan.ts';
import { addServiceIndex, SliceTracker, slicesOf } from '../endpointslice/slice-tracker.ts';
import { SliceWriter } from '../endpointslice/slice-writer.ts';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { selectorOf } from '../framework/services/service-index.ts';
import { endpointsKind, managedByMirroring, planMirroring } from './mirrored-slices.ts';

export interface EndpointSliceMirroringControllerOptions {
  /** `--mirroring-max-endpoints-per-subset` */
  readonly maxEndpointsPerSubset?: number;
  /** `--mirroring-endpointslice-updates-batch-period` */
  readonly batchPeriodMs?: number;
  /** `--mirroring-concurrent-service-endpoint-syncs` */
  readonly workers?: number;
}

const maxRetries = 15;

/** Maintains EndpointSlices for user-created Endpoints of services without selectors. */
export class EndpointSliceMirroringController implements Controller {
  readonly #recorder: EventRecorder;
  readonly #endpoints: SharedIndexInformer<Endpoints>;
  readonly #slices: SharedIndexInformer<EndpointSlice>;
  readonly #services: SharedIndexInformer<Service>;
  readonly #tracker = new SliceTracker();
  readonly #writer: SliceWriter;
  readonly #maxEndpointsPerSubset: number;
  readonly #batchPeriodMs: number;
  readonly #loop: ReconcileLoop;

  constructor(context: ControllerContext, options: EndpointSliceMirroringControllerOptions = {}) {
    const { maxEndpointsPerSubset = 1000, batchPeriodMs = 0, workers = 5 } = options;
    const { core, discovery } = context.informers;
    this.#recorder = context.recorder('endpoint-slice-mirroring-controller');
    this.#endpoints = core.v1.endpoints.informer;
    this.#services = core.v1.services.informer;
    this.#slices = discovery.v1.endpointSlices.informer;
    this.#writer = new SliceWriter(context.clients, this.#tracker, 'Endpoints');
    this.#maxEndpointsPerSubset = maxEndpointsPerSubset;
    this.#batchPeriodMs = batchPeriodMs;
    this.#loop = new ReconcileLoop(context, {
      name: 'endpoint_slice_mirroring',
      workers,
      synced: [this.#endpoints, this.#slices, this.#services],
      reconcile: (key) => this.#reconcile(key),
      maxRetries,
      rateLimiter: new MaxOfRateLimiter(
        new ItemExponentialFailureRateLimiter(1000, 100_000),
        new BucketRateLimiter(10, 100, context.clock),
      ),
    });
    addServiceIndex(this.#slices);
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #reconcile(key: string): Promise<void> {
    const endpoints = this.#endpoints.indexer.getByKey(key);
    const service = this.#services.indexer.getByKey(key);
    const slices = slicesOf(this.#slices.indexer, key, managedByMirroring);
    if (!endpoints || !isToBeMirrored(endpoints) || !service || selectorOf(service)) {
      return await this.#deleteAll(key, slices);
    }
    if (this.#tracker.areStale(key, slices)) throw new Error('EndpointSlice informer cache is out of date');
    const { plan, invalid, skipped } = planMirroring(endpoints, slices, this.#maxEndpointsPerSubset);
    this.#warn(endpoints, invalid, skipped);
    for (const slice of plan.unchanged) if (!this.#tracker.has(slice)) this.#tracker.written(slice);
    const problem = await this.#writer.carryOut(
      endpoints,
      reuseDeleted(plan, () => true),
    );
    if (problem !== undefined) throw new Error(problem);
  }

  async #deleteAll(key: string, slices: readonly EndpointSlice[]): Promise<void> {
    const problems: string[] = [];
    for (const slice of slices) {
      await this.#writer.delete(slice).catch((error: unknown) => problems.push(messageOf(error)));
    }
    this.#tracker.forget(key);
    if (problems.length === 0) return;
    const count = `${problems.length}/${slices.length}`;
    throw new Error(`error(s) deleting ${count} EndpointSlices for ${key} Endpoints, including: ${problems[0]}`);
  }

  #warn(endpoints: Endpoints, invalid: number, skipped: number): void {
    const warn = (reason: string, message: string): void =>
      this.#recorder.event(endpoints, 'Warning', reason, message, { kind: endpointsKind });
    if (invalid > 0) {
      warn('InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
    }
    if (skipped > invalid) {
      const limit = `A max of ${this.#maxEndpointsPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset`;
      warn('TooManyAddressesToMirror', `${limit}. ${skipped} addresses were skipped`);
    }
  }

  #watch(): void {
    const loop = this.#loop;
    const serviceChanged = (service: Service): void => {
      if (!selectorOf(service)) loop.add(service);
    };
    this.#services.addEventHandler({
      onAdd: serviceChanged,
      onUpdate: (old, service) => {
        if (!selectorOf(old) !== !selectorOf(service)) loop.add(service);
      },
      onDelete: (deleted) => serviceChanged(deletedObject(deleted)),
    });
    const endpointsChanged = (endpoints: Endpoints): void => {
      if (isToBeMirrored(endpoints)) loop.add(endpoints);
    };
    this.#endpoints.addEventHandler({
      onAdd: endpointsChanged,
      onUpdate: (old, endpoints) => {
        if (isToBeMirrored(old) || isToBeMirrored(endpoints)) loop.add(endpoints);
      },
      onDelete: (deleted) => endpointsChanged(deletedObject(deleted)),
    });
    this.#slices.addEventHandler(
      ownSliceHandler({
        managedBy: managedByMirroring,
        tracker: this.#tracker,
        enqueue: (key) => loop.queue.addAfter(key, this.#batchPeriodMs),
      }),
    );
  }
}

const isToBeMirrored = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.['endpointslice.kubernetes.io/skip-mirror'] !== 'true' && annotations?.[leaderAnnotation] === undefined;
