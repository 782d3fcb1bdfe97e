import type { ConfigSource } from '../config-source.ts';
import type { Payload } from '../files/payload.ts';
import type { ObjectReference } from './config-map.ts';
import { keyPayload } from './key-payload.ts';
import { payloadVolume } from './payload-volume.ts';
import type { PluginContext, VolumePlugin } from './volume-plugin.ts';

/** `secret`: the entries of a Secret as files, which are in memory only. */
export const secret = (context: PluginContext): VolumePlugin =>
  payloadVolume(context, {
    name: 'kubernetes.io/secret',
    supports: ({ volume }) => volume?.secret !== undefined,
    medium: 'Memory',
    async payload({ pod, spec }) {
      const { secretName: name = '', items, optional, defaultMode } = spec.volume?.secret ?? {};
      return await secretPayload(context.config, pod.metadata.namespace ?? '', { name, items, optional }, defaultMode);
    },
  });

/** Rejects if the Secret or an entry is missing that is not optional. */
export async function secretPayload(
  config: ConfigSource,
  namespace: string,
  reference: ObjectReference,
  defaultMode: number | undefined,
): Promise<Payload> {
  const object = await config.secret(namespace, reference.name);
  if (!object && !reference.optional) throw new Error(`secret "${reference.name}" not found`);
  const entries = Object.entries(object?.data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
  );
  return keyPayload(new Map(entries), reference, {
    defaultMode,
    missing: (key) => `references non-existent secret key: ${key}`,
  });
}
