import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Transport, TransportResponse } from '../../src/transport/index.ts';

/** The fault of a request. Faults of the body occur after `afterBytes` of the real response. */
export type Fault =
  /** The connection is closed before the response. */
  | { readonly kind: 'refuse' }
  /** A response of the proxy instead of the server's. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }
  /** The response stops; the connection stays open and silent. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The connection is reset (RST) or closed (FIN) in the middle of the response. */
  | { readonly kind: 'reset' | 'cut'; readonly afterBytes: number }
  /** The response ends as if it were complete. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Other data is inserted, and then the response continues. */
  | { readonly kind: 'inject'; readonly afterBytes: number; readonly text: string };

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly isWatch: boolean;
}

/**
 * An HTTP proxy in front of any API server that injects faults into requests according to `plan`, and records all
 * requests.
 */
export class FaultProxy {
  readonly requests: SeenRequest[] = [];
  /** Returns the fault for a request; undefined for none. */
  plan: (request: SeenRequest) => Fault | undefined = () => undefined;
  readonly #upstream: Transport;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(upstream: Transport) {
    this.#upstream = upstream;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(upstream: Transport): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when all connections are closed. */
  async whenUnconnected(): Promise<void> {
    for (const socket of this.#sockets) if (!socket.closed) await once(socket, 'close');
  }

  /** Resets all connections. */
  resetAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen: SeenRequest = {
      method: request.method!,
      url: request.url!,
      isWatch: new URLSearchParams(request.url!.split('?')[1]).get('watch') === 'true',
    };
    this.requests.push(seen);
    const fault = this.plan(seen);
    if (fault?.kind === 'refuse') return void request.socket.destroy();
    if (fault?.kind === 'answer') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      return void response.end(fault.body);
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await this.#upstream.send({
        method: seen.method,
        url: seen.url,
        headers: passedOn(request),
        body: await bodyOf(request),
        signal: gone.signal,
      });
      await passBack(answer, response, fault);
    } catch {
      // The client or the server disconnected: close the other side.
      response.destroy();
    }
  }
}

async function passBack(answer: TransportResponse, response: ServerResponse, fault: Fault | undefined): Promise<void> {
  const { 'content-type': type = 'application/json', 'retry-after': retryAfter } = answer.headers;
  response.writeHead(answer.status, {
    'content-type': String(type),
    ...(retryAfter && { 'retry-after': String(retryAfter) }),
  });
  response.flushHeaders();
  let passed = 0;
  let pending = fault && 'afterBytes' in fault ? fault : undefined;
  for await (const chunk of answer.body.chunks()) {
    let rest = chunk;
    if (pending && passed + chunk.length >= pending.afterBytes) {
      const upTo = pending.afterBytes - passed;
      await written(response, chunk.subarray(0, upTo));
      rest = chunk.subarray(upTo);
      if (await strike(pending, response)) return answer.body.cancel();
      pending = undefined;
    }
    passed += chunk.length;
    await written(response, rest);
  }
  response.end();
}

/** Applies a fault. Returns whether the response has ended. */
async function strike(
  fault: Exclude<Fault, { kind: 'refuse' | 'answer' }>,
  response: ServerResponse,
): Promise<boolean> {
  switch (fault.kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    case 'cut':
      response.destroy();
      return true;
    case 'truncate':
      response.end();
      return true;
    case 'inject':
      await written(response, Buffer.from(fault.text));
      return false;
    case 'stall':
      await once(response, 'close');
      return true;
  }
}

async function written(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (chunk.length > 0) await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
}

function passedOn(request: IncomingMessage): Record<string, string> {
  const names = ['accept', 'content-type', 'user-agent'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
