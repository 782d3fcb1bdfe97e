import { connect, type Socket } from 'node:net';
import type { DBusValue } from './marshal.ts';
import { type DBusMessage, decodeMessage, encodeMessage, messageType } from './message.ts';

/** An error that the other side has answered. */
export class DBusError extends Error {
  /** Such as `org.freedesktop.systemd1.UnitExists`. */
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message === '' ? errorName : message);
    this.name = 'DBusError';
    this.errorName = errorName;
  }
}

export interface DBusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly DBusValue[];
}

interface Pending {
  readonly resolve: (body: readonly DBusValue[]) => void;
  readonly reject: (error: Error) => void;
}

const maxPending = 1024;
const maxLine = 4096;

/** A client's connection to a D-Bus socket: calls, their replies, and signals. It does not serve objects. */
export class DBusConnection {
  readonly #socket: Socket;
  readonly #onSignal: (signal: DBusMessage) => void;
  readonly #pending = new Map<number, Pending>();
  #received: Buffer = Buffer.alloc(0);
  #isAuthenticated = false;
  #ready: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  #serial = 0;
  #ended: Error | undefined;

  private constructor(socket: Socket, onSignal: (signal: DBusMessage) => void) {
    this.#socket = socket;
    this.#onSignal = onSignal;
    socket.on('data', (data: Buffer) => this.#receive(data));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the D-Bus connection was closed')));
  }

  /** Connects to a socket and authenticates as this process's user. Rejects if nobody listens there, or if it is refused. */
  static async open(path: string, onSignal: (signal: DBusMessage) => void): Promise<DBusConnection> {
    const socket = connect(path);
    const connection = new DBusConnection(socket, onSignal);
    await new Promise<void>((resolve, reject) => {
      connection.#ready = { resolve, reject };
      const user = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
      socket.write(`\0AUTH EXTERNAL ${user}\r\n`);
    });
    // Calls keep the process alive, and waiting for signals does not.
    socket.unref();
    return connection;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Resolves with the values of the reply. Rejects with `DBusError` if the call fails, and when the connection ends. */
  call(call: DBusCall): Promise<readonly DBusValue[]> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      if (this.#pending.size >= maxPending) return reject(new Error(`${maxPending} D-Bus calls are waiting already`));
      this.#serial = (this.#serial % 0xffffffff) + 1;
      const bytes = encodeMessage({ ...call, type: messageType.call }, this.#serial);
      this.#pending.set(this.#serial, { resolve, reject });
      this.#socket.ref();
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#end(new Error('the D-Bus connection was closed'));
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data]);
    try {
      if (!this.#isAuthenticated && !this.#authenticate()) return;
      for (;;) {
        const decoded = decodeMessage(this.#received);
        if (!decoded) return;
        this.#received = this.#received.subarray(decoded.bytes);
        this.#handle(decoded.message);
      }
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
      this.#socket.destroy();
    }
  }

  /** Whether the answer was there. */
  #authenticate(): boolean {
    const end = this.#received.indexOf('\r\n');
    if (end < 0 && this.#received.length < maxLine) return false;
    const line = this.#received.toString('latin1', 0, Math.max(end, 0));
    if (!line.startsWith('OK ')) throw new Error(`D-Bus authentication failed: ${line}`);
    this.#received = this.#received.subarray(end + 2);
    this.#isAuthenticated = true;
    this.#socket.write('BEGIN\r\n');
    this.#ready?.resolve();
    return true;
  }

  #handle(message: DBusMessage): void {
    if (message.type === messageType.signal) this.#onSignal(message);
    else this.#settle(message);
  }

  #settle(message: DBusMessage): void {
    const pending = this.#pending.get(message.replySerial ?? 0);
    if (!pending) return;
    this.#pending.delete(message.replySerial ?? 0);
    if (this.#pending.size === 0) this.#socket.unref();
    const { body = [] } = message;
    if (message.type === messageType.reply) pending.resolve(body);
    else pending.reject(new DBusError(message.errorName ?? '', typeof body[0] === 'string' ? body[0] : ''));
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#ready?.reject(error);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
