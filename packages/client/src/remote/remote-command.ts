import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { joinChunks } from '../transport/response-body.ts';
import type { WebSocketConnection } from '../transport/transport.ts';
import { untilAborted } from '../wait/child-signal.ts';
import { type ByteSink, type ByteSource, pieces, until, writerOf } from './byte-streams.ts';
import { type CommandResult, RemoteCommandError, readCommandStatus } from './command-status.ts';
import { type PodTarget, podPath, type RemoteClient } from './pod-target.ts';

/** The streams to connect to a command. */
export interface CommandStreams {
  readonly stdin?: ByteSource;
  readonly stdout?: ByteSink;
  /** Receives nothing with a terminal, which has only one output. */
  readonly stderr?: ByteSink;
  /** Whether to allocate a terminal. */
  readonly tty?: boolean;
  /** The terminal's size, initially and after each change. */
  readonly resize?: AsyncIterable<TerminalSize>;
  readonly clock?: Clock;
}

export interface TerminalSize {
  /** In characters. */
  readonly width: number;
  readonly height: number;
}

/** The first byte of every message. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

const withStreamClose = 'v5.channel.k8s.io';
const protocols = [withStreamClose, 'v4.channel.k8s.io'];

/** Maximum size of a sent message; servers read a message as a whole. */
const maxMessageBytes = 64 * 1024;

/** How long to wait for the server to close the connection after the command's status. */
const closeTimeoutMs = 1_000;

/** A status is a few hundred bytes. */
const maxStatusBytes = 1024 * 1024;

/**
 * Runs or attaches to a command through a pod's `exec` or `attach`, until it has ended. Rejects with an ApiError when
 * the server rejects the request, a RemoteCommandError when the command cannot be run, a TransportError when the
 * connection breaks, the signal's reason, and errors of a source or a sink.
 */
export async function remoteCommand(
  client: RemoteClient,
  subresource: 'exec' | 'attach',
  options: PodTarget & CommandStreams,
  query: object = {},
): Promise<CommandResult> {
  const { signal, container, stdin, stdout, tty = false } = options;
  const stderr = options.stderr !== undefined && !tty;
  const connection = await client.openWebSocket({
    path: podPath(options, subresource),
    query: {
      ...query,
      container,
      stdin: stdin !== undefined,
      // The server requires at least one stream.
      stdout: stdout !== undefined || (stdin === undefined && !stderr),
      stderr,
      tty,
    },
    protocols,
    ...(signal && { signal }),
  });
  return new Session(connection, options, signal).run();
}

/** The connection of one command. */
class Session {
  readonly #connection: WebSocketConnection;
  readonly #streams: CommandStreams;
  readonly #signal: AbortSignal | undefined;
  /** Aborted when the command has ended and no more input is needed. */
  readonly #over = new AbortController();
  /** Why this side aborted the session; set at most once, before the connection is closed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: WebSocketConnection, streams: CommandStreams, signal?: AbortSignal) {
    this.#connection = connection;
    this.#streams = streams;
    this.#signal = signal;
  }

  async run(): Promise<CommandResult> {
    const { stdin, resize } = this.#streams;
    const inputs = [
      stdin && this.#send(() => this.#sendInput(stdin)),
      resize && this.#send(() => this.#sendSizes(resize)),
    ];
    try {
      const status = await this.#receive();
      if (status === '') {
        // Differs from client-go, which treats this as success.
        throw new RemoteCommandError('the connection was closed before the status of the command was received');
      }
      return readCommandStatus(status);
    } catch (error) {
      throw this.#failure ? this.#failure.error : error;
    } finally {
      this.#over.abort();
      this.#connection.close();
      await Promise.all(inputs);
    }
  }

  /** Receives messages until the connection ends; resolves with the content of the error channel. */
  async #receive(): Promise<string> {
    const stdout = writerOf(this.#streams.stdout);
    const stderr = writerOf(this.#streams.stderr);
    const { clock = systemClock } = this.#streams;
    const status: Uint8Array[] = [];
    let statusBytes = 0;
    let timer: Timer | undefined;
    try {
      for await (const message of this.#connection.messages()) {
        // Servers send empty messages when the connection is established.
        if (message.length < 2) continue;
        const bytes = message.subarray(1);
        if (message[0] === channel.stdout) await this.#taken(stdout.write(bytes));
        else if (message[0] === channel.stderr) await this.#taken(stderr.write(bytes));
        else if (message[0] === channel.error) {
          status.push(bytes);
          statusBytes += bytes.length;
          // The status is the last message of a server. A server that no longer reads may take long to close the
          // connection.
          timer ??= clock.setTimeout(() => this.#connection.close(), closeTimeoutMs);
          if (statusBytes > maxStatusBytes) throw new RemoteCommandError('the status of the command is too long');
        }
      }
    } catch (error) {
      // A connection error after the status does not matter.
      if (status.length === 0 || error instanceof RemoteCommandError) throw error;
    } finally {
      timer?.cancel();
      stdout.release();
      stderr.release();
    }
    return new TextDecoder().decode(joinChunks(status));
  }

  /** Waits for a sink's promise, or until the signal is aborted. */
  async #taken(written: unknown): Promise<void> {
    if (!isPromise(written)) return;
    if (this.#signal) await untilAborted(Promise.resolve(written), this.#signal);
    else await written;
  }

  /** Sends input while the command runs. Never rejects: an error of the source ends the session. */
  async #send(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      this.#failure ??= { error };
      this.#connection.close();
    }
  }

  async #sendInput(stdin: ByteSource): Promise<void> {
    for await (const piece of pieces(until(stdin, this.#over.signal), maxMessageBytes)) {
      if (!(await this.#message(channel.stdin, piece))) return;
    }
    // v4 servers do not support this; there the command sees the end of its input when the connection ends.
    if (this.#connection.protocol === withStreamClose) {
      await this.#message(channel.close, Uint8Array.of(channel.stdin));
    }
  }

  async #sendSizes(resize: AsyncIterable<TerminalSize>): Promise<void> {
    for await (const { width, height } of until(resize, this.#over.signal)) {
      const size = JSON.stringify({ Width: width, Height: height });
      if (!(await this.#message(channel.resize, new TextEncoder().encode(size)))) return;
    }
  }

  /** Sends a message. Returns false when the command has ended or the connection broke; `#receive` reports which. */
  async #message(to: number, bytes: Uint8Array): Promise<boolean> {
    if (this.#over.signal.aborted) return false;
    const message = new Uint8Array(bytes.length + 1);
    message[0] = to;
    message.set(bytes, 1);
    return this.#connection.send(message).then(
      () => true,
      () => false,
    );
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
