export { FetchTransport, type FetchTransportOptions } from './fetch-transport.ts';
export { type InProcessCall, InProcessTransport, type InProcessTransportOptions } from './in-process-transport.ts';
export { newTransport } from './new-transport.ts';
export {
  type ResponseBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  UpgradeRefusedError,
  type WebSocketConnection,
  type WebSocketRequest,
} from './transport.ts';
