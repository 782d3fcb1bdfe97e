import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ChannelSocket } from './channel-socket.ts';
import type { StreamedSession } from './session-backend.ts';
import { SpdyServer, type SpdyServerStream } from './spdy-server.ts';

export const spdyPortProtocol = 'portforward.k8s.io';
/** Protocols of ports over WebSockets, the best first. */
export const channelPortProtocols = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'] as const;

type OpenPort = (port: number) => Promise<StreamedSession>;

/** One direction each, and where an error goes. */
interface PortClient {
  readonly received: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  end(): void;
  fail(message: string): Promise<void>;
  readonly closed: Promise<void>;
}

/** How long a data stream waits for its error stream, and the other way round; upstream's. */
const pairTimeoutMs = 30_000;

/** Serves connections to ports over SPDY, each a pair of streams, until the client goes. */
export async function serveSpdyPorts(socket: Duplex, open: OpenPort, clock: Clock): Promise<void> {
  const single = new Map<string, { readonly stream: SpdyServerStream; readonly forget: () => void }>();
  const server = new SpdyServer(socket, (stream) => {
    const { headers } = stream;
    const type = headers.get('streamtype') ?? '';
    const port = Number(headers.get('port'));
    if ((type !== 'data' && type !== 'error') || !Number.isInteger(port) || port < 1 || port > 0xffff)
      return stream.reset();
    // Old clients number no requests: their pairs are told apart by the port.
    const request = headers.get('requestid') ?? `port ${port}`;
    const other = single.get(request);
    if (!other) {
      const timer = clock.setTimeout(() => {
        single.delete(request);
        stream.reset();
      }, pairTimeoutMs);
      single.set(request, { stream, forget: () => timer.cancel() });
      return;
    }
    single.delete(request);
    other.forget();
    const [data, error] = type === 'data' ? [stream, other.stream] : [other.stream, stream];
    void servePort({ ...clientOf(data, error), closed: server.closed }, () => open(port), port);
  });
  await server.closed;
  for (const { forget } of single.values()) forget();
}

const clientOf = (data: SpdyServerStream, error: SpdyServerStream): Omit<PortClient, 'closed'> => ({
  received: data.received,
  write: (bytes) => data.write(bytes),
  end() {
    data.end();
    error.end();
  },
  async fail(message) {
    await error.write(Buffer.from(message));
    error.end();
    data.reset();
  },
});

/** Serves the ports that a client has named when it connected: two channels for each. */
export async function serveChannelPorts(
  socket: ChannelSocket,
  ports: readonly number[],
  open: OpenPort,
): Promise<void> {
  let left = ports.length;
  await Promise.all(
    ports.map(async (port, index) => {
      const [data, error] = [2 * index, 2 * index + 1];
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      const received = socket.receive(data);
      await socket.send(data, number);
      await socket.send(error, number);
      const client: PortClient = {
        received,
        write: (bytes) => socket.send(data, bytes),
        end: () => {},
        fail: (message) => socket.send(error, Buffer.from(message)),
        closed: socket.closed,
      };
      await servePort(client, () => open(port), port);
      // Channels cannot be ended one by one, so the last connection that ends closes all.
      if (--left === 0) socket.close();
    }),
  );
}

async function servePort(client: PortClient, open: () => Promise<StreamedSession>, port: number): Promise<void> {
  let session: StreamedSession;
  try {
    session = await open();
  } catch (error) {
    return await client.fail(`error forwarding port ${port}: ${messageOf(error)}`);
  }
  let hasEnded = false;
  void client.closed.then(async () => {
    if (!hasEnded) await session.kill().catch(() => {});
  });
  const input = async (): Promise<void> => {
    for await (const bytes of client.received) await session.stdin?.write(bytes);
    session.stdin?.close();
  };
  input().catch(() => session.stdin?.close());
  let message = '';
  const errors = async (): Promise<void> => {
    for await (const bytes of session.stderr) if (message.length < 4096) message += Buffer.from(bytes).toString();
  };
  const output = async (): Promise<void> => {
    for await (const bytes of session.stdout) await client.write(bytes);
  };
  const [exitCode] = await Promise.all([session.exited.catch(() => 1), errors(), output()]);
  hasEnded = true;
  if (exitCode !== 0 && message !== '') await client.fail(`error forwarding port ${port}: ${message}`);
  else client.end();
}
