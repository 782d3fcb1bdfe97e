import type { Duplex } from 'node:stream';
import type { ResponseSink } from './handler.ts';
import { StreamSink } from './stream-sink.ts';
import { ControlFrameReader, frame, opcodes } from './websocket-frames.ts';

const normalClosure = frame(opcodes.close, Buffer.from([0x03, 0xe8]));
/** So long a client has to take the rest, and to close its side. */
const lingerMs = 10_000;

/** A body of WebSocket frames. What the client sends is of no interest, but for pings and the end. */
export class WebSocketSink implements ResponseSink {
  readonly #socket: Duplex;
  readonly #sink: StreamSink;
  #ended = false;

  /** `head` is what the client has sent already. */
  constructor(socket: Duplex, head: Uint8Array) {
    this.#socket = socket;
    this.#sink = new StreamSink(socket, () => socket.destroy());
    const frames = new ControlFrameReader((opcode, payload) => this.#onControl(opcode, payload));
    frames.push(head);
    socket.on('data', (chunk: Uint8Array) => frames.push(chunk));
    // Nobody reads on who says no more.
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
    // Pongs may be left out; a client that takes nothing gets none.
    else if (opcode === opcodes.ping && !this.#socket.writableNeedDrain) this.write(frame(opcodes.pong, payload));
  }
}
