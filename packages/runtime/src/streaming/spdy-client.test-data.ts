import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { dataFrame, SpdyFrameReader, synStream } from '@coxswain/apimachinery/spdy';

/** A stream of the client, and all that it has received. */
export interface ClientStream {
  text: string;
  isEnded: boolean;
  write(text: string): void;
  end(): void;
}

/** A client of a streaming server over SPDY. */
export class SpdyClient {
  readonly protocol: string;
  readonly #socket: Duplex;
  readonly #streams = new Map<number, ClientStream>();
  readonly #changed: (() => void)[] = [];
  #nextId = 1;
  isClosed = false;

  private constructor(socket: Duplex, protocol: string) {
    this.#socket = socket;
    this.protocol = protocol;
    const reader = new SpdyFrameReader();
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      for (const frame of reader.read(chunk)) {
        const stream = 'stream' in frame ? this.#streams.get(frame.stream) : undefined;
        if (stream && frame.type === 'data') stream.text += Buffer.from(frame.bytes).toString();
        if (stream && 'fin' in frame && frame.fin) stream.isEnded = true;
        if (stream && frame.type === 'reset') stream.isEnded = true;
        if (frame.type === 'goAway') socket.end();
      }
      this.#wake();
    });
    socket.once('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  static async connect(url: string, protocols: readonly string[]): Promise<SpdyClient> {
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': [...protocols] };
    const outgoing = request(url, { method: 'POST', headers, agent: false });
    outgoing.end();
    const refused = once(outgoing, 'response').then(([answer]) => {
      throw new Error(`refused with ${(answer as IncomingMessage).statusCode}`);
    });
    const [answer, socket, head] = (await Promise.race([once(outgoing, 'upgrade'), refused])) as [
      IncomingMessage,
      Duplex,
      Buffer,
    ];
    if (head.length > 0) socket.unshift(head);
    return new SpdyClient(socket, String(answer.headers['x-stream-protocol-version']));
  }

  open(headers: Readonly<Record<string, string>>): ClientStream {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream: ClientStream = {
      text: '',
      isEnded: false,
      write: (text) => this.#socket.write(dataFrame(id, Buffer.from(text), false)),
      end: () => this.#socket.write(dataFrame(id, new Uint8Array(), true)),
    };
    this.#streams.set(id, stream);
    this.#socket.write(synStream(id, headers, { isFirst: id === 1, fin: false }));
    return stream;
  }

  /** Resolves when the condition holds, which is tried after each chunk. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.isClosed) throw new Error('the connection has ended');
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  cut(): void {
    this.#socket.destroy();
  }

  #wake(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}
