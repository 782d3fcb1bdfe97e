import { bodyOf } from '../transport/response-body.ts';
import type { Transport, TransportRequest, TransportResponse, WebSocketConnection } from '../transport/transport.ts';

/** Responds to every request with an empty object, and records the requests. */
export class RecordingTransport implements Transport {
  readonly requests: TransportRequest[] = [];

  async send(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: bodyOf(new TextEncoder().encode('{}')) };
  }

  openWebSocket(): Promise<WebSocketConnection> {
    throw new Error('not for WebSockets');
  }

  async close(): Promise<void> {}

  /** The last request: method and URL, and the content type and body if it has one. */
  last(): { request: string; contentType?: unknown; body?: unknown } {
    const { method, url, headers, body } = this.requests.at(-1)!;
    return {
      request: `${method} ${url}`,
      ...(body && { contentType: headers['content-type'], body: JSON.parse(new TextDecoder().decode(body)) }),
    };
  }
}
