import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/apimachinery/clock';
import { channelCommandClient, channelCommandProtocols } from './channel-command.ts';
import { acceptChannels } from './channel-socket.ts';
import { serveCommand } from './serve-command.ts';
import { channelPortProtocols, serveChannelPorts, serveSpdyPorts, spdyPortProtocol } from './serve-ports.ts';
import type { StreamingTarget } from './session-backend.ts';
import { spdyCommandClient, spdyCommandProtocols } from './spdy-command.ts';
import { StreamingTokens } from './streaming-tokens.ts';

export interface StreamingServerOptions {
  readonly clock: Clock;
  /** The address that it listens on. By default loopback: the kubelet passes the streams on. */
  readonly host?: string;
  /** By default any. */
  readonly port?: number;
}

/** A session in which nothing is sent is ended after this time, as with upstream's runtimes. */
const idleMs = 4 * 60 * 60 * 1000;

/** Where clients find the streams of exec, attach and port-forward: at URLs with a token that is good once. */
export class StreamingServer {
  readonly #clock: Clock;
  readonly #host: string;
  readonly #server: Server = createServer({ requestTimeout: 30_000 });
  readonly #sockets = new Set<Socket>();
  readonly #tokens: StreamingTokens;
  #port: number;

  constructor({ clock, host = '127.0.0.1', port = 0 }: StreamingServerOptions) {
    this.#clock = clock;
    this.#host = host;
    this.#port = port;
    this.#tokens = new StreamingTokens(clock);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('request', (_, response) => {
      response
        .writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
        .end('Upgrade request required\n');
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, this.#host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.#port = address.port;
    // A runtime in a process that has nothing else to do must not keep it alive.
    this.#server.unref();
  }

  /** The URL of a target, for the client that asked for it. */
  urlOf(path: 'exec' | 'attach' | 'portforward', target: StreamingTarget): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${host}:${this.#port}/${path}/${this.#tokens.add(target)}`;
  }

  async close(): Promise<void> {
    this.#tokens.clear();
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {});
    if ('setTimeout' in socket && typeof socket.setTimeout === 'function')
      socket.setTimeout(idleMs, () => socket.destroy());
    const token = /^\/(?:exec|attach|portforward)\/([\w-]+)$/.exec(request.url?.split('?', 1)[0] ?? '')?.[1] ?? '';
    const target = this.#tokens.take(token);
    if (!target) {
      refuse(socket, 404, 'the token is not known, or was used');
      return;
    }
    const upgrade = String(request.headers.upgrade ?? '').toLowerCase();
    if (upgrade === 'websocket') this.#serveWebSocket(request, socket, head, target);
    else if (upgrade === 'spdy/3.1') this.#serveSpdy(request, socket, head, target);
    else refuse(socket, 400, `unable to upgrade: unsupported protocol ${upgrade}`);
  }

  #serveSpdy(request: IncomingMessage, socket: Duplex, head: Buffer, target: StreamingTarget): void {
    const offered = listOf(request.headers['x-stream-protocol-version']);
    const known: readonly string[] = target.kind === 'command' ? spdyCommandProtocols : [spdyPortProtocol];
    const protocol = offered.length === 0 ? (known.at(-1) ?? '') : offered.find((name) => known.includes(name));
    if (protocol === undefined) {
      const message = `unable to upgrade: unable to negotiate protocol: client supports ${JSON.stringify(offered)}, server accepts ${JSON.stringify(known)}`;
      refuse(socket, 403, message);
      return;
    }
    const version = offered.length === 0 ? '' : `X-Stream-Protocol-Version: ${protocol}\r\n`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${version}\r\n`);
    if (head.length > 0) socket.unshift(head);
    const serving =
      target.kind === 'ports'
        ? serveSpdyPorts(socket, target.open, this.#clock)
        : spdyCommandClient(socket, protocol, target.streams, this.#clock).then((client) =>
            serveCommand(client, target.open),
          );
    serving.catch(() => socket.destroy());
  }

  #serveWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer, target: StreamingTarget): void {
    const offered = listOf(request.headers['sec-websocket-protocol']);
    const known: readonly string[] = target.kind === 'command' ? channelCommandProtocols : channelPortProtocols;
    const protocol = offered.length === 0 ? '' : known.find((name) => offered.includes(name));
    if (protocol === undefined) {
      refuse(socket, 400, `unable to negotiate protocol: client supports ${JSON.stringify(offered)}`);
      return;
    }
    acceptChannels(request, socket, head, protocol, (channels) => {
      const serving =
        target.kind === 'ports'
          ? serveChannelPorts(channels, target.ports, target.open)
          : serveCommand(channelCommandClient(channels, protocol, target.streams), target.open);
      serving.catch(() => socket.destroy());
    });
  }
}

const listOf = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');

function refuse(socket: Duplex, status: number, message: string): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: text/plain; charset=utf-8`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`);
}
