import type { Duplex } from 'node:stream';
import type { ResponseSink } from './handler.ts';
import { StreamSink } from './stream-sink.ts';
import { ControlFrameReader, frame, opcodes } from './websocket-frames.ts';

const normalClosure = frame(opcodes.close, Buffer.from([0x03, 0xe8]));
/** How long the client may take to read the rest and to close its side. */
const lingerMs = 10_000;

/** A response body of WebSocket frames. Of what the client sends, only ping and close frames are handled. */
export class WebSocketSink implements ResponseSink {
  readonly #socket: Duplex;
  readonly #sink: StreamSink;
  #ended = false;

  /** `head` contains the bytes that the client has already sent after the request. */
  constructor(socket: Duplex, head: Uint8Array) {
    this.#socket = socket;
    this.#sink = new StreamSink(socket, () => socket.destroy());
    const frames = new ControlFrameReader((opcode, payload) => this.#onControl(opcode, payload));
    frames.push(head);
    socket.on('data', (chunk: Uint8Array) => frames.push(chunk));
    // A client that has ended its side is assumed not to read any more.
    socket.on('end', () => socket.destroy());
  }

  get pendingBytes(): number {
    return this.#sink.pendingBytes;
  }

  write(chunk: Uint8Array, sent?: () => void): boolean {
    return this.#sink.write(chunk, sent);
  }

  onDrain(callback: () => void): void {
    this.#sink.onDrain(callback);
  }

  onClose(callback: () => void): void {
    this.#sink.onClose(callback);
  }

  end(): void {
    const socket = this.#socket;
    if (this.#ended || socket.destroyed) return;
    this.#ended = true;
    socket.end(normalClosure);
    const linger = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(linger));
  }

  destroy(): void {
    this.#sink.destroy();
  }

  #onControl(opcode: number, payload: Uint8Array): void {
    if (opcode === opcodes.close) this.end();
    // Pongs are optional, so a client that does not read gets none.
    else if (opcode === opcodes.ping && !this.#socket.writableNeedDrain) this.write(frame(opcodes.pong, payload));
  }
}
