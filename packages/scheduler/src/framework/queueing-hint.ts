import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { QueueingHint, QueueingHintFn } from './cluster-event.ts';

/** A hint about objects of one kind: the one whose resource the plug-in registers it for. */
export function hintAbout<T extends KubernetesObject>(
  hint: (pod: Pod, before: T | undefined, after: T | undefined) => QueueingHint,
): QueueingHintFn {
  // Events of a resource have objects of its kind.
  return (pod, before, after) => hint(pod, before as T | undefined, after as T | undefined);
}

export const queueIf = (isWorthATry: boolean): QueueingHint => (isWorthATry ? 'Queue' : 'Skip');
