import { posix } from 'node:path';
import type { ServiceAddress } from './service-resolver.ts';

/** A server and a path at it. */
export interface HttpsTarget {
  /** Scheme, host and port, for error messages. */
  readonly origin: string;
  readonly path: string;
  /** The value of the Host header. */
  readonly host: string;
  /** The name that the certificate must be valid for. */
  readonly serverName: string;
  readonly address: () => Promise<ServiceAddress>;
  /** `host:port`, by which users of a kubeconfig are looked up. */
  readonly server: string;
}

/** Parses a URL. Returns undefined when it is not an HTTPS URL. */
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
 * Returns the path with a leading slash, without empty or dotted segments and without a trailing slash. As upstream, so that
 * configurations with a duplicate slash between address and path work.
 */
export const cleanPath = (path: string): string => posix.join('/', path).replace(/(?<=.)\/$/, '');
