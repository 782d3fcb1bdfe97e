import { type ErrorList, notSupported, Path, required, setOwnEntry } from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { FeatureGates } from '../../../features/feature-gates.ts';
import type { Binding, Pod } from '../../../generated/core/v1.ts';
import type { Strategy } from '../../../strategy/strategy.ts';

/** Validates a binding, whose target must be a node. */
export function validateBinding({ target }: Binding): ErrorList {
  const errors: ErrorList = [];
  if (target.kind && target.kind !== 'Node')
    errors.push(notSupported(Path.of('target', 'kind'), target.kind, ['Node', '<empty>']));
  if (!target.name) errors.push(required(Path.of('target', 'name')));
  return errors;
}

/** Bindings are never stored; creating one calls `bindPod`. */
export const bindingStrategy: Strategy<Binding> = { validate: validateBinding };

/** Returns why the pod cannot be bound, with upstream's message; undefined if it can. The server responds with 409 Conflict. */
export function bindingConflict({ metadata, spec }: Pod): string | undefined {
  const { name } = metadata;
  if (metadata.deletionTimestamp) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${name} is already assigned to node "${spec.nodeName}"`;
  if ((spec?.schedulingGates ?? []).length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

/**
 * Assigns the pod to the binding's target node, takes over the binding's annotations and labels, and sets the
 * PodScheduled condition.
 */
export function bindPod(pod: Pod, { target, metadata }: Binding, now: Date, features: FeatureGates): void {
  pod.spec = { ...(pod.spec ?? { containers: [] }), nodeName: target.name ?? '' };
  const { nominatedNodeName, ...status } = pod.status ?? {};
  const keepNomination = nominatedNodeName && !features.enabled('ClearingNominatedNodeNameAfterBinding');
  const merged = (own: Record<string, string> | undefined, added: Record<string, string> | undefined) => {
    const result = { ...own };
    for (const [key, value] of Object.entries(added ?? {})) setOwnEntry(result, key, value);
    return Object.keys(result).length > 0 ? result : undefined;
  };
  const annotations = merged(pod.metadata.annotations, metadata.annotations);
  const labels = merged(
    pod.metadata.labels,
    features.enabled('PodTopologyLabelsAdmission') ? metadata.labels : undefined,
  );
  pod.metadata = { ...pod.metadata, ...(annotations && { annotations }), ...(labels && { labels }) };
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const lastTransitionTime =
    scheduled?.status === 'True' && scheduled.lastTransitionTime ? scheduled.lastTransitionTime : timeFromDate(now);
  const condition = { type: 'PodScheduled', status: 'True', lastTransitionTime };
  pod.status = {
    ...status,
    ...(keepNomination && { nominatedNodeName }),
    conditions: scheduled
      ? status.conditions!.map((one) => (one === scheduled ? condition : one))
      : [...(status.conditions ?? []), condition],
  };
}
