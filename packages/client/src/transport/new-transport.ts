import { newPlatformTransport, platformUserAgent } from '#default-transport';
import type { RestConfig } from '../config/rest-config.ts';
import { AuthenticatingTransport } from './authenticating-transport.ts';
import type { Transport } from './transport.ts';

/**
 * The way to the server that the config names, with its credentials in every request: over sockets in Node, by `fetch` in
 * a browser; or over another transport that is given. Throws when the config makes no sense.
 */
export function newTransport(config: RestConfig, transport: Transport = newPlatformTransport(config)): Transport {
  const userAgent = config.userAgent ?? platformUserAgent();
  return new AuthenticatingTransport(transport, { ...config, ...(userAgent !== undefined && { userAgent }) });
}
