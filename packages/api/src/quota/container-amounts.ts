import type { Container, PodSpec } from '../generated/core/v1.ts';
import { type Amounts, addTo, amountsOf, raiseTo } from './amounts.ts';

/** Which of a container's two lists. */
export type ResourceKind = 'requests' | 'limits';

/** A sidecar: an init container that keeps running beside the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** What a container's spec asks for. */
export const specAmounts =
  (kind: ResourceKind) =>
  ({ resources }: Container): Amounts =>
    amountsOf(resources?.[kind]);

/**
 * What all containers of a pod need together: those that run side by side are added up, and the pod must also bear the
 * most that any init container needs together with the sidecars started before it.
 */
export function containerAmounts(
  { containers, initContainers }: PodSpec,
  amountsFor: (container: Container, isInit: boolean) => Amounts,
): Amounts {
  const total: Amounts = new Map();
  for (const container of containers ?? []) addTo(total, amountsFor(container, false));
  const sidecars: Amounts = new Map();
  const initMost: Amounts = new Map();
  for (const container of initContainers ?? []) {
    const own = amountsFor(container, true);
    if (isSidecar(container)) {
      addTo(total, own);
      raiseTo(initMost, addTo(sidecars, own));
    } else raiseTo(initMost, addTo(new Map(own), sidecars));
  }
  return raiseTo(total, initMost);
}

/** What a pod asks for as a whole, of resources of which it may: it takes the place of what its containers ask for. */
export const podLevelAmounts = (
  { resources }: PodSpec,
  kind: ResourceKind,
  isOfPods: (name: string) => boolean,
): Amounts => new Map([...amountsOf(resources?.[kind])].filter(([name]) => isOfPods(name)));
