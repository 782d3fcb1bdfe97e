import { readFile } from 'node:fs/promises';
import { systemRandom } from '@coxswain/apimachinery/random';

/** Something in PEM, or the file that has it. */
type Pem = { readonly pem: string | Uint8Array } | { readonly file: string };

export interface EtcdTlsOptions {
  /** Who may have signed the server's certificate; absent: whom the system trusts. */
  readonly ca?: Pem;
  /** For etcd that asks for client certificates; needs `key`. */
  readonly cert?: Pem;
  readonly key?: Pem;
}

export interface EtcdStoreOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster. Whichever answers is used. */
  readonly endpoints: readonly string[];
  /** For `https` endpoints. */
  readonly tls?: EtcdTlsOptions;
  /** How long an operation waits for a connection when there is none. */
  readonly dialTimeoutMs?: number;
  /** How long an operation waits for its answer once it is sent. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may be silent before it is tested, and then how long the answer may take. */
  readonly keepaliveTimeMs?: number;
  readonly keepaliveTimeoutMs?: number;
  /**
   * A key that is read to learn the store's revision; it need not exist. Matters only where etcd allows this client no
   * more than a part of the keys.
   */
  readonly revisionKey?: string;
  /** For the jitter of delays; between 0 and 1. */
  readonly random?: () => number;
}

/** Endpoints, timeouts and certificates, checked and read. */
export interface EtcdConfig {
  readonly endpoints: readonly EtcdEndpointConfig[];
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly dialTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepaliveTimeMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly revisionKey: string;
  readonly random: () => number;
}

export interface EtcdEndpointConfig {
  /** As it was given, for messages. */
  readonly url: string;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: string;
  readonly secure: boolean;
}

function parseEndpoint(url: string): EtcdEndpointConfig {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.username || parsed?.password) {
    throw new TypeError('an etcd endpoint must not hold a user or a password');
  }
  const secure = parsed?.protocol === 'https:';
  if (parsed === undefined || parsed.hostname === '' || !(secure || parsed.protocol === 'http:')) {
    throw new TypeError(`etcd endpoint ${JSON.stringify(url)} must look like http://host:port or https://host:port`);
  }
  const port = parsed.port === '' ? (secure ? '443' : '80') : parsed.port;
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  return { url: `${parsed.protocol}//${parsed.host}`, host, port, secure };
}

async function readPem(what: string, source: Pem | undefined): Promise<Buffer | undefined> {
  if (source === undefined) return undefined;
  if ('pem' in source) return Buffer.from(source.pem);
  try {
    return await readFile(source.file);
  } catch (cause) {
    throw new Error(`cannot read the ${what} for etcd: ${source.file}`, { cause });
  }
}

/** Throws a TypeError at options that cannot work, and an error that names the file when one cannot be read. */
export async function readEtcdOptions(options: EtcdStoreOptions): Promise<EtcdConfig> {
  if (options.endpoints.length === 0) throw new TypeError('etcd needs at least one endpoint');
  const { ca, cert, key } = options.tls ?? {};
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError('a client certificate for etcd and its key must be given together');
  }
  return {
    endpoints: options.endpoints.map(parseEndpoint),
    tls: {
      ca: await readPem('CA', ca),
      cert: await readPem('client certificate', cert),
      key: await readPem('client key', key),
    },
    dialTimeoutMs: options.dialTimeoutMs ?? 5_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    keepaliveTimeMs: options.keepaliveTimeMs ?? 30_000,
    keepaliveTimeoutMs: options.keepaliveTimeoutMs ?? 10_000,
    revisionKey: options.revisionKey ?? '/registry/',
    random: options.random ?? systemRandom.number,
  };
}
