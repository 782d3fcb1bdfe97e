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
    path: pathname,
    host,
    serverName,
    address: async () => address,
    server: `${hostname}:${address.port}`,
  };
}
