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

/** A webhook to call, with the resource and kind to send. */
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

/** Determines which webhooks must be called for a write. */
export class WebhookMatcher {
  readonly #dependencies: MatcherDependencies;

  constructor(dependencies: MatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns how to call a webhook for a write; undefined when it does not match. `current` is the object after earlier
   * mutations. Throws an ApiError when that cannot be determined.
   */
  async invocation(
    hook: CompiledWebhook,
    attributes: AdmissionAttributes,
    current: KubernetesObject | undefined,
    inVersion: (kind: GroupVersionKind) => Promise<VersionedObjects>,
  ): Promise<Invocation | undefined> {
    const invocation = byRules(hook, attributes);
    // The object selector is cheaper, and comes first. Upstream's order only differs for missing namespaces.
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

/**
 * Returns the first match of a rule with the resource of the request or else, with Equivalent, with an equivalent one.
 */
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
