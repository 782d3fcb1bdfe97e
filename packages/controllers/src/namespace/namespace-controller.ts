import type { Namespace } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import {
  BucketRateLimiter,
  DiscoveryClient,
  type DiscoveryInterface,
  ItemExponentialFailureRateLimiter,
  MaxOfRateLimiter,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { type DeletionReport, withReport } from './namespace-conditions.ts';
import { type Content, deletableIn, deleteContent, isPods } from './namespace-content.ts';

const workers = 10;
/** Delay that lets all API servers observe the deletion and reject new objects before the content is listed. */
const gracePeriodMs = 5000;
const resyncPeriodMs = 5 * 60_000;
/** The controller's own finalizer in the namespace's spec. */
const finalizer = 'kubernetes';

/** Deletes the content of terminating namespaces, then removes their finalizer. */
export class NamespaceController implements Controller {
  readonly #context: ControllerContext;
  readonly #discovery: DiscoveryInterface;
  readonly #loop: ReconcileLoop;

  constructor(context: ControllerContext) {
    const { informer } = context.informers.core.v1.namespaces;
    this.#context = context;
    this.#discovery = new DiscoveryClient(context.rest);
    this.#loop = new ReconcileLoop(context, {
      name: 'namespace',
      workers,
      synced: [informer],
      // A shorter maximum backoff than most controllers: one minute.
      rateLimiter: new MaxOfRateLimiter(
        new ItemExponentialFailureRateLimiter(5, 60_000),
        new BucketRateLimiter(10, 100, context.clock),
      ),
      reconcile: (name, signal) => this.#reconcile(name, signal),
    });
    const enqueue = (namespace: Namespace): void => {
      if (namespace.metadata.deletionTimestamp) this.#loop.addAfter(namespace, gracePeriodMs);
    };
    informer.addEventHandler({ onAdd: enqueue, onUpdate: (_, namespace) => enqueue(namespace) }, { resyncPeriodMs });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (!this.#context.informers.core.v1.namespaces.informer.indexer.getByKey(name)) return undefined;
    try {
      return await this.#empty(name, signal);
    } catch (error) {
      // The namespace is already deleted.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #empty(name: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const found = await this.#context.clients.core.v1.namespaces().get(name, { signal });
    const namespace = await this.#retryOnConflict(found, (latest) => this.#terminating(latest, signal), signal);
    if (!namespace.metadata.deletionTimestamp || !namespace.spec?.finalizers?.length) return undefined;
    const { report, estimateSeconds } = await this.#deleteContent(namespace, signal);
    const latest = await this.#report(namespace, report, signal);
    const failures = [report.discoveryFailure ?? [], ...report.contentFailures].flat();
    if (failures.length > 0) {
      throw new AggregateError(failures, failures.map(({ message }) => message).join(', '));
    }
    if (estimateSeconds > 0) return { requeueAfterMs: (Math.floor(estimateSeconds / 2) + 1) * 1000 };
    await this.#retryOnConflict(latest, (current) => this.#finalize(current, signal), signal);
    return undefined;
  }

  /** Deletes pods first, and other objects only when no pods remain, because running pods may need them. */
  async #deleteContent(
    { metadata }: Namespace,
    signal: AbortSignal,
  ): Promise<{ report: DeletionReport; estimateSeconds: number }> {
    const { resources, discoveryFailure } = await this.#discover(signal);
    const namespace = { name: metadata.name ?? '', deletedAtMs: Date.parse(metadata.deletionTimestamp ?? '') };
    const contents: Content[] = [];
    const report = (remaining?: readonly Content[]): { report: DeletionReport; estimateSeconds: number } => ({
      report: {
        ...(remaining && { remaining }),
        ...(discoveryFailure && { discoveryFailure }),
        contentFailures: contents.flatMap(({ failure }) => failure ?? []),
      },
      estimateSeconds: Math.max(0, ...contents.map(({ estimateSeconds }) => estimateSeconds)),
    });
    const podsFirst = [...resources].sort((a, b) => Number(isPods(b)) - Number(isPods(a)));
    for (const resource of podsFirst) {
      const content = await deleteContent(this.#context, resource, namespace, signal);
      contents.push(content);
      if (isPods(resource) && content.remaining > 0) return report();
    }
    return report(contents.filter(({ remaining }) => remaining > 0));
  }

  async #discover(
    signal: AbortSignal,
  ): Promise<{ resources: ReturnType<typeof deletableIn>; discoveryFailure?: Error }> {
    try {
      const { resourceLists, failure } = await this.#discovery.preferredNamespacedResources({ signal });
      return { resources: deletableIn(resourceLists), ...(failure && { discoveryFailure: failure }) };
    } catch (error) {
      signal.throwIfAborted();
      return { resources: [], discoveryFailure: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** Writes the conditions that show users what blocks the deletion. A failed write is only logged. */
  async #report(namespace: Namespace, report: DeletionReport, signal: AbortSignal): Promise<Namespace> {
    const { clients, clock, logger } = this.#context;
    const known = namespace.status?.conditions ?? [];
    const conditions = withReport(known, report, timeFromDate(new Date(clock.now())));
    if (conditions === known) return namespace;
    try {
      const status = { ...namespace.status, conditions: [...conditions] };
      return await clients.core.v1.namespaces().updateStatus({ ...namespace, status }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      logger.error("Couldn't update status condition for namespace", error, { namespace: namespace.metadata.name });
      return namespace;
    }
  }

  async #terminating(namespace: Namespace, signal: AbortSignal): Promise<Namespace> {
    const { metadata, status } = namespace;
    if (!metadata.deletionTimestamp || status?.phase === 'Terminating') return namespace;
    const terminating: Namespace = { ...namespace, status: { ...status, phase: 'Terminating' } };
    return this.#context.clients.core.v1.namespaces().updateStatus(terminating, { signal });
  }

  async #finalize({ metadata, spec }: Namespace, signal: AbortSignal): Promise<Namespace> {
    const finalizers = [...new Set(spec?.finalizers)].filter((name) => name !== finalizer).sort();
    return this.#context.clients.core.v1.namespaces().finalize({ metadata, spec: { ...spec, finalizers } }, { signal });
  }

  async #retryOnConflict(
    namespace: Namespace,
    change: (latest: Namespace) => Promise<Namespace>,
    signal: AbortSignal,
  ): Promise<Namespace> {
    for (let latest = namespace; ; ) {
      try {
        return await change(latest);
      } catch (error) {
        if (!isConflict(error)) throw error;
        latest = await this.#context.clients.core.v1.namespaces().get(namespace.metadata.name ?? '', { signal });
        if (latest.metadata.uid !== namespace.metadata.uid) {
          throw new Error('namespace uid has changed across retries', { cause: error });
        }
      }
    }
  }
}
