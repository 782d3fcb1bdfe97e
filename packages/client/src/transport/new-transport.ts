import { newPlatformTransport, platformUserAgent } from '#default-transport';
import type { RestConfig } from '../config/rest-config.ts';
import { AuthenticatingTransport } from './authenticating-transport.ts';
import type { Transport } from './transport.ts';

/**
 * Returns a transport to the config's server that adds its credentials to every request: with sockets in Node, with
 * `fetch` in a browser, or over the given transport. Throws when the config is invalid.
 */
export function newTransport(config: RestConfig, transport: Transport = newPlatformTransport(config)): Transport {
  const userAgent = config.userAgent ?? platformUserAgent();
  return new AuthenticatingTransport(transport, { ...config, ...(userAgent !== undefined && { userAgent }) });
}
