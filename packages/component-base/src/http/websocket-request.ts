import { createHash } from 'node:crypto';
import type { ApiRequest, ApiResponse, StreamingBody } from './handler.ts';
import { headerOf, textResponse } from './respond.ts';

/**
 * Returns whether a request asks to upgrade the connection.
 *
 * Differs from upstream: the Upgrade header is required as well, because without it no listener hands over the connection.
 */
export const isUpgradeRequest = ({ headers, connection }: ApiRequest): boolean =>
  connection.protocol !== 'HTTP/2.0' &&
  headers.upgrade !== undefined &&
  [headers.connection ?? []].flat().some((value) => value.toLowerCase().includes('upgrade'));

/** Returns whether a request asks for a WebSocket. */
export const isWebSocketRequest = (request: ApiRequest): boolean =>
  isUpgradeRequest(request) &&
  request.connection.protocol === 'HTTP/1.1' &&
  headerOf(request, 'upgrade').toLowerCase() === 'websocket';

/** The selected subprotocol, empty for none; or the status of the refusal. */
export type WebSocketChoice = string | 400 | 403;

/**
 * Accepts a WebSocket. The stream writes whole frames (`frame`), and its end is a closing handshake. Invalid requests are refused with
 * upstream's messages.
 */
export function webSocketResponse(
  request: ApiRequest,
  choose: (offered: readonly string[]) => WebSocketChoice,
  stream: StreamingBody['stream'],
): ApiResponse {
  const key = headerOf(request, 'sec-websocket-key');
  if (key === '') return refusal(400, 'mismatch challenge/response');
  if (headerOf(request, 'sec-websocket-version') !== '13') return badVersion;
  const header = headerOf(request, 'sec-websocket-protocol').trim();
  const choice = choose(header === '' ? [] : header.split(',').map((protocol) => protocol.trim()));
  if (typeof choice === 'number') return { status: choice, headers: {} };
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return {
    status: 101,
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': accept,
      ...(choice !== '' && { 'sec-websocket-protocol': choice }),
    },
    body: { stream },
  };
}

const refusal = (status: number, text: string): ApiResponse => ({ ...textResponse(status, text), headers: {} });
const badVersion: ApiResponse = {
  ...refusal(400, 'missing or bad WebSocket Version'),
  headers: { 'sec-websocket-version': '13' },
};
