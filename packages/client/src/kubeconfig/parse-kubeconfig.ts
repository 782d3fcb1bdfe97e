import { readJson } from '@coxswain/apimachinery/codec/json';
import { anything, base64, bool, decode, list, record, string, struct } from './decoder.ts';
import type {
  AuthInfo,
  AuthProviderConfig,
  Cluster,
  Context,
  ExecConfig,
  ExecEnvVar,
  KubeConfig,
  NamedExtension,
} from './kubeconfig.ts';

const extensions = list(
  'v1.NamedExtension',
  struct<NamedExtension>('NamedExtension', { name: string, extension: anything }),
);

const cluster = struct<Cluster>('Cluster', {
  server: string,
  'tls-server-name': string,
  'insecure-skip-tls-verify': bool,
  'certificate-authority': string,
  'certificate-authority-data': base64,
  'proxy-url': string,
  'disable-compression': bool,
  extensions,
});

const execConfig = struct<ExecConfig>('ExecConfig', {
  command: string,
  args: list('string', string),
  env: list('v1.ExecEnvVar', struct<ExecEnvVar>('ExecEnvVar', { name: string, value: string })),
  apiVersion: string,
  installHint: string,
  provideClusterInfo: bool,
  interactiveMode: string,
});

const authInfo = struct<AuthInfo>('AuthInfo', {
  'client-certificate': string,
  'client-certificate-data': base64,
  'client-key': string,
  'client-key-data': base64,
  token: string,
  tokenFile: string,
  as: string,
  'as-uid': string,
  'as-groups': list('string', string),
  'as-user-extra': record('[]string', list('string', string)),
  username: string,
  password: string,
  'auth-provider': struct<AuthProviderConfig>('AuthProviderConfig', { name: string, config: record('string', string) }),
  exec: execConfig,
  extensions,
});

const context = struct<Context>('Context', { cluster: string, user: string, namespace: string, extensions });

interface NamedCluster {
  readonly name?: string;
  readonly cluster?: Cluster;
}
interface NamedUser {
  readonly name?: string;
  readonly user?: AuthInfo;
}
interface NamedContext {
  readonly name?: string;
  readonly context?: Context;
}

interface ConfigDocument {
  readonly clusters?: readonly NamedCluster[];
  readonly users?: readonly NamedUser[];
  readonly contexts?: readonly NamedContext[];
  readonly 'current-context'?: string;
}

const configDocument = struct<ConfigDocument>('Config', {
  clusters: list('v1.NamedCluster', struct<NamedCluster>('NamedCluster', { name: string, cluster })),
  users: list('v1.NamedAuthInfo', struct<NamedUser>('NamedAuthInfo', { name: string, user: authInfo })),
  contexts: list('v1.NamedContext', struct<NamedContext>('NamedContext', { name: string, context })),
  'current-context': string,
});

/**
 * Parses a kubeconfig in YAML or JSON. Unknown fields are kept; an empty text is an empty config. Rejects with an Error
 * with clientcmd's message for anything else.
 */
export async function parseKubeConfig(text: string): Promise<KubeConfig> {
  return decodeKubeConfig(await parseDocument(text));
}

/** Parses a YAML or JSON document. Rejects when it is not valid or not an object. */
export async function parseDocument(text: string): Promise<object> {
  const value = parseJson(text) ?? (await parseYamlText(text)) ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new Error(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${kind} into Go value of type ${typeMeta}`,
  );
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Loading the YAML parser is most of the cost, so JSON is parsed without it. */
function parseJson(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

async function parseYamlText(text: string): Promise<unknown> {
  if (text.trim() === '') return undefined;
  const { parseYaml } = await import('@coxswain/apimachinery/codec/yaml');
  return parseYaml(text).value;
}

export function decodeKubeConfig(document: object): KubeConfig {
  const apiVersion = ('apiVersion' in document && document.apiVersion) || 'v1';
  const kind = ('kind' in document && document.kind) || 'Config';
  if (apiVersion !== 'v1' || kind !== 'Config')
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  const read = decode(configDocument, document) ?? {};
  return {
    clusters: byName(read.clusters, (entry) => entry.cluster ?? {}, 'NamedCluster', 'Cluster'),
    users: byName(read.users, (entry) => entry.user ?? {}, 'NamedAuthInfo', 'AuthInfo'),
    contexts: byName(read.contexts, (entry) => entry.context ?? {}, 'NamedContext', 'Context'),
    currentContext: read['current-context'] ?? '',
  };
}

// Differs from client-go: the message does not include the whole list, which contains secrets.
function byName<E extends { readonly name?: string }, T extends object>(
  entries: readonly E[] = [],
  value: (entry: E) => T,
  from: string,
  to: string,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const entry of entries) {
    const name = entry.name ?? '';
    if (found.has(name))
      throw new Error(`error converting *[]${from} into *map[string]*api.${to}: duplicate name "${name}" in list`);
    found.set(name, value(entry));
  }
  return found;
}
