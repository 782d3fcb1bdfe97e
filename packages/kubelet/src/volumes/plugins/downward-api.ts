import type { DownwardAPIVolumeFile, Node, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { containerResourceValue } from '../container-resource-value.ts';
import type { Payload } from '../files/payload.ts';
import { podField } from '../pod-field.ts';
import { aggregateErrors } from './aggregate-errors.ts';
import { modeOf } from './key-payload.ts';
import { payloadVolume } from './payload-volume.ts';
import type { PluginContext, VolumePlugin } from './volume-plugin.ts';

/** `downwardAPI`: fields of the pod, and resources of its containers, as files. */
export const downwardAPI = (context: PluginContext): VolumePlugin =>
  payloadVolume(context, {
    name: 'kubernetes.io/downward-api',
    supports: ({ volume }) => volume?.downwardAPI !== undefined,
    medium: 'Memory',
    async payload({ pod, spec }) {
      const { items, defaultMode } = spec.volume?.downwardAPI ?? {};
      return downwardAPIPayload(pod, context.node(), items ?? [], defaultMode);
    },
  });

/** Throws if a field or a container does not exist. */
export function downwardAPIPayload(
  pod: Pod,
  node: Node | undefined,
  items: readonly DownwardAPIVolumeFile[],
  defaultMode: number | undefined,
): Payload {
  const payload: Payload = new Map();
  const errors: string[] = [];
  for (const { path, mode, fieldRef, resourceFieldRef } of items) {
    try {
      const [container] = pod.spec?.containers ?? [];
      let text = '';
      if (fieldRef) text = podField(pod, fieldRef.fieldPath);
      else if (resourceFieldRef && container) text = containerResourceValue(resourceFieldRef, { pod, container, node });
      payload.set(path, { data: Buffer.from(text), mode: modeOf(mode, defaultMode) });
    } catch (error) {
      errors.push(messageOf(error));
    }
  }
  aggregateErrors(errors);
  return payload;
}
