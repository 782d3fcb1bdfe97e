import { readFile } from 'node:fs/promises';
import { systemRandom } from '@coxswain/apimachinery/random';

/** PEM data, or the file that contains it. */
type Pem = { readonly pem: string | Uint8Array } | { readonly file: string };

export interface EtcdTlsOptions {
  /** The CAs to verify the server's certificate with; the system's when absent. */
  readonly ca?: Pem;
  /** The client certificate; needs `key`. */
  readonly cert?: Pem;
  readonly key?: Pem;
}

export interface EtcdStoreOptions {
  /** URLs like `http://host:port` or `https://host:port` of members of one cluster. Any that answers is used. */
  readonly endpoints: readonly string[];
  /** For `https` endpoints. */
  readonly tls?: EtcdTlsOptions;
  /** The longest wait of an operation for a connection. */
  readonly dialTimeoutMs?: number;
  /** The longest wait of an operation for its answer. */
  readonly requestTimeoutMs?: number;
  /**
   * A connection that is silent for `keepaliveTimeMs` is pinged, and closed when the answer takes longer than
   * `keepaliveTimeoutMs`.
   */
  readonly keepaliveTimeMs?: number;
  readonly keepaliveTimeoutMs?: number;
  /**
   * The key that is read to get the store's revision; it need not exist. It only matters when etcd's authorization
   * allows this client only a part of the keys.
   */
  readonly revisionKey?: string;
  /** Returns a number between 0 and 1, for the jitter of delays. */
  readonly random?: () => number;
}

/** The validated options, with the certificates read from their files. */
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
  /** The URL, for messages. */
  readonly url: string;
  /** A host name, or an IP address without brackets. */
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

/** Throws a TypeError for invalid options, and an error that names the file when one cannot be read. */
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
