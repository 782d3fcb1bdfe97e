import type { Socket } from 'node:net';
import { readClientHello } from './client-hello.ts';
import { Slices } from './slices.ts';

export interface HandshakeLimits {
  /** Limit on the time from the connection to the end of the handshake. */
  readonly timeoutMs: number;
  /** Limit on connections without a complete ClientHello. Each costs a socket. */
  readonly maxSilent: number;
  /** Limit on connections whose ClientHello is being answered. Each costs a TLS state. */
  readonly maxBegun: number;
}

interface Unfinished {
  readonly socket: Socket;
  readonly key: string;
  readonly deadline: number;
  /** The bytes of the ClientHello received so far. */
  received: Buffer;
  readonly onReadable: () => void;
  readonly onEnd: () => void;
}

/** Identifies a connection, both on its TCP socket and on the TLS socket made from it. */
type Endpoints = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

/**
 * The connections of a TLS port until their handshakes are done.
 *
 * A connection gets a TLS state only when a complete ClientHello has arrived; before that it costs only a socket.
 * Handshakes are begun in slices, so that many new clients do not delay the requests of others. A connection beyond a
 * limit closes the oldest connection of its kind. Connections beyond the timeout are closed in slices.
 */
export class Handshakes {
  readonly #limits: HandshakeLimits;
  readonly #begin: (socket: Socket) => void;
  /** All unfinished connections, oldest first. */
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #silent = new Set<Unfinished>();
  readonly #ready = new Slices<Unfinished>((each) => this.#hand(each));
  readonly #begun = new Set<Unfinished>();
  readonly #closing = new Slices<Unfinished>(({ socket }) => socket.destroy());
  #timer: NodeJS.Timeout | undefined;

  /** `begin` starts the TLS handshake on a socket whose ClientHello is ready to be read. */
  constructor(limits: HandshakeLimits, begin: (socket: Socket) => void) {
    this.#limits = limits;
    this.#begin = begin;
  }

  /**
   * The number of connections without a complete ClientHello, with one that waits to be answered, and with one that has
   * been answered.
   */
  get counts(): { readonly silent: number; readonly ready: number; readonly begun: number } {
    return { silent: this.#silent.size, ready: this.#ready.size, begun: this.#begun.size };
  }

  /** Adds a new connection. Its socket may be half-open. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    socket.on('error', ignore);
    // The client has disconnected, or too many complete ClientHellos wait for their turn.
    if (key === undefined || this.#ready.size >= this.#limits.maxSilent) {
      socket.destroy();
      return;
    }
    const each: Unfinished = {
      socket,
      key,
      deadline: performance.now() + this.#limits.timeoutMs,
      received: nothing,
      onReadable: () => this.#read(each),
      // Closed in slices, because many clients may disconnect at the same time.
      onEnd: () => this.#closing.add(each),
    };
    this.#unfinished.set(key, each);
    this.#silent.add(each);
    if (this.#silent.size > this.#limits.maxSilent) this.#closeOldest(this.#silent);
    socket.once('close', () => this.#remove(each));
    socket.on('readable', each.onReadable);
    socket.on('end', each.onEnd);
    this.#watchAge();
  }

  /** Removes a connection whose handshake is done. */
  finish(endpoints: Endpoints): void {
    const key = keyOf(endpoints);
    const each = key === undefined ? undefined : this.#unfinished.get(key);
    if (each) this.#remove(each);
  }

  /** Closes all unfinished connections. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { socket } of this.#unfinished.values()) socket.destroy();
  }

  #read(each: Unfinished): void {
    const { socket } = each;
    const chunk: Buffer | null = socket.read();
    if (!chunk) return;
    each.received = each.received.length === 0 ? chunk : Buffer.concat([each.received, chunk]);
    switch (readClientHello(each.received)) {
      case 'partial':
        return;
      case 'whole':
        socket.off('readable', each.onReadable);
        socket.off('end', each.onEnd);
        socket.unshift(each.received);
        each.received = nothing;
        this.#silent.delete(each);
        this.#ready.add(each);
        return;
      case 'http':
        socket.off('readable', each.onReadable);
        socket.resume().end(plainHttpAnswer);
        return;
      case 'other':
        socket.destroy();
    }
  }

  #hand(each: Unfinished): void {
    this.#begun.add(each);
    if (this.#begun.size > this.#limits.maxBegun) this.#closeOldest(this.#begun);
    each.socket.allowHalfOpen = false;
    this.#begin(each.socket);
  }

  #closeOldest(of: ReadonlySet<Unfinished>): void {
    const [oldest] = of;
    if (!oldest) return;
    this.#remove(oldest);
    oldest.socket.destroy();
  }

  #remove(each: Unfinished): void {
    if (this.#unfinished.get(each.key) === each) this.#unfinished.delete(each.key);
    this.#silent.delete(each);
    this.#ready.delete(each);
    this.#begun.delete(each);
  }

  #watchAge(): void {
    if (this.#timer || this.#unfinished.size === 0) return;
    const [oldest] = this.#unfinished.values();
    const ms = (oldest?.deadline ?? 0) - performance.now();
    // One timer serves many connections, so that it is not restarted for each.
    this.#timer = setTimeout(() => this.#closeLate(), Math.max(ms, this.#limits.timeoutMs / 32)).unref();
  }

  #closeLate(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const each of this.#unfinished.values()) {
      if (each.deadline > now) break;
      this.#unfinished.delete(each.key);
      this.#closing.add(each);
    }
    this.#watchAge();
  }
}

const nothing = Buffer.alloc(0);
/** Go's response to a client that does not use TLS. */
const plainHttpAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Undefined when the connection is closed. */
const keyOf = ({ remoteAddress, remotePort, localAddress }: Endpoints): string | undefined =>
  remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort} ${localAddress}`;

/** Errors are followed by `close`, which is handled. */
function ignore(): void {}
