import type { EnvVarSource, FileKeySelector, ObjectFieldSelector } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { serviceEnvironment } from '../network/service-environment.ts';
import type { ServiceSource } from '../network/service-source.ts';
import { isStaticPod } from '../static-pods/read-static-pods.ts';
import type { ConfigSource } from './config-source.ts';
import { containerResourceValue, type ResourceHolders } from './container-resource-value.ts';
import { envFileValue } from './env-file.ts';
import { expand } from './expansion.ts';
import { podField } from './pod-field.ts';

export interface EnvironmentInput extends ResourceHolders {
  readonly source: ConfigSource;
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
  /** If undefined, containers get no variables of Services. */
  readonly services?: ServiceSource | undefined;
  /** Returns the text of a file in a mounted volume of the pod. */
  readFile?(volume: string, path: string): Promise<string>;
}

/**
 * Returns the variables of a container: those of its config maps, secrets, fields and texts, then those of services that the container
 * does not set itself. Rejects with the message for the container's status if something is missing.
 */
export async function environmentOf(input: EnvironmentInput): Promise<Map<string, string>> {
  const { pod, container, source } = input;
  const ofServices = serviceVariables(input);
  const env = new Map<string, string>();
  const namespace = pod.metadata.namespace ?? '';
  for (const { configMapRef, secretRef, prefix = '' } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    if (!ref) continue;
    const data = await dataOf(configMapRef ? 'configmap' : 'secret', namespace, ref, source);
    for (const [key, value] of Object.entries(data ?? {})) env.set(prefix + key, value);
  }
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    // A variable can refer to variables before it and to those of Services.
    if (value !== '' || !valueFrom)
      env.set(
        name,
        expand(value, (other) => env.get(other) ?? ofServices.get(other)),
      );
    else {
      const read = await readSource(valueFrom, input);
      if (read !== undefined) env.set(name, read);
    }
  }
  for (const [name, value] of ofServices) if (!env.has(name)) env.set(name, value);
  return env;
}

/** Throws until the Services have been listed: a container needs the variables of the API server. */
function serviceVariables({ pod, services }: EnvironmentInput): ReadonlyMap<string, string> {
  if (!services) return new Map();
  const { enableServiceLinks } = pod.spec ?? {};
  if (enableServiceLinks === undefined) {
    throw new Error('nil pod.spec.enableServiceLinks encountered, cannot construct envvars');
  }
  // Static pods do not wait: the API server may be one of them.
  if (!isStaticPod(pod) && !services.hasSynced) {
    throw new Error('services have not yet been read at least once, cannot construct envvars');
  }
  const namespace = pod.metadata.namespace ?? '';
  const namespaces = new Set(['default', namespace]);
  const all = [...namespaces].flatMap((each) => services.inNamespace(each));
  return serviceEnvironment(all, namespace, enableServiceLinks);
}

async function readSource(from: EnvVarSource, input: EnvironmentInput): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef, fileKeyRef } = from;
  const { pod, source } = input;
  if (fieldRef) return fieldOf(input, fieldRef);
  if (resourceFieldRef) return containerResourceValue(resourceFieldRef, input);
  if (fileKeyRef) return await fileValue(fileKeyRef, input);
  const ref = configMapKeyRef ?? secretKeyRef;
  if (!ref) return '';
  const namespace = pod.metadata.namespace ?? '';
  const data = await dataOf(configMapKeyRef ? 'configmap' : 'secret', namespace, ref, source);
  const value = data?.[ref.key];
  if (value !== undefined || ref.optional) return value;
  const kind = configMapKeyRef ? 'ConfigMap' : 'Secret';
  throw new Error(`couldn't find key ${ref.key} in ${kind} ${namespace}/${ref.name}`);
}

/** Returns the data of a config map or secret; undefined if it does not exist and is optional. */
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

/**
 * Returns the value of a variable in a file of a volume; undefined if it is missing and optional.
 *
 * Differs from upstream: the message has the path inside the volume, not that on the node, and symlinks are not followed.
 */
async function fileValue(ref: FileKeySelector, { readFile }: EnvironmentInput): Promise<string | undefined> {
  const { volumeName, path, key, optional } = ref;
  if (!readFile) throw new Error(`cannot find the volume ${quote(volumeName)} referenced by FileKeyRef`);
  const text = await readFile(volumeName, path);
  let value: string;
  try {
    value = envFileValue(text, key);
  } catch (cause) {
    throw new Error("couldn't parse env file", { cause });
  }
  if (value !== '') return value;
  if (optional) return undefined;
  throw new Error(`environment variable key ${quote(key)} not found in file ${quote(path)}`);
}

function fieldOf({ pod, podIPs, hostIPs }: EnvironmentInput, { fieldPath }: ObjectFieldSelector): string {
  switch (fieldPath) {
    case 'spec.nodeName':
      return pod.spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIPs[0] ?? '';
    case 'status.hostIPs':
      return hostIPs.join(',');
    case 'status.podIP':
      return podIPs[0] ?? '';
    case 'status.podIPs':
      return podIPs.join(',');
    default:
      return podField(pod, fieldPath);
  }
}
