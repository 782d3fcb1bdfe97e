import { TransportError } from '../../transport/transport.ts';

/** When more than this is buffered, the connection stops reading. */
const maxReceivedBytes = 1024 * 1024;

/** Maximum size of a sent frame. */
const maxFrameBytes = 32 * 1024;

/** The connection's interface for a stream. */
interface StreamSide {
  write(bytes: Uint8Array, fin: boolean): Promise<void>;
  reset(): void;
  /** Both directions have ended. */
  over(): void;
}

/** A stream of a connection, with half-close. */
export class SpdyStream {
  readonly #side: StreamSide;
  #received: Uint8Array[] = [];
  #receivedBytes = 0;
  #isEnded = false;
  /** Set once, when the server's direction has ended. */
  #remoteEnd: { readonly failure?: unknown } | undefined;
  #onReceived: (() => void) | undefined;
  #onRead: (() => void) | undefined;
  #accept: () => void = () => {};
  #refuse: (error: unknown) => void = () => {};
  /** Resolves when the server has accepted the stream. */
  readonly accepted: Promise<void>;

  constructor(side: StreamSide) {
    this.#side = side;
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    // Prevents an unhandled rejection when opening fails before `accepted` is awaited.
    this.accepted.catch(() => {});
  }

  /** Resolves when more can be written. Rejects when the stream was reset or the connection has ended. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxFrameBytes) {
      if (this.#remoteEnd && 'failure' in this.#remoteEnd) throw this.#remoteEnd.failure;
      if (this.#isEnded) throw new TransportError('the stream has ended');
      await this.#side.write(bytes.subarray(start, start + maxFrameBytes), false);
    }
  }

  /** Signals the end of the data to the server. */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.ended();
    await this.#side.write(new Uint8Array(0), true);
  }

  /** Yields the server's data until it ends. Throws when the stream is reset or the connection breaks. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = this.#received.shift();
      if (chunk) {
        this.#receivedBytes -= chunk.length;
        this.#onRead?.();
        yield chunk;
        continue;
      }
      if (this.#remoteEnd) {
        if ('failure' in this.#remoteEnd) throw this.#remoteEnd.failure;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve;
      });
    }
  }

  /** Ends both directions. */
  reset(): void {
    if (!this.#isEnded || !this.#remoteEnd) this.#side.reset();
    this.#isEnded = true;
    this.#received = [];
    this.fail(new TransportError('the stream was reset'));
  }

  /** The methods from here on are called by the connection. */
  ended(): void {
    this.#isEnded = true;
    if (this.#remoteEnd) this.#side.over();
  }

  wasAccepted(): void {
    this.#accept();
  }

  async receive(bytes: Uint8Array): Promise<void> {
    if (this.#remoteEnd) return;
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    this.#onReceived?.();
    while (this.#receivedBytes > maxReceivedBytes && !this.#remoteEnd) {
      await new Promise<void>((resolve) => {
        this.#onRead = resolve;
      });
    }
  }

  remoteEnded(): void {
    this.#finish({});
  }

  wasReset(status: number): void {
    this.fail(new TransportError(`the server reset the stream (status ${status})`));
  }

  fail(failure: unknown): void {
    this.#isEnded = true;
    this.#finish({ failure });
  }

  #finish(end: { readonly failure?: unknown }): void {
    this.#remoteEnd ??= end;
    if ('failure' in end) this.#refuse(end.failure);
    if (this.#isEnded) this.#side.over();
    this.#onReceived?.();
    this.#onRead?.();
  }
}
