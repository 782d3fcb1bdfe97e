import type { Path } from '@coxswain/apimachinery';
import type { Container, EphemeralContainer, PodSpec } from '../../../generated/core/v1.ts';

/** What all containers of a pod have in common, whatever their lists. */
export type AnyContainer = Container | EphemeralContainer;

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** The spec of a pod that says nothing. */
export const emptyPodSpec: Readonly<PodSpec> = Object.freeze({ containers: [] });

/** The regular containers. The list is null in memory when there are none, as JSON shows it. */
export const containersOf = (spec: PodSpec | undefined): readonly Container[] => spec?.containers ?? [];

/** Regular containers, then those that initialise. */
export const regularAndInitContainers = (spec: PodSpec): Container[] => [
  ...containersOf(spec),
  ...(spec.initContainers ?? []),
];

/** Every container: those that initialise, the regular ones, then the ephemeral ones. */
export function* allContainers(spec: PodSpec): Generator<AnyContainer> {
  for (const list of containerLists) yield* spec[list] ?? [];
}

/** Every container with its place, in the order of `allContainers`. */
export function* containersWithPath(spec: PodSpec, specPath: Path): Generator<[container: AnyContainer, path: Path]> {
  for (const list of containerLists) {
    const containers: readonly AnyContainer[] | undefined = spec[list];
    if (!containers || containers.length === 0) continue;
    const path = specPath.child(list);
    for (let i = 0; i < containers.length; i++) yield [containers[i]!, path.index(i)];
  }
}

/** Whether any container of the pod is as the function says. */
export function someContainer(spec: PodSpec, test: (container: AnyContainer) => boolean): boolean {
  for (const list of containerLists) {
    const containers: readonly AnyContainer[] | undefined = spec[list];
    if (containers?.some(test)) return true;
  }
  return false;
}
