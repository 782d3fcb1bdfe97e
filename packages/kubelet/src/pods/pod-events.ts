import type { Container, Pod } from '@coxswain/api/core/v1';
import type { EventRecorder, EventType } from '@coxswain/client';

const podKind = { group: '', version: 'v1', kind: 'Pod' } as const;

/** Records events about pods and their containers. */
export class PodEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  pod(pod: Pod, type: EventType, reason: string, message: string): void {
    this.#recorder.event(pod, type, reason, message, { kind: podKind });
  }

  container(pod: Pod, container: Container, type: EventType, reason: string, message: string): void {
    this.#recorder.event(pod, type, reason, message, { kind: podKind, fieldPath: fieldPathOf(pod, container.name) });
  }
}

/** Returns an event's field path, such as `spec.containers{web}`. */
function fieldPathOf({ spec }: Pod, name: string): string {
  const isIn = (containers: readonly { readonly name: string }[] | undefined): boolean =>
    containers?.some((container) => container.name === name) ?? false;
  const list = isIn(spec?.containers)
    ? 'containers'
    : isIn(spec?.initContainers)
      ? 'initContainers'
      : 'ephemeralContainers';
  return `spec.${list}{${name}}`;
}

/** Formats a pod as in upstream's messages: `web_default(uid)`. */
export const podText = ({ metadata: { name, namespace, uid } }: Pod): string => `${name}_${namespace}(${uid})`;
