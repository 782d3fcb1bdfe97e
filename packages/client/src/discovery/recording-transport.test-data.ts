import { bodyOf } from '../transport/response-body.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';

/** Records requests and responses and delegates to another transport, except for paths in `answers`. */
export class RecordingTransport implements Transport {
  /** `GET /apis 200`. */
  readonly requests: string[] = [];
  readonly headers: TransportRequest['headers'][] = [];
  /** Canned responses by path, used instead of the delegate. */
  readonly answers = new Map<string, { status: number; body: unknown }>();
  readonly #delegate: Transport | undefined;

  constructor(delegate?: Transport) {
    this.#delegate = delegate;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#answer(request);
    this.requests.push(`${request.method} ${urlOf(request)} ${response.status}`);
    this.headers.push(request.headers);
    return response;
  }

  openWebSocket(): Promise<never> {
    throw new Error('no WebSockets here');
  }

  async close(): Promise<void> {
    await this.#delegate?.close();
  }

  async #answer(request: TransportRequest): Promise<TransportResponse> {
    const answer = this.answers.get(urlOf(request));
    if (answer) {
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      return { status: answer.status, headers: {}, body: bodyOf(new TextEncoder().encode(text)) };
    }
    if (this.#delegate) return this.#delegate.send(request);
    return { status: 404, headers: {}, body: bodyOf(new TextEncoder().encode('404 page not found')) };
  }
}

/** The URL without the `timeout` parameter. */
const urlOf = ({ url }: TransportRequest): string => url.replace(/[?&]timeout=\w+$/, '');
