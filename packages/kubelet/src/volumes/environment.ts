import type { EnvVarSource } from '@coxswain/api/core/v1';
import type { ConfigSource } from './config-source.ts';
import { containerResourceValue, type ResourceHolders } from './container-resource-value.ts';
import { expand } from './expansion.ts';

export interface EnvironmentInput extends ResourceHolders {
  readonly source: ConfigSource;
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
}

/**
 * The variables that the container's config maps and secrets, its pod, and its own texts make. Rejects with what the
 * container's status waits for when something is missing that must not be.
 *
 * Differs from upstream: there are none for services, since nobody is there to read them.
 */
export async function environmentOf(input: EnvironmentInput): Promise<Map<string, string>> {
  const { pod, container, source } = input;
  const env = new Map<string, string>();
  const namespace = pod.metadata.namespace ?? '';
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    if (!ref) continue;
    const data = await dataOf(configMapRef ? 'configmap' : 'secret', namespace, ref, source);
    for (const [key, value] of Object.entries(data ?? {})) env.set(prefix + key, value);
  }
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    // Each may use those before it.
    if (value !== '' || !valueFrom)
      env.set(
        name,
        expand(value, (other) => env.get(other)),
      );
    else {
      const read = await readSource(valueFrom, input);
      if (read !== undefined) env.set(name, read);
    }
  }
  return env;
}

async function readSource(from: EnvVarSource, input: EnvironmentInput): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from;
  const { pod, source } = input;
  if (fieldRef) return fieldOf(input, fieldRef.fieldPath);
  if (resourceFieldRef) return containerResourceValue(resourceFieldRef, input);
  const ref = configMapKeyRef ?? secretKeyRef;
  if (!ref) return undefined;
  const namespace = pod.metadata.namespace ?? '';
  const data = await dataOf(configMapKeyRef ? 'configmap' : 'secret', namespace, ref, source);
  const value = data?.[ref.key];
  if (value !== undefined || ref.optional) return value;
  const kind = configMapKeyRef ? 'ConfigMap' : 'Secret';
  throw new Error(`couldn't find key ${ref.key} in ${kind} ${namespace}/${ref.name}`);
}

/** Undefined when it is missing and may be. */
async function dataOf(
  kind: 'configmap' | 'secret',
  namespace: string,
  { name = '', optional }: { readonly name?: string; readonly optional?: boolean },
  source: ConfigSource,
): Promise<Readonly<Record<string, string>> | undefined> {
  const object = kind === 'configmap' ? await source.configMap(namespace, name) : await source.secret(namespace, name);
  if (object) return kind === 'configmap' ? (object.data ?? {}) : decoded(object.data);
  if (optional) return undefined;
  throw new Error(`${kind} "${name}" not found`);
}

const decoded = (data: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));

function fieldOf({ pod: { metadata, spec }, podIPs, hostIPs }: EnvironmentInput, path: string): string | undefined {
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.hostIP': hostIPs[0],
    'status.hostIPs': hostIPs.join(','),
    'status.podIP': podIPs[0],
    'status.podIPs': podIPs.join(','),
  };
  const entry = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (entry) return (entry[1] === 'labels' ? metadata.labels : metadata.annotations)?.[entry[2] ?? ''] ?? '';
  return fields[path] ?? '';
}
