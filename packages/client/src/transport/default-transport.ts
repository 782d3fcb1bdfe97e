import type { RestConfig } from '../config/rest-config.ts';
import { FetchTransport } from './fetch-transport.ts';
import { type Transport, TransportError, type WebSocketConnection } from './transport.ts';

/** The transport of this platform: what browsers have. */
export const newPlatformTransport = (config: RestConfig): Transport => new FetchTransport(config);

/** A browser says itself who it is, and lets nobody change it. */
export const platformUserAgent = (): string | undefined => undefined;

/** Rejects: an upgraded connection is one of Node's streams, which a browser does not have. */
export const openInProcessWebSocket = (): Promise<WebSocketConnection> =>
  Promise.reject(new TransportError('in a browser there are no WebSockets to a server in the same process'));
