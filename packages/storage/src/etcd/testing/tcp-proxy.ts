import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy to a server. `cut` resets all connections and refuses new ones until `mend`. */
export class TcpProxy {
  readonly #target: URL;
  readonly #host: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  private constructor(target: URL, host: string) {
    this.#target = target;
    this.#host = host;
  }

  /** Starts a proxy that listens on a free port of a local address. */
  static async to(endpoint: string, host = '127.0.0.1'): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(endpoint), host);
    await proxy.mend();
    return proxy;
  }

  get endpoint(): string {
    return `${this.#target.protocol}//${this.#host}:${this.#port}`;
  }

  async mend(): Promise<void> {
    this.#server = createServer((incoming) => {
      const outgoing = connect(Number(this.#target.port), this.#target.hostname);
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => {});
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    }).listen(this.#port, this.#host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }
}
