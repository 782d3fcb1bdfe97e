import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { newInternalError, type Status, toStatus } from '@coxswain/apimachinery';
import type { SpdyConnection, SpdyStream } from '@coxswain/client';
import { readCommandStatus } from './command-status.ts';
import type { StreamOptions } from './stream-options.ts';

/** The first byte of every message of `v5.channel.k8s.io`. After `close` comes the channel that the client has ended. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

type Channel = (typeof channel)[keyof typeof channel];

/** A status is a few hundred bytes. */
const maxStatusBytes = 1024 * 1024;

/**
 * Connects a client's WebSocket of `v5.channel.k8s.io`, a stream of messages, to a session with the runtime in SPDY. Resolves when the
 * command has ended and the client has been told its status, or the client has gone away. Never rejects: what goes wrong is a status.
 */
export async function translateStreams(
  client: Duplex,
  options: StreamOptions,
  open: (signal: AbortSignal) => Promise<SpdyConnection>,
): Promise<void> {
  const gone = new AbortController();
  client.once('close', () => gone.abort());
  let session: SpdyConnection | undefined;
  try {
    // Tells the client that the connection is there.
    await send(client, firstOutput(options), new Uint8Array());
    session = await open(gone.signal);
    const { closed } = session;
    const end = (): void => session?.close();
    gone.signal.addEventListener('abort', end, { once: true });
    if (gone.signal.aborted) end();
    const status = await run(client, options, session);
    await send(client, channel.error, Buffer.from(JSON.stringify(status)));
    client.end();
    session.close();
    await closed;
  } catch (error) {
    if (gone.signal.aborted) return;
    await send(client, channel.error, Buffer.from(JSON.stringify(internalError(error)))).catch(() => {});
    client.end();
  } finally {
    session?.close();
  }
}

function firstOutput({ stdout, stderr }: StreamOptions): Channel {
  return stdout ? channel.stdout : stderr ? channel.stderr : channel.error;
}

async function run(client: Duplex, options: StreamOptions, session: SpdyConnection): Promise<Status> {
  const open = async (streamType: string): Promise<SpdyStream> => await session.open({ streamtype: streamType });
  // The runtime begins when all streams are there, in any order.
  const [error, stdin, stdout, stderr, resize] = await Promise.all([
    open('error'),
    options.stdin ? open('stdin') : undefined,
    options.stdout ? open('stdout') : undefined,
    options.stderr ? open('stderr') : undefined,
    options.tty ? open('resize') : undefined,
  ]);
  void forwardInput(client, stdin, resize).catch(() => client.destroy());
  const [text] = await Promise.all([
    statusText(error),
    stdout && forwardOutput(stdout, client, channel.stdout),
    stderr && forwardOutput(stderr, client, channel.stderr),
  ]);
  return readCommandStatus(text);
}

/** Resolves when the client has ended the connection, and closes it when the client breaks the protocol. */
async function forwardInput(
  client: Duplex,
  stdin: SpdyStream | undefined,
  resize: SpdyStream | undefined,
): Promise<void> {
  for await (const message of client as AsyncIterable<Buffer>) {
    const [to, ended] = message;
    if (to === channel.close) {
      if (message.length !== 2 || ended! > channel.resize) break;
      if (ended === channel.stdin) await stdin?.end().catch(() => {});
      continue;
    }
    const stream = to === channel.stdin ? stdin : to === channel.resize ? resize : undefined;
    // A command that no longer reads its input may go on.
    await stream?.write(message.subarray(1)).catch(() => {});
  }
  client.destroy();
}

/** Resolves when the runtime has ended the stream, in whatever way: the status tells how the command has ended. */
async function forwardOutput(stream: SpdyStream, client: Duplex, to: Channel): Promise<void> {
  const chunks = stream.chunks();
  for (;;) {
    const chunk = await chunks.next().catch(() => undefined);
    if (!chunk || chunk.done) return;
    await send(client, to, chunk.value);
  }
}

/** Reads the runtime's status. Rejects with an Error if the session breaks before. */
async function statusText(stream: SpdyStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream.chunks()) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxStatusBytes) throw new Error('the status of the command is too long');
    }
  } catch (error) {
    // The runtime resets its streams after the status.
    if (length === 0 || length > maxStatusBytes) throw error;
  }
  return Buffer.concat(chunks).toString();
}

/** Resolves when more can be sent. Rejects when the client has gone away. */
async function send(client: Duplex, to: Channel, bytes: Uint8Array): Promise<void> {
  const message = Buffer.allocUnsafe(bytes.length + 1);
  message[0] = to;
  message.set(bytes, 1);
  if (client.destroyed || client.writableEnded) throw new Error('the client has gone away');
  if (!client.write(message)) await once(client, 'drain');
}

const internalError = (error: unknown): Status =>
  toStatus(newInternalError(error instanceof Error ? error : new Error(String(error))));
