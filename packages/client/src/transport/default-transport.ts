import type { RestConfig } from '../config/rest-config.ts';
import { FetchTransport } from './fetch-transport.ts';
import { type Transport, TransportError, type WebSocketConnection } from './transport.ts';

/** The transport for browsers. */
export const newPlatformTransport = (config: RestConfig): Transport => new FetchTransport(config);

/** Undefined, because browsers set the user agent and do not allow changing it. */
export const platformUserAgent = (): string | undefined => undefined;

/** Rejects, because an upgraded connection needs Node's streams. */
export const openInProcessWebSocket = (): Promise<WebSocketConnection> =>
  Promise.reject(new TransportError('WebSockets to a server in the same process are not supported in browsers'));
