import type { Duplex } from 'node:stream';

/** A stream that the client has opened. */
export interface FakeStream {
  readonly type: string;
  write(text: string): void;
  /** Ends the server's side. */
  end(): void;
  /** All that the client has sent. */
  readonly received: string;
  readonly isEnded: boolean;
}

/**
 * The server's side of SPDY/3.1, as far as a session needs it. It reads only headers that our client writes: in stored blocks.
 */
export class FakeSpdyServer {
  readonly streams = new Map<string, FakeStream>();
  readonly #socket: Duplex;
  readonly #changed: (() => void)[] = [];
  #pending = Buffer.alloc(0);

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Resolves when the condition holds, which is tried after each chunk. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  /** Resolves with the streams by type, once there are so many. */
  async opened(count: number): Promise<ReadonlyMap<string, FakeStream>> {
    await this.until(() => this.streams.size >= count);
    return this.streams;
  }

  /** Ends the session, as runtimes do: with resets. */
  close(): void {
    for (let id = 1; id <= this.streams.size * 2; id += 2) this.#control(3, id, 5);
    this.#control(7, 0, 0);
    this.#socket.end();
  }

  cut(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 8) {
      const length = this.#pending.readUIntBE(5, 3);
      if (this.#pending.length < 8 + length) break;
      this.#frame(this.#pending.subarray(0, 8), this.#pending.subarray(8, 8 + length));
      this.#pending = this.#pending.subarray(8 + length);
    }
    for (const wake of this.#changed.splice(0)) wake();
  }

  #frame(head: Buffer, payload: Buffer): void {
    const isFinal = (head[4]! & 1) !== 0;
    if (head[0]! < 0x80) {
      const stream = this.#byId.get(head.readUInt32BE(0));
      if (!stream) return;
      stream.received += payload.toString();
      stream.isEnded ||= isFinal;
      return;
    }
    if (head.readUInt16BE(2) !== 1) return;
    const id = payload.readUInt32BE(0);
    const content = payload.subarray(10 + (id === 1 ? 6 : 0) + 5);
    const nameLength = content.readUInt32BE(4);
    const type = content.toString('utf8', 12 + nameLength, 12 + nameLength + content.readUInt32BE(8 + nameLength));
    const stream = {
      type,
      received: '',
      isEnded: false,
      write: (text: string) => this.#data(id, Buffer.from(text), 0),
      end: () => this.#data(id, Buffer.alloc(0), 1),
    };
    this.#byId.set(id, stream);
    this.streams.set(type, stream);
    this.#control(2, id);
  }

  readonly #byId = new Map<number, { received: string; isEnded: boolean }>();

  #data(id: number, bytes: Buffer, flags: number): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head.writeUInt32BE(bytes.length, 4);
    head[4] = flags;
    this.#socket.write(Buffer.concat([head, bytes]));
  }

  #control(type: number, ...words: number[]): void {
    const frame = Buffer.alloc(8 + 4 * words.length);
    frame.writeUInt16BE(0x8003, 0);
    frame.writeUInt16BE(type, 2);
    frame.writeUInt32BE(4 * words.length, 4);
    for (const [index, word] of words.entries()) frame.writeUInt32BE(word, 8 + 4 * index);
    this.#socket.write(frame);
  }
}
