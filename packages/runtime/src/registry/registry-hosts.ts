import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HostEntry, parseHostsFile } from './hosts-file.ts';
import {
  type DefaultHostOptions,
  defaultHost,
  noTls,
  type RegistryCapability,
  type RegistryHost,
} from './registry-host.ts';

export interface RegistryHostsOptions extends DefaultHostOptions {
  /**
   * Directories with a directory for each registry, such as `/etc/containerd/certs.d`: with a `hosts.toml`, or with certificates as Docker has
   * them. `_default` is for registries that have none. The first directory that knows a registry counts.
   */
  readonly directories?: readonly string[];
}

/** Returns the servers of a registry, in the order in which they are asked. The files are read for each pull, so that changes count at once. */
export async function registryHosts(
  registry: string,
  options: RegistryHostsOptions = {},
): Promise<readonly RegistryHost[]> {
  const own = defaultHost(registry, options);
  for (const parent of options.directories ?? []) {
    for (const name of directoryNames(registry)) {
      const directory = join(parent, name);
      const files = await readdir(directory).catch(() => undefined);
      if (!files) continue;
      if (!files.includes('hosts.toml'))
        return [{ ...own, tls: { ...(await dockerCertificates(directory, files)), skipVerify: own.tls.skipVerify } }];
      return await configuredHosts(directory, own);
    }
  }
  return [own];
}

/** With a port also in the form without a colon, which file systems of other kinds cannot have. */
function directoryNames(registry: string): string[] {
  const [, host, port] = /^(.*):(\d+)$/.exec(registry) ?? [];
  return [registry, ...(host !== undefined ? [`${host}_${port}_`] : []), '_default'];
}

async function configuredHosts(directory: string, own: RegistryHost): Promise<readonly RegistryHost[]> {
  const path = join(directory, 'hosts.toml');
  try {
    const { hosts, server } = parseHostsFile(await readFile(path, 'utf8'), directory);
    const mirrors = await Promise.all(hosts.map((entry) => hostOf(entry, own, true)));
    return [...mirrors, server ? await hostOf(server, own, false) : own];
  } catch (error) {
    throw new Error(`cannot use ${path}: ${(error as Error).message}`, { cause: error });
  }
}

async function hostOf(entry: HostEntry, own: RegistryHost, isMirror: boolean): Promise<RegistryHost> {
  const url = new URL(entry.url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error(`${entry.url}: unsupported scheme`);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = entry.overridePath || path.endsWith('/v2') ? path : `${path}/v2`;
  const [ca, clients] = await Promise.all([
    Promise.all(entry.ca.map((file) => readFile(file, 'utf8'))),
    Promise.all(
      entry.client.map(async ([cert, key]) => ({
        cert: await readFile(cert, 'utf8'),
        key: await readFile(key === '' ? cert : key, 'utf8'),
      })),
    ),
  ]);
  return {
    url,
    capabilities: new Set(entry.capabilities.filter(isCapability)),
    headers: entry.headers,
    tls: { ca, clients, skipVerify: entry.skipVerify || (!isMirror && own.tls.skipVerify) },
    allowsHttp: !isMirror && own.allowsHttp && !/^[a-z]+:/.test(entry.url),
    isMirror,
  };
}

const isCapability = (word: string): word is RegistryCapability => ['pull', 'resolve', 'push'].includes(word);

/** As Docker has them: `*.crt` are authorities, `NAME.cert` with `NAME.key` is a client's. */
async function dockerCertificates(directory: string, files: readonly string[]): Promise<typeof noTls> {
  const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8');
  const clients = files.filter((file) => file.endsWith('.cert') && files.includes(file.replace(/\.cert$/, '.key')));
  return {
    ...noTls,
    ca: await Promise.all(files.filter((file) => file.endsWith('.crt')).map(read)),
    clients: await Promise.all(
      clients.map(async (file) => ({ cert: await read(file), key: await read(file.replace(/\.cert$/, '.key')) })),
    ),
  };
}
