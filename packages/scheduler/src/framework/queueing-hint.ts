import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { QueueingHint, QueueingHintFn } from './cluster-event.ts';

/** Creates a hint function for objects of one kind: that of the resource which the plug-in registers the hint for. */
export function hintAbout<T extends KubernetesObject>(
  hint: (pod: Pod, before: T | undefined, after: T | undefined) => QueueingHint,
): QueueingHintFn {
  // The events of a resource contain only objects of its kind.
  return (pod, before, after) => hint(pod, before as T | undefined, after as T | undefined);
}

export const queueIf = (isWorthATry: boolean): QueueingHint => (isWorthATry ? 'Queue' : 'Skip');
