import type { ApiResponse, ResponseSink, StreamingBody, Upgrade } from '@coxswain/component-base/http';

/** Differs from upstream: a longer response is not recorded, so that memory stays bounded. */
const maxRecordedBytes = 32 * 1024 * 1024;

/** Whether a body is streamed or an upgrade, so that its bytes are not known yet. */
export const isOpen = (body: ApiResponse['body']): body is StreamingBody | Upgrade =>
  body !== undefined && ('stream' in body || 'upgrade' in body);

/** The bytes of a body that is complete in memory; otherwise undefined. */
export function bytesOf(body: ApiResponse['body']): Uint8Array | undefined {
  if (body === undefined || isOpen(body)) return undefined;
  return body instanceof Uint8Array ? body : Buffer.concat(body);
}

/**
 * Wraps a body so that `onEnd` is called once when it ends, for whatever reason. It gets the written bytes when
 * `record` is set, the body ended properly and it has at most `maxRecordedBytes`; otherwise undefined.
 */
export function recordEnd(
  body: StreamingBody | Upgrade,
  record: boolean,
  onEnd: (bytes: Uint8Array | undefined) => void,
): StreamingBody | Upgrade {
  if ('upgrade' in body) {
    return {
      upgrade: (socket, head) => {
        socket.once('close', () => onEnd(undefined));
        body.upgrade(socket, head);
      },
    };
  }
  return {
    stream: (sink) => {
      const recording = record ? new RecordingSink(sink) : undefined;
      sink.onClose(() => onEnd(recording?.bytes));
      body.stream(recording ?? sink);
    },
  };
}

class RecordingSink implements ResponseSink {
  readonly #sink: ResponseSink;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #ended = false;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  get bytes(): Uint8Array | undefined {
    return this.#ended && this.#length <= maxRecordedBytes ? Buffer.concat(this.#chunks) : undefined;
  }

  get pendingBytes(): number {
    return this.#sink.pendingBytes;
  }

  write(chunk: Uint8Array, sent?: () => void): boolean {
    this.#length += chunk.length;
    // A copy, since the caller may reuse its buffer.
    if (this.#length <= maxRecordedBytes) this.#chunks.push(Uint8Array.from(chunk));
    else this.#chunks = [];
    return this.#sink.write(chunk, sent);
  }

  onDrain(callback: () => void): void {
    this.#sink.onDrain(callback);
  }

  onClose(callback: () => void): void {
    this.#sink.onClose(callback);
  }

  end(): void {
    this.#ended = true;
    this.#sink.end();
  }

  destroy(): void {
    this.#sink.destroy();
  }
}
