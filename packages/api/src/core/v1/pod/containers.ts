import type { Path } from '@coxswain/apimachinery';
import type { Container, EphemeralContainer, PodSpec } from '../../../generated/core/v1.ts';

/** A container of any of a pod's lists. */
export type AnyContainer = Container | EphemeralContainer;

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Stands for the spec of a pod that has none. */
export const emptyPodSpec: Readonly<PodSpec> = Object.freeze({ containers: [] });

/** Returns the regular containers. The list is null in memory when JSON has null. */
export const containersOf = (spec: PodSpec | undefined): readonly Container[] => spec?.containers ?? [];

/** Returns the regular containers, then the init containers. */
export const regularAndInitContainers = (spec: PodSpec): Container[] => [
  ...containersOf(spec),
  ...(spec.initContainers ?? []),
];

/** Yields every container: init containers, regular ones, then ephemeral ones. */
export function* allContainers(spec: PodSpec): Generator<AnyContainer> {
  for (const list of containerLists) yield* spec[list] ?? [];
}

/** Yields every container with its path, in the order of `allContainers`. */
export function* containersWithPath(spec: PodSpec, specPath: Path): Generator<[container: AnyContainer, path: Path]> {
  for (const list of containerLists) {
    const containers: readonly AnyContainer[] | undefined = spec[list];
    if (!containers || containers.length === 0) continue;
    const path = specPath.child(list);
    for (let i = 0; i < containers.length; i++) yield [containers[i]!, path.index(i)];
  }
}

/** Reports whether the predicate holds for any container of the pod. */
export function someContainer(spec: PodSpec, test: (container: AnyContainer) => boolean): boolean {
  for (const list of containerLists) {
    const containers: readonly AnyContainer[] | undefined = spec[list];
    if (containers?.some(test)) return true;
  }
  return false;
}
