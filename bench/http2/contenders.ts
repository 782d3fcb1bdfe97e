import { connect } from 'node:http2';
import { newTransport } from '@coxswain/client/transport';
import { Pool } from 'undici';

/** Sends one request and resolves with the length of the whole response. */
export interface Requester {
  request(method: 'GET' | 'PUT', path: string, body?: Buffer): Promise<number>;
  close(): Promise<void>;
}

const headers = {
  accept: 'application/json',
  authorization: `Bearer ${'x'.repeat(64)}`,
  'user-agent': 'bench',
};
const ofBody = { ...headers, 'content-type': 'application/json' };

/** The contenders, each with one connection, used as documented. */
export const contenders = {
  ours(server: string): Requester {
    const transport = newTransport({ server, tls: { insecureSkipTlsVerify: true } });
    return {
      async request(method, url, body) {
        const response = await transport.send({ method, url, headers: body ? ofBody : headers, body });
        return (await response.body.bytes()).length;
      },
      close: () => transport.close(),
    };
  },

  'node:http2'(server: string): Requester {
    const session = connect(server, { rejectUnauthorized: false });
    return {
      request: (method, path, body) =>
        new Promise((resolve, reject) => {
          const stream = session.request({ ':method': method, ':path': path, ...(body ? ofBody : headers) });
          const pieces: Buffer[] = [];
          stream.on('data', (piece: Buffer) => pieces.push(piece));
          stream.on('end', () => resolve(Buffer.concat(pieces).length));
          stream.on('error', reject);
          stream.end(body);
        }),
      close: () => new Promise((resolve) => session.close(resolve)),
    };
  },

  undici(server: string): Requester {
    const pool = new Pool(server, { allowH2: true, connections: 1, connect: { rejectUnauthorized: false } });
    return {
      async request(method, path, body) {
        const answer = await pool.request({ method, path, headers: body ? ofBody : headers, ...(body && { body }) });
        return (await answer.body.arrayBuffer()).byteLength;
      },
      close: () => pool.close(),
    };
  },
} as const;

export type ContenderName = keyof typeof contenders;
