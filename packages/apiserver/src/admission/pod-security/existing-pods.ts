import type { Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import { evaluatePod, reasonsOf } from './evaluate-pod.ts';
import { podLike } from './pod-template.ts';
import { describe, type LevelVersion } from './policy.ts';

const maxPods = 3000;
const maxMs = 1000;
/** Number of pods that are checked before yielding to the event loop. */
const batch = 200;

export interface ExistingPodsOptions {
  readonly namespace: string;
  readonly enforce: LevelVersion;
  readonly isExempt: (pod: Pod) => boolean;
  readonly now: () => Date;
  readonly eventLoop: EventLoop;
}

/** Pods with the same violations. */
interface Alike {
  readonly first: string;
  readonly count: number;
}

/** Returns the warnings for a namespace that enforces a new level: the violations of its existing pods. */
export async function existingPodWarnings(pods: readonly Pod[], options: ExistingPodsOptions): Promise<string[]> {
  const { namespace, enforce, isExempt, now, eventLoop } = options;
  const deadline = now().getTime() + maxMs;
  const inOrder = oneOfEachControllerFirst(pods.filter((pod) => !isExempt(pod)));
  const found = new Map<string, Alike>();
  const most = Math.min(inOrder.length, maxPods);
  let checked = 0;
  while (checked < most) {
    const pod = inOrder[checked]!;
    const violations = evaluatePod(enforce, podLike(pod));
    if (violations.length > 0) {
      const reasons = reasonsOf(violations);
      const name = pod.metadata.name ?? '';
      const alike = found.get(reasons) ?? { first: name, count: 0 };
      found.set(reasons, { first: name < alike.first ? name : alike.first, count: alike.count + 1 });
    }
    checked += 1;
    if (now().getTime() >= deadline) break;
    if (checked % batch === 0) await nextTurn(eventLoop);
  }
  const warnings: string[] = [];
  if (checked < inOrder.length)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked} of ${inOrder.length} existing pods`,
    );
  if (found.size > 0)
    warnings.push(
      `existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(describe(enforce))}`,
    );
  return [...warnings, ...[...found].map(([reasons, alike]) => `${nameFor(alike)}: ${reasons}`).sort()];
}

/** Pods of one controller are likely to be equal. */
function oneOfEachControllerFirst(pods: readonly Pod[]): Pod[] {
  const seen = new Set<string>();
  const others: Pod[] = [];
  const first = pods.filter((pod) => {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (uid === undefined) return true;
    if (seen.has(uid)) {
      others.push(pod);
      return false;
    }
    seen.add(uid);
    return true;
  });
  return [...first, ...others];
}

function nameFor({ first, count }: Alike): string {
  if (count === 1) return first;
  return count === 2 ? `${first} (and 1 other pod)` : `${first} (and ${count - 1} other pods)`;
}
