import { bodyOf } from '../transport/response-body.ts';
import type { Transport, TransportRequest, TransportResponse, WebSocketConnection } from '../transport/transport.ts';

/** Answers everything with an empty object, and remembers what was asked. */
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

  /** The last request: method and url, then what there is of content type and body. */
  last(): { request: string; contentType?: unknown; body?: unknown } {
    const { method, url, headers, body } = this.requests.at(-1)!;
    return {
      request: `${method} ${url}`,
      ...(body && { contentType: headers['content-type'], body: JSON.parse(new TextDecoder().decode(body)) }),
    };
  }
}
