import type { Container, Pod } from '@coxswain/api/core/v1';
import { isSidecar } from '../pods/restart-rules.ts';
import { FATE_PREFIX } from './fate.ts';

/** What the behaviour of a hollow container depends on in its pod. CRI has no field for it, so it is passed as an annotation. */
export interface HollowRole {
  readonly kind: 'init' | 'sidecar' | 'main' | 'ephemeral';
  readonly isOfJob: boolean;
  /** Whether the pod's restart policy is Always, so that its containers are meant to run forever. */
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

/** Reads the role of a container. Without the annotation, it is the main container of a pod that always restarts. */
export const roleOf = (annotations: Readonly<Record<string, string>>): HollowRole =>
  JSON.parse(annotations[annotation] ?? '{"kind":"main","isOfJob":false,"restartsAlways":true}') as HollowRole;
