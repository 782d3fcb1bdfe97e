import { posix } from 'node:path';
import type { ServiceAddress } from './service-resolver.ts';

/** A server and a path at it. */
export interface HttpsTarget {
  /** Scheme, host and port as errors name them. */
  readonly origin: string;
  readonly path: string;
  /** For the header. */
  readonly host: string;
  /** What the certificate must be for. */
  readonly serverName: string;
  readonly address: () => Promise<ServiceAddress>;
  /** As users of a kubeconfig are named after it: `host:port`. */
  readonly server: string;
}

/** Where a URL leads; undefined when it is none of HTTPS. */
export function httpsTarget(url: string): HttpsTarget | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, host, port, pathname } = new URL(url);
  if (protocol !== 'https:') return undefined;
  const serverName = hostname.replace(/^\[|\]$/g, '');
  const address = { host: serverName, port: port === '' ? 443 : Number(port) };
  return {
    origin: `https://${host}`,
    path: cleanPath(pathname),
    host,
    serverName,
    address: async () => address,
    server: `${hostname}:${address.port}`,
  };
}

/**
 * A path as servers are asked for it: from the root, without empty or dotted parts and without a slash at its end. Those who
 * join an address and a path by one slash too many rely on it.
 */
export const cleanPath = (path: string): string => posix.join('/', path).replace(/(?<=.)\/$/, '');
