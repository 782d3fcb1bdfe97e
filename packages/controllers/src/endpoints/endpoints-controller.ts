import type { Endpoints, Pod, Service } from '@coxswain/api/core/v1';
import { hasStatusCause, isForbidden, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { GroupVersionKind } from '@coxswain/apimachinery/meta';
import { deletionHandlingKey, type EventRecorder, type SharedIndexInformer, splitKey } from '@coxswain/client';
import { TriggerTimes } from '../endpointslice/trigger-times.ts';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addLabelIndex } from '../framework/labels/label-index.ts';
import { podOfServicesHandler, podsOf } from '../framework/services/pod-endpoints.ts';
import { addSelectorIndex, selectorOf } from '../framework/services/service-index.ts';
import { OwnWrites } from '../framework/writes/own-writes.ts';
import { desiredSubsets, updatedEndpoints } from './service-endpoints.ts';

export interface EndpointsControllerOptions {
  /** `--endpoint-updates-batch-period`: how long changes of pods are delayed to be combined with others. */
  readonly batchPeriodMs?: number;
  /** `--concurrent-endpoint-syncs` */
  readonly workers?: number;
}

const maxRetries = 15;
const endpointsKind = GroupVersionKind.of('', 'v1', 'Endpoints');
/** Endpoints with this annotation are leader election locks. */
export const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Maintains the Endpoints of services, the predecessor of EndpointSlices. */
export class EndpointsController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #services: SharedIndexInformer<Service>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #endpoints: SharedIndexInformer<Endpoints>;
  readonly #triggerTimes = new TriggerTimes();
  readonly #ownWrites = new OwnWrites();
  readonly #batchPeriodMs: number;
  readonly #loop: ReconcileLoop;

  constructor(context: ControllerContext, { batchPeriodMs = 0, workers = 5 }: EndpointsControllerOptions = {}) {
    const { v1 } = context.informers.core;
    this.#context = context;
    this.#recorder = context.recorder('endpoint-controller');
    this.#services = v1.services.informer;
    this.#pods = v1.pods.informer;
    this.#endpoints = v1.endpoints.informer;
    this.#batchPeriodMs = batchPeriodMs;
    this.#loop = new ReconcileLoop(context, {
      name: 'endpoint',
      workers,
      synced: [this.#services, this.#pods, this.#endpoints],
      reconcile: (key) => this.#reconcile(key),
      maxRetries,
    });
    addLabelIndex(this.#pods);
    addSelectorIndex(this.#services);
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #reconcile(key: string): Promise<void> {
    const service = this.#services.indexer.getByKey(key);
    if (!service) return await this.#delete(key);
    if (service.spec?.type === 'ExternalName' || !selectorOf(service)) return;
    const pods = podsOf(this.#pods.indexer, service);
    const triggerTime = this.#triggerTimes.observe(key, service, pods);
    if (!this.#ownWrites.areSeen(key)) throw new Error('endpoints informer cache is out of date');
    const current = this.#endpoints.indexer.getByKey(key);
    const wanted = updatedEndpoints(current, service, { subsets: desiredSubsets(service, pods), triggerTime });
    if (!wanted) return;

    const client = this.#context.clients.core.v1.endpoints(service.metadata.namespace ?? '');
    try {
      const written = current ? await client.update(wanted) : await client.create(wanted);
      this.#ownWrites.wrote(key, this.#endpoints, written.metadata.resourceVersion);
    } catch (error) {
      // The namespace is being deleted: a retry is pointless.
      if (!current && isForbidden(error) && hasStatusCause(error, 'NamespaceTerminating')) return;
      const [reason, message] = current
        ? ['FailedToUpdateEndpoint', `Failed to update endpoint ${key}`]
        : ['FailedToCreateEndpoint', `Failed to create endpoint for service ${key}`];
      this.#recorder.event(wanted, 'Warning', reason, `${message}: ${messageOf(error)}`, { kind: endpointsKind });
      throw error;
    }
  }

  /** Deletes the Endpoints of a deleted service. */
  async #delete(key: string): Promise<void> {
    const isThere = this.#endpoints.indexer.getByKey(key) !== undefined || !this.#ownWrites.areSeen(key);
    const { namespace, name } = splitKey(key);
    const client = this.#context.clients.core.v1.endpoints(namespace);
    if (isThere) {
      await client.delete(name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
    this.#triggerTimes.forget(key);
    this.#ownWrites.forget(key);
  }

  #watch(): void {
    const loop = this.#loop;
    loop.follow(this.#services);
    const enqueue = (service: Service): void => loop.addAfter(service, this.#batchPeriodMs);
    this.#pods.addEventHandler(podOfServicesHandler(this.#services.indexer, enqueue));
    this.#endpoints.addEventHandler({
      onAdd: (endpoints, isInInitialList) => {
        // Its service may have been deleted while the controller was not running.
        const isLock = endpoints.metadata.annotations?.[leaderAnnotation] !== undefined;
        if (isInInitialList && !isLock) loop.add(endpoints);
      },
      onDelete: (deleted) => loop.queue.add(deletionHandlingKey(deleted)),
    });
  }
}
