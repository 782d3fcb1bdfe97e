import type { ConfigMap, KeyToPath } from '@coxswain/api/core/v1';
import type { ConfigSource } from '../config-source.ts';
import type { Payload } from '../files/payload.ts';
import { keyPayload } from './key-payload.ts';
import { payloadVolume } from './payload-volume.ts';
import type { PluginContext, VolumePlugin } from './volume-plugin.ts';

/** `configMap`: the entries of a ConfigMap as files. */
export const configMap = (context: PluginContext): VolumePlugin =>
  payloadVolume(context, {
    name: 'kubernetes.io/configmap',
    supports: ({ volume }) => volume?.configMap !== undefined,
    // Memory would be taken from the kubelet's share, and the data are not secret.
    medium: undefined,
    async payload({ pod, spec }) {
      const { name = '', items, optional, defaultMode } = spec.volume?.configMap ?? {};
      return await configMapPayload(
        context.config,
        pod.metadata.namespace ?? '',
        { name, items, optional },
        defaultMode,
      );
    },
  });

/** Names an object and the entries of it that become files; all if there are no items. */
export interface ObjectReference {
  readonly name: string;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
}

/** Rejects if the ConfigMap or an entry is missing that is not optional. */
export async function configMapPayload(
  config: ConfigSource,
  namespace: string,
  reference: ObjectReference,
  defaultMode: number | undefined,
): Promise<Payload> {
  const object = await config.configMap(namespace, reference.name);
  if (!object && !reference.optional) throw new Error(`configmap "${reference.name}" not found`);
  return keyPayload(object ? entriesOf(object) : new Map(), reference, {
    defaultMode,
    missing: (key) => `configmap references non-existent config key: ${key}`,
  });
}

function entriesOf({ data, binaryData }: ConfigMap): ReadonlyMap<string, Buffer> {
  const binary = Object.entries(binaryData ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const);
  const text = Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value)] as const);
  return new Map([...text, ...binary]);
}
