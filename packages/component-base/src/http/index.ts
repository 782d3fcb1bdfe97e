/**
 * Requests and responses as values, and the listener that serves them over HTTP/2 and HTTP/1.1 on one port. Start at
 * `handler.ts`.
 */
export { bodyTooLarge } from './body.ts';
export type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  Connection,
  RequestHeaders,
  ResponseSink,
  StreamingBody,
  Upgrade,
} from './handler.ts';
export { serveHttp1, serveUpgrade } from './http1.ts';
export { isUnspecified, listenHost, type NetworkInterfaces } from './listen-host.ts';
export { Listener, type ListenerOptions } from './listener.ts';
export { readQuery } from './request-target.ts';
export { errorResponse, headerOf, jsonErrorResponse, jsonResponse, notFoundResponse, textResponse } from './respond.ts';
export { tunnel, tunnelResponse } from './tunnel.ts';
export { frame, opcodes } from './websocket-frames.ts';
export { isUpgradeRequest, isWebSocketRequest, type WebSocketChoice, webSocketResponse } from './websocket-request.ts';
