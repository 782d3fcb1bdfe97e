import { TransportError, type WebSocketConnection } from '../../transport/transport.ts';
import {
  dataFrame,
  goAway,
  ping,
  resetCancel,
  rstStream,
  SpdyFrameReader,
  synStream,
} from '@coxswain/apimachinery/spdy';
import { SpdyStream } from './stream.ts';

/**
 * Multiplexed streams over one WebSocket in the SPDY/3.1 dialect of Kubernetes' servers. These do not use SPDY's flow
 * control, so a stream that is not read blocks the others when its buffer is full.
 */
export class SpdyConnection {
  readonly #webSocket: WebSocketConnection;
  /** The streams that are open in at least one direction. */
  readonly #streams = new Map<number, SpdyStream>();
  #nextId = 1;
  #end: { readonly failure?: unknown } | undefined;
  /** Resolves when the connection has ended, also after an error. */
  readonly closed: Promise<void>;

  constructor(webSocket: WebSocketConnection) {
    this.#webSocket = webSocket;
    this.closed = this.#receive().then(
      () => this.#finish(),
      (failure) => this.#finish(failure),
    );
  }

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Opens a stream. Resolves when the server has accepted it, because the server drops earlier data. Rejects with a
   * TransportError when the server rejects it, or the connection has ended.
   */
  async open(headers: Readonly<Record<string, string>>, options: { fin?: boolean } = {}): Promise<SpdyStream> {
    if (this.#end)
      throw this.#end.failure ?? new TransportError('the connection is closed', { mayHaveBeenSent: false });
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream({
      write: (bytes, fin) => this.#webSocket.send(dataFrame(id, bytes, fin)),
      reset: () => void this.#webSocket.send(rstStream(id, resetCancel)).catch(() => {}),
      over: () => this.#streams.delete(id),
    });
    this.#streams.set(id, stream);
    await this.#webSocket.send(synStream(id, headers, { isFirst: id === 1, fin: options.fin ?? false }));
    if (options.fin) stream.ended();
    await stream.accepted;
    return stream;
  }

  /** Ends all streams; unread data is lost. */
  close(): void {
    if (this.#end) return;
    void this.#webSocket.send(goAway()).catch(() => {});
    this.#webSocket.close();
    this.#finish(new TransportError('the connection was closed'));
  }

  async #receive(): Promise<void> {
    const reader = new SpdyFrameReader();
    for await (const message of this.#webSocket.messages()) {
      for (const frame of reader.read(message)) {
        // Pings of the server have even ids.
        if (frame.type === 'ping' && frame.id % 2 === 0) await this.#webSocket.send(ping(frame.id));
        if (frame.type === 'goAway') return;
        if (!('stream' in frame)) continue;
        const stream = this.#streams.get(frame.stream);
        if (frame.type === 'reset') stream?.wasReset(frame.status);
        if (frame.type === 'reply') stream?.wasAccepted();
        if (frame.type === 'data' && frame.bytes.length > 0) await stream?.receive(frame.bytes);
        if (frame.type !== 'reset' && frame.fin) stream?.remoteEnded();
      }
    }
  }

  #finish(failure?: unknown): void {
    if (this.#end) return;
    this.#end = failure === undefined ? {} : { failure };
    this.#webSocket.close();
    const lost = failure ?? new TransportError('the server closed the connection');
    for (const stream of [...this.#streams.values()]) stream.fail(lost);
    this.#streams.clear();
  }
}
