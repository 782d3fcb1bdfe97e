import { type ForwardedStream, type PortForwardConnection, PortForwardError } from './forwarded-stream.ts';
import { readText } from './read-text.ts';
import type { SpdyConnection } from './spdy/connection.ts';
import type { SpdyStream } from './spdy/stream.ts';

/** A port-forward over one WebSocket. Each connection has a data stream and an error stream. */
export class SpdyPortForward implements PortForwardConnection {
  readonly #connection: SpdyConnection;
  #requests = 0;

  constructor(connection: SpdyConnection) {
    this.#connection = connection;
  }

  get closed(): Promise<void> {
    return this.#connection.closed;
  }

  get isClosed(): boolean {
    return this.#connection.isClosed;
  }

  async open(port: number): Promise<ForwardedStream> {
    const headers = { port: String(port), requestid: String(this.#requests++) };
    const errors = await this.#connection.open({ streamtype: 'error', ...headers }, { fin: true });
    try {
      return new SpdyForwardedStream(port, await this.#connection.open({ streamtype: 'data', ...headers }), errors);
    } catch (error) {
      errors.reset();
      throw error;
    }
  }

  close(): void {
    this.#connection.close();
  }
}

class SpdyForwardedStream implements ForwardedStream {
  readonly #port: number;
  readonly #data: SpdyStream;
  readonly #errors: SpdyStream;
  /** The node's error message; empty if there is none. Never rejects. */
  readonly #complaint: Promise<string>;

  constructor(port: number, data: SpdyStream, errors: SpdyStream) {
    this.#port = port;
    this.#data = data;
    this.#errors = errors;
    this.#complaint = readText(errors.chunks());
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#data.chunks();
    } catch (error) {
      // The node sends its error before it resets the data stream.
      await this.#throwComplaint();
      throw error;
    }
    // The pod has closed the connection: data that is still being sent is not needed.
    this.#data.reset();
    await this.#throwComplaint();
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#data.write(bytes);
  }

  end(): Promise<void> {
    return this.#data.end();
  }

  close(): void {
    this.#data.reset();
    this.#errors.reset();
  }

  async #throwComplaint(): Promise<void> {
    const complaint = await this.#complaint;
    if (complaint !== '') throw new PortForwardError(this.#port, complaint);
  }
}
