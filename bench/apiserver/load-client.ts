import { type ClientHttp2Session, connect } from 'node:http2';
import type { Target } from './target.ts';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** A client with little overhead, so that mainly the server is measured: HTTP/2 over a few connections. */
export class LoadClient {
  readonly #sessions: ClientHttp2Session[];
  readonly #authorization: string;
  #next = 0;

  constructor({ port, token }: Target, connections: number) {
    this.#authorization = `Bearer ${token}`;
    this.#sessions = Array.from({ length: connections }, () =>
      connect(`https://127.0.0.1:${port}`, {
        rejectUnauthorized: false,
        settings: { initialWindowSize: 16 * 1024 * 1024 },
        peerMaxConcurrentStreams: 1000,
      }),
    );
    for (const session of this.#sessions) session.on('connect', () => session.setLocalWindowSize(64 * 1024 * 1024));
  }

  request(method: string, path: string, body?: string, contentType = 'application/json'): Promise<Answer> {
    const session = this.#sessions[this.#next++ % this.#sessions.length]!;
    return new Promise((resolve, reject) => {
      const stream = session.request({
        ':method': method,
        ':path': path,
        authorization: this.#authorization,
        'user-agent': 'bench',
        ...(body !== undefined && { 'content-type': contentType }),
      });
      let status = 0;
      const chunks: Buffer[] = [];
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => resolve({ status, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }));
      stream.on('error', reject);
      stream.end(body);
    });
  }

  /** Starts a watch that calls `onData` with every chunk. Resolves when the watch has begun. */
  watch(path: string, onData: (chunk: Buffer) => void): Promise<() => void> {
    const session = this.#sessions[this.#next++ % this.#sessions.length]!;
    return new Promise((resolve, reject) => {
      const stream = session.request({ ':path': path, authorization: this.#authorization, 'user-agent': 'bench' });
      stream.on('response', () => resolve(() => stream.close()));
      stream.on('data', onData);
      stream.on('error', reject);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => new Promise<void>((resolve) => session.close(resolve))));
  }
}
