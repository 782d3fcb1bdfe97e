import type { Container, EnvVarSource, Pod } from '@coxswain/api/core/v1';
import type { ConfigSource } from './config-source.ts';

/**
 * The variables that the container's config maps and secrets, and its own texts, make. Rejects with what the container's
 * status waits for when something is missing that must not be.
 */
export async function environmentOf(
  pod: Pod,
  container: Container,
  source: ConfigSource,
): Promise<Map<string, string>> {
  const env = new Map<string, string>();
  const namespace = pod.metadata.namespace ?? '';
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    if (!ref) continue;
    const data = await dataOf(configMapRef ? 'configmap' : 'secret', namespace, ref, source);
    for (const [key, value] of Object.entries(data ?? {})) env.set(prefix + key, value);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value !== undefined) env.set(name, value);
    else if (valueFrom) {
      const read = await readSource(pod, valueFrom, source);
      if (read !== undefined) env.set(name, read);
    }
  }
  return env;
}

async function readSource(pod: Pod, from: EnvVarSource, source: ConfigSource): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef, fieldRef } = from;
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath);
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
  if (object) return object.data ?? {};
  if (optional) return undefined;
  throw new Error(`${kind} "${name}" not found`);
}

/** The simple ones; others need the runtime's knowledge. */
function fieldOf({ metadata, spec, status }: Pod, path: string): string | undefined {
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.hostIP': status?.hostIP,
    'status.podIP': status?.podIP,
  };
  const entry = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (entry) return (entry[1] === 'labels' ? metadata.labels : metadata.annotations)?.[entry[2] ?? ''] ?? '';
  return fields[path];
}
