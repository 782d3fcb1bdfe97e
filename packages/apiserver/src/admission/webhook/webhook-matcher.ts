import {
  type GroupVersionKind,
  type GroupVersionResource,
  type KubernetesObject,
  newForbidden,
} from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';
import { holds } from '../expressions/match-conditions.ts';
import { selectsNamespace, selectsObject } from '../match-selectors.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { admissionRequest } from './admission-review.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import type { VersionedObjects } from './versioned-objects.ts';
import type { WebhookMetrics, WebhookType } from './webhook-metrics.ts';

/** A webhook that is to be asked, and what it is told that the write is to. */
export interface Invocation {
  readonly hook: CompiledWebhook;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

export interface MatcherDependencies {
  readonly context: Pick<AdmissionContext, 'listers' | 'client'>;
  readonly metrics: WebhookMetrics;
  readonly type: WebhookType;
}

/** Finds out which webhooks a write concerns. */
export class WebhookMatcher {
  readonly #dependencies: MatcherDependencies;

  constructor(dependencies: MatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * How to ask a webhook about a write; undefined when it need not know. `current` is the object as it has become.
   * Throws an ApiError when a webhook is concerned as far as can be said, but that is not far enough.
   */
  async invocation(
    hook: CompiledWebhook,
    attributes: AdmissionAttributes,
    current: KubernetesObject | undefined,
    inVersion: (kind: GroupVersionKind) => Promise<VersionedObjects>,
  ): Promise<Invocation | undefined> {
    const invocation = byRules(hook, attributes);
    // The cheap one first; upstream's order tells only when a namespace is not there.
    if (!invocation || !selectsObject(hook.objectSelector, current, attributes.oldObject)) return undefined;
    if (!(await selectsNamespace(this.#dependencies.context, hook.namespaceSelector, attributes))) return undefined;
    if (hook.matchConditions && !(await this.#conditionsHold(invocation, attributes, inVersion))) return undefined;
    return invocation;
  }

  async #conditionsHold(
    { hook, resource, kind }: Invocation,
    attributes: AdmissionAttributes,
    inVersion: (kind: GroupVersionKind) => Promise<VersionedObjects>,
  ): Promise<boolean> {
    const { metrics, type } = this.#dependencies;
    const { name } = hook.webhook;
    const start = attributes.clock.monotonic();
    const { object, oldObject } = await inVersion(kind);
    const request = admissionRequest(attributes, { resource, kind });
    const result = await holds(hook.matchConditions!, { attributes, object, oldObject, request });
    metrics.conditionsEvaluated(
      name,
      type,
      attributes.operation,
      (attributes.clock.monotonic() - start) / 1000,
      result,
    );
    if (!(result instanceof Error)) return result;
    if (hook.failsOpen) return false;
    throw newForbidden(attributes.resource.groupResource, attributes.name, result);
  }
}

/** The first rule that is for the request as it is; else, where that is allowed, for what it could have been. */
function byRules(hook: CompiledWebhook, attributes: AdmissionAttributes): Invocation | undefined {
  const { resource, kind, objects } = attributes;
  if (hook.rules.some((matches) => matches(attributes))) return { hook, resource, kind };
  if (!hook.equivalent || !objects) return undefined;
  const { operation, subresource, namespace } = attributes;
  const others = objects.equivalents().filter((other) => other.resource !== resource);
  for (const matches of hook.rules)
    for (const other of others)
      if (matches({ operation, subresource, namespace, resource: other.resource })) return { hook, ...other };
  return undefined;
}
