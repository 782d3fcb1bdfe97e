import { type ApiRequest, type ApiResponse, textResponse, tunnelResponse } from '@coxswain/component-base/http';
import { openStreaming, type UpgradeAnswer, type UpgradeRequest } from './streaming-server.ts';

/** What a streaming server must know of a client's request. Credentials are none of its business. */
const forwarded = [
  'connection',
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
  'user-agent',
];

/** Passes a client's upgrade on to a runtime's streaming server; bytes are forwarded both ways unchanged. */
export async function proxyUpgrade(request: ApiRequest, url: URL): Promise<ApiResponse> {
  const { method, signal } = request;
  const answer = await openStreaming(url, { method, signal, headers: forwardedHeaders(request) });
  return answer.connection ? tunnelResponse(answer.connection, answer.headers) : refusal(answer);
}

/** The refusal of a streaming server, for the client. Throws an Error for an answer that is none. */
export function refusal({ status, headers, body }: UpgradeAnswer): ApiResponse {
  if (status < 400) throw new Error(`invalid upgrade response: status code ${status}`);
  const type = headers['content-type'];
  const answer = textResponse(status, '');
  return {
    ...answer,
    headers: { ...answer.headers, ...(type && { 'content-type': type }), connection: 'close' },
    body,
  };
}

function forwardedHeaders({ headers }: ApiRequest): UpgradeRequest['headers'] {
  const kept: Record<string, string | readonly string[]> = {};
  for (const name of forwarded) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
