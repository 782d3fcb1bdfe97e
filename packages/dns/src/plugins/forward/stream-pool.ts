import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock, Timer } from '@coxswain/client';
import { encodeMessage, type Message } from '../../wire/index.ts';
import { addressText, answerTo, type UpstreamAddress } from './exchange.ts';
import { pending } from './pending.ts';

export interface StreamOptions {
  readonly to: UpstreamAddress;
  /** Set for TLS. */
  readonly tls?: { readonly serverName: string; readonly ca?: string } | undefined;
  /** How long an idle connection is kept. */
  readonly expireMs: number;
  readonly clock: Clock;
}

/** Idle connections above this number are closed. */
const maxIdle = 16;

/** Connections to one server over TCP or TLS. Each carries one query at a time, and is then kept for the next one. */
export class StreamPool {
  readonly #options: StreamOptions;
  readonly #idle: { readonly socket: Socket; readonly timer: Timer }[] = [];
  readonly #busy = new Set<Socket>();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Asks the server. A kept connection that the server has closed meanwhile is replaced once. */
  async exchange(message: Message, timeoutMs: number): Promise<Message> {
    const kept = this.#take();
    if (!kept) return this.#ask(this.#connect(), message, timeoutMs);
    try {
      return await this.#ask(kept, message, timeoutMs);
    } catch {
      return this.#ask(this.#connect(), message, timeoutMs);
    }
  }

  close(): void {
    for (const { socket, timer } of this.#idle.splice(0)) {
      timer.cancel();
      socket.destroy();
    }
    for (const socket of this.#busy) socket.destroy();
  }

  #take(): Socket | undefined {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      last.timer.cancel();
      if (!last.socket.destroyed && last.socket.readable) return last.socket;
    }
    return undefined;
  }

  #connect(): Socket {
    const { to, tls } = this.#options;
    const { address: host, port } = to;
    if (!tls) return connect({ host, port, noDelay: true });
    const { serverName, ca } = tls;
    return connectTls({
      host,
      port,
      ...(serverName !== '' && { servername: serverName }),
      ...(ca !== undefined && { ca }),
    });
  }

  #ask(socket: Socket, message: Message, timeoutMs: number): Promise<Message> {
    const { to, clock } = this.#options;
    const { promise, resolve, reject } = pending<Message>();
    const fail = (problem: string): void => reject(new Error(`read tcp ${addressText(to)}: ${problem}`));
    const timer = clock.setTimeout(() => fail('i/o timeout'), timeoutMs);
    let received = Buffer.alloc(0);
    const onData = (data: Buffer): void => {
      received = Buffer.concat([received, data]);
      if (received.length < 2) return;
      const length = received.readUInt16BE(0);
      if (received.length < 2 + length) return;
      const answer = received.length === 2 + length ? answerTo(message, received.subarray(2)) : undefined;
      if (answer) resolve(answer);
      else fail('the answer is for another question');
    };
    const onError = (error: Error): void => fail(error.message);
    const onClose = (): void => fail('EOF');
    this.#busy.add(socket);
    socket.on('data', onData).on('error', onError).on('close', onClose);
    const bytes = encodeMessage(message);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    socket.write(Buffer.concat([length, bytes]));
    return promise.then(
      (answer) => {
        timer.cancel();
        socket.off('data', onData).off('error', onError).off('close', onClose);
        this.#busy.delete(socket);
        this.#keep(socket);
        return answer;
      },
      (error: unknown) => {
        timer.cancel();
        this.#busy.delete(socket);
        socket.destroy();
        throw error;
      },
    );
  }

  #keep(socket: Socket): void {
    const { expireMs, clock } = this.#options;
    if (this.#idle.length >= maxIdle || expireMs === 0) {
      socket.destroy();
      return;
    }
    // Errors of an idle connection close it; nobody waits for them.
    socket.on('error', () => {});
    const timer = clock.setTimeout(() => socket.destroy(), expireMs, { background: true });
    this.#idle.push({ socket, timer });
  }
}
