import type { Container, PodSpec } from '../generated/core/v1.ts';
import { type Amounts, addTo, amountsOf, raiseTo } from './amounts.ts';

/** The resource lists of a container. */
export type ResourceKind = 'requests' | 'limits';

/** Reports whether the container is a sidecar: an init container that keeps running beside the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** Returns a function that returns the requests or limits in a container's spec. */
export const specAmounts =
  (kind: ResourceKind) =>
  ({ resources }: Container): Amounts =>
    amountsOf(resources?.[kind]);

/**
 * Aggregates an amount over all containers of a pod. Containers that run at the same time are added up. The result is
 * at least the amount of any init container together with the sidecars started before it.
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

/** Returns the pod-level amounts of the supported resources, which replace those of the containers. */
export const podLevelAmounts = (
  { resources }: PodSpec,
  kind: ResourceKind,
  isOfPods: (name: string) => boolean,
): Amounts => new Map([...amountsOf(resources?.[kind])].filter(([name]) => isOfPods(name)));
