import {
  type Evaluator,
  type Evaluators,
  isInScopes,
  isQuotaIgnored,
  resourceListOf,
  scopesOf,
  usageOf,
} from '@coxswain/api';
import type { ResourceQuota } from '@coxswain/api/core/v1';
import { GroupResource, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { deletedObject, NAMESPACE_INDEX, type ResourceEventHandler } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import { isSameList, quotaStatus } from './quota-status.ts';

const workers = 5;
/** How often everything is counted again. */
const resyncPeriodMs = 5 * 60_000;

/**
 * Maintains `status.used` of quotas. The API server increases it when objects are created. When objects are deleted or changed,
 * this controller counts them again.
 */
export class ResourceQuotaController implements Controller {
  readonly #context: ControllerContext;
  readonly #evaluators: Evaluators;
  readonly #counting: ReconcileLoop;
  /** Quotas without a usage for some limits, which therefore reject objects. They are counted first. */
  readonly #urgent: ReconcileLoop;
  /** The monitored resources, by names such as `deployments.apps`. */
  readonly #resources = new Map<string, MonitoredResource>();

  constructor(context: ControllerContext, evaluators: Evaluators) {
    const { informer } = context.informers.core.v1.resourceQuotas;
    this.#context = context;
    this.#evaluators = evaluators;
    const loop = (name: string): ReconcileLoop =>
      new ReconcileLoop(context, {
        name: `resourcequota_${name}`,
        workers,
        synced: [informer],
        reconcile: (key, signal) => this.#reconcile(key, signal),
      });
    this.#counting = loop('primary');
    this.#urgent = loop('priority');
    informer.addEventHandler(
      {
        onAdd: (quota) => this.#enqueue(quota),
        onUpdate: (old, quota) => {
          // Status changes are made by this controller or the API server and need no recount. On a resync both objects are
          // identical.
          if (old === quota) this.#counting.add(quota);
          else if (!isSameList(old.spec?.hard, quota.spec?.hard)) this.#enqueue(quota);
        },
      },
      { resyncPeriodMs },
    );
    context.monitors.subscribe({
      wants: isQuotable,
      handlerFor: (resource) => this.#handlerFor(resource),
      onSynced: (resource) => this.#enqueueAllOf(resource),
      onStopped: (resource) => this.#resources.delete(nameOf(resource)),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    // Resources that are not synced by then are counted as soon as they are.
    await this.#context.monitors.whenSynced(signal);
    await Promise.all([this.#counting.run(signal), this.#urgent.run(signal)]);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const quota = this.#context.informers.core.v1.resourceQuotas.informer.indexer.getByKey(key);
    if (!quota) return;
    const { namespace = '' } = quota.metadata;
    const counted = usageOf(quota, (resource) => this.#objectsOf(`${resource}`, namespace), this.#evaluators);
    const status = quotaStatus(quota, counted);
    if (!status) return;
    await this.#context.clients.core.v1.resourceQuotas(namespace).updateStatus({ ...quota, status }, { signal });
  }

  #enqueue(quota: ResourceQuota): void {
    const { spec, status } = quota;
    const isKnown = isSameList(spec?.hard, status?.hard) && this.#uncounted(quota).length === 0;
    (isKnown ? this.#counting : this.#urgent).add(quota);
  }

  /** Returns the limited resources that have no usage yet although they can be counted. */
  #uncounted({ status }: ResourceQuota): string[] {
    const used = status?.used ?? {};
    return Object.keys(status?.hard ?? {}).filter(
      (name) =>
        !Object.hasOwn(used, name) &&
        (this.#evaluators.special.some((evaluator) => evaluator.measures(name)) ||
          this.#resources.has(name.replace(/^count\//, ''))),
    );
  }

  /** Queues the quotas that limit a resource whose objects are all cached now. */
  #enqueueAllOf(resource: MonitoredResource): void {
    const evaluator = this.#evaluatorFor(resource);
    for (const quota of this.#context.informers.core.v1.resourceQuotas.informer.indexer.values()) {
      if (Object.keys(quota.spec?.hard ?? {}).some((name) => evaluator.measures(name))) this.#enqueue(quota);
    }
  }

  #handlerFor(resource: MonitoredResource): ResourceEventHandler<KubernetesObject> {
    this.#resources.set(nameOf(resource), resource);
    const evaluator = this.#evaluatorFor(resource);
    const canChange = this.#evaluators.special.includes(evaluator);
    return {
      ...(canChange && { onUpdate: (old, object) => this.#replenish(evaluator, old, object) }),
      onDelete: (deleted) => this.#replenish(evaluator, deletedObject(deleted)),
    };
  }

  /** Recounts quotas after an object was deleted or, with `object`, changed so that its usage or scopes differ. */
  #replenish(evaluator: Evaluator, old: KubernetesObject, object?: KubernetesObject): void {
    const { indexer } = this.#context.informers.core.v1.resourceQuotas.informer;
    const quotas = indexer.byIndex(NAMESPACE_INDEX, old.metadata?.namespace ?? '');
    const concerned = quotas.filter(({ status }) =>
      Object.keys(status?.hard ?? {}).some((name) => evaluator.measures(name)),
    );
    if (concerned.length === 0) return;
    const usesTheSame = object && isSameList(usage(evaluator, old), usage(evaluator, object));
    for (const quota of concerned) {
      const scopes = scopesOf(quota.spec ?? {});
      const isSame = usesTheSame && isInScopes(evaluator, old, scopes) === isInScopes(evaluator, object, scopes);
      if (!isSame) this.#counting.add(quota);
    }
  }

  /** Returns the objects of a resource, or undefined when the cache has not synced, so that they cannot be counted. */
  #objectsOf(name: string, namespace: string): readonly KubernetesObject[] | undefined {
    const resource = this.#resources.get(name);
    const informer = resource && this.#context.monitors.get(resource)?.informer;
    return informer?.hasSynced() ? informer.indexer.byIndex(NAMESPACE_INDEX, namespace) : undefined;
  }

  #evaluatorFor(resource: MonitoredResource): Evaluator {
    return this.#evaluators.of(groupResourceOf(resource));
  }
}

const groupResourceOf = ({ group, resource }: MonitoredResource): GroupResource => GroupResource.of(group, resource);

const nameOf = (resource: MonitoredResource): string => `${groupResourceOf(resource)}`;

const isQuotable = (resource: MonitoredResource): boolean =>
  resource.namespaced &&
  ['create', 'list', 'watch', 'delete'].every((verb) => resource.verbs.includes(verb)) &&
  !isQuotaIgnored(groupResourceOf(resource));

const usage = (evaluator: Evaluator, object: KubernetesObject) => resourceListOf(evaluator.usage(object));
