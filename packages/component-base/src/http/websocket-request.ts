import { createHash } from 'node:crypto';
import type { ApiRequest, ApiResponse, StreamingBody } from './handler.ts';
import { headerOf, textResponse } from './respond.ts';

/**
 * Whether a client asks for the connection.
 *
 * Differs from upstream, which does not look whether the client says what for: no listener gives its connection then.
 */
export const isUpgradeRequest = ({ headers, connection }: ApiRequest): boolean =>
  connection.protocol !== 'HTTP/2.0' &&
  headers.upgrade !== undefined &&
  [headers.connection ?? []].flat().some((value) => value.toLowerCase().includes('upgrade'));

/** Whether it asks for it to be a WebSocket. */
export const isWebSocketRequest = (request: ApiRequest): boolean =>
  isUpgradeRequest(request) &&
  request.connection.protocol === 'HTTP/1.1' &&
  headerOf(request, 'upgrade').toLowerCase() === 'websocket';

/** A subprotocol of those that the client offers, empty for none; or the status of the refusal. */
export type WebSocketChoice = string | 400 | 403;

/**
 * Makes the connection a WebSocket, and its messages the body: the stream writes whole frames (`frame`), and ends with a
 * closing handshake. Refuses in upstream's words what is no proper request for one.
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
