import type { Container, Pod } from '@coxswain/api/core/v1';
import { isSidecar } from '../pods/restart-rules.ts';
import { FATE_PREFIX } from './fate.ts';

/** What a hollow container has to know of its pod to behave as a real one would. CRI does not tell it, so it is an annotation. */
export interface HollowRole {
  readonly kind: 'init' | 'sidecar' | 'main' | 'ephemeral';
  readonly isOfJob: boolean;
  /** Whether containers of the pod are meant to run for ever. */
  readonly restartsAlways: boolean;
}

const annotation = `${FATE_PREFIX}role`;

export function roleAnnotation({ metadata, spec }: Pod, container: Container): Readonly<Record<string, string>> {
  const isOf = (containers: readonly { readonly name: string }[] | undefined): boolean =>
    containers?.some(({ name }) => name === container.name) ?? false;
  const role: HollowRole = {
    kind: isOf(spec?.containers)
      ? 'main'
      : !isOf(spec?.initContainers)
        ? 'ephemeral'
        : isSidecar(container)
          ? 'sidecar'
          : 'init',
    isOfJob: metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'Job') ?? false,
    restartsAlways: (spec?.restartPolicy ?? 'Always') === 'Always',
  };
  return { [annotation]: JSON.stringify(role) };
}

/** Containers that no kubelet made are like those of a Deployment. */
export const roleOf = (annotations: Readonly<Record<string, string>>): HollowRole =>
  JSON.parse(annotations[annotation] ?? '{"kind":"main","isOfJob":false,"restartsAlways":true}') as HollowRole;
