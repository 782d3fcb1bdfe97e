import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isJsonObject, ownEntry, parseYaml } from '@coxswain/apimachinery';
import type { WebhookCredentials } from './webhook-credentials.ts';

/** What a kubeconfig says of a server. */
interface KubeconfigCluster {
  readonly server: string;
  /** PEM. */
  readonly ca?: string;
  readonly insecure: boolean;
  readonly serverName?: string;
}

/** What this server reads of a kubeconfig; files that it names have been read. */
export interface Kubeconfig {
  readonly users: ReadonlyMap<string, WebhookCredentials>;
  /** Of the current context; as its user. */
  readonly cluster?: KubeconfigCluster;
  readonly currentUser?: string;
}

/** Throws an Error that names the file, and never quotes what is in it. */
export async function readKubeconfig(file: string): Promise<Kubeconfig> {
  try {
    const { value } = parseYaml(await readFile(file));
    if (!isJsonObject(value)) throw new Error('it is no kubeconfig');
    return await new Reader(dirname(file)).read(value);
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : 'it cannot be read'}`, { cause });
  }
}

type Fields = Record<string, unknown>;

class Reader {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(config: Fields): Promise<Kubeconfig> {
    const current = text(config, 'current-context');
    const context = named(config, 'contexts', 'context').find(([name]) => name === current)?.[1] ?? {};
    const clusterName = text(context, 'cluster');
    const cluster = named(config, 'clusters', 'cluster').find(([name]) => name === clusterName)?.[1];
    const currentUser = text(context, 'user');
    const users = new Map<string, WebhookCredentials>();
    for (const [name, user] of named(config, 'users', 'user')) users.set(name, await this.#user(name, user));
    return {
      users,
      ...(cluster && { cluster: await this.#cluster(cluster) }),
      ...(currentUser !== undefined && { currentUser }),
    };
  }

  async #cluster(cluster: Fields): Promise<KubeconfigCluster> {
    const ca = await this.#content(cluster, 'certificate-authority');
    const serverName = text(cluster, 'tls-server-name');
    return {
      server: text(cluster, 'server') ?? '',
      insecure: ownEntry(cluster, 'insecure-skip-tls-verify') === true,
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { serverName }),
    };
  }

  async #user(name: string, user: Fields): Promise<WebhookCredentials> {
    for (const unsupported of ['exec', 'auth-provider'])
      if (ownEntry(user, unsupported)) throw new Error(`user ${name}: ${unsupported} is not supported here`);
    const tokenFile = text(user, 'tokenFile');
    const token = text(user, 'token') ?? (tokenFile && (await this.#file(tokenFile)).trim());
    const cert = await this.#content(user, 'client-certificate');
    const key = await this.#content(user, 'client-key');
    if ((cert === undefined) !== (key === undefined))
      throw new Error(`user ${name}: a client certificate needs its key, and a key its certificate`);
    const username = text(user, 'username');
    return {
      ...(token && { token }),
      ...(username !== undefined && { basic: { username, password: text(user, 'password') ?? '' } }),
      ...(cert !== undefined && key !== undefined && { clientCertificate: { cert, key } }),
    };
  }

  /** In the file itself, or in one that it names. */
  async #content(fields: Fields, key: string): Promise<string | undefined> {
    const data = text(fields, `${key}-data`);
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    const file = text(fields, key);
    return file === undefined ? undefined : this.#file(file);
  }

  #file(path: string): Promise<string> {
    return readFile(resolve(this.#directory, path), 'utf8');
  }
}

function text(fields: Fields, key: string): string | undefined {
  const value = ownEntry(fields, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A kubeconfig's lists are maps: `users: [{name: a, user: {…}}]`. */
function named(config: Fields, list: string, item: string): [string, Fields][] {
  const entries = ownEntry(config, list);
  if (!Array.isArray(entries)) return [];
  return entries.filter(isJsonObject).flatMap((entry): [string, Fields][] => {
    const content = ownEntry(entry, item);
    const name = text(entry, 'name');
    return name !== undefined && isJsonObject(content) ? [[name, content]] : [];
  });
}
