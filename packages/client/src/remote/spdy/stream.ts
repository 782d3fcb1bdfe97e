import { TransportError } from '../../transport/transport.ts';

/** More than this waiting to be read, and the connection stands still. */
const maxReceivedBytes = 1024 * 1024;

/** Of what is sent at a time. */
const maxFrameBytes = 32 * 1024;

/** What a stream needs of its connection. */
interface StreamSide {
  write(bytes: Uint8Array, fin: boolean): Promise<void>;
  reset(): void;
  /** Neither side sends any more. */
  over(): void;
}

/** One of many streams of a connection: bytes both ways, each of which ends by itself. */
export class SpdyStream {
  readonly #side: StreamSide;
  #received: Uint8Array[] = [];
  #receivedBytes = 0;
  #isEnded = false;
  /** Set once: the other side sends no more. */
  #remoteEnd: { readonly failure?: unknown } | undefined;
  #onReceived: (() => void) | undefined;
  #onRead: (() => void) | undefined;
  #accept: () => void = () => {};
  #refuse: (error: unknown) => void = () => {};
  /** Resolves when the server has accepted it. */
  readonly accepted: Promise<void>;

  constructor(side: StreamSide) {
    this.#side = side;
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    // Whoever opens it waits for this, unless that fails earlier.
    this.accepted.catch(() => {});
  }

  /** Resolves when more may be written. Rejects when the stream is reset or the connection has ended. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxFrameBytes) {
      if (this.#remoteEnd && 'failure' in this.#remoteEnd) throw this.#remoteEnd.failure;
      if (this.#isEnded) throw new TransportError('the stream has ended');
      await this.#side.write(bytes.subarray(start, start + maxFrameBytes), false);
    }
  }

  /** Tells the server that no more will come. */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.ended();
    await this.#side.write(new Uint8Array(0), true);
  }

  /** What the server sends, until it ends. Throws when the stream is reset or the connection breaks. */
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

  /** Gives the stream up: nothing more goes either way. */
  reset(): void {
    if (!this.#isEnded || !this.#remoteEnd) this.#side.reset();
    this.#isEnded = true;
    this.#received = [];
    this.fail(new TransportError('the stream was reset'));
  }

  /** From here on, what the connection has to tell. */
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
