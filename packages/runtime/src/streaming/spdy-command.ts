import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/apimachinery/clock';
import { type CommandClient, oldStatusOf, statusOf } from './command-client.ts';
import type { CommandStreams } from './session-backend.ts';
import { SpdyServer, type SpdyServerStream } from './spdy-server.ts';

/** Protocols of commands over SPDY, the best first. */
export const spdyCommandProtocols = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const;

/** How long a client may take to open its streams; upstream's. */
const openTimeoutMs = 30_000;

/** Waits until a client has opened all streams that its command has. Rejects if it does not. */
export async function spdyCommandClient(
  socket: Duplex,
  protocol: string,
  { stdin, stdout, stderr, tty }: CommandStreams,
  clock: Clock,
): Promise<CommandClient> {
  const hasResize = tty && (protocol === 'v4.channel.k8s.io' || protocol === 'v3.channel.k8s.io');
  const expected = new Set([
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr && !tty ? ['stderr'] : []),
    ...(hasResize ? ['resize'] : []),
  ]);
  const streams = new Map<string, SpdyServerStream>();
  let allOpen: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    allOpen = resolve;
  });
  const server = new SpdyServer(socket, (stream) => {
    const type = stream.headers.get('streamtype') ?? '';
    if (!expected.has(type) || streams.has(type)) return stream.reset();
    streams.set(type, stream);
    if (streams.size === expected.size) allOpen();
  });
  const timer = clock.setTimeout(() => socket.destroy(), openTimeoutMs);
  await Promise.race([opened, server.closed]);
  timer.cancel();
  if (streams.size < expected.size) throw new Error('timed out waiting for client to create streams');
  return {
    stdin: streams.get('stdin')?.received,
    resizes: streams.get('resize')?.received,
    closed: server.closed,
    async write(name, bytes) {
      await streams.get(name)?.write(bytes);
    },
    async finish(outcome) {
      const text = protocol === 'v4.channel.k8s.io' ? statusOf(outcome) : oldStatusOf(outcome);
      const error = streams.get('error');
      if (text !== '') await error?.write(Buffer.from(text));
      for (const name of ['stdout', 'stderr', 'error']) streams.get(name)?.end();
      server.close();
    },
  };
}
