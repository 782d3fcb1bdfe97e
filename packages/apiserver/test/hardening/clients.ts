import { type ClientHttp2Session, connect as connectHttp2, constants, type OutgoingHttpHeaders } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { tokens } from '../test-server.ts';

const host = '127.0.0.1';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export const asAdmin = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };

/** Sends a request on a new HTTP/1.1 connection. Rejects when the connection is closed before the end of the response. */
export function callHttp1(port: number, { method = 'GET', path, headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = httpsRequest({ host, port, method, path, headers, agent: false, rejectUnauthorized: false });
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Opens a TLS connection with the ALPN protocol, for sending arbitrary bytes. */
export function connectSocket(port: number, protocol: 'h2' | 'http/1.1' = 'http/1.1'): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port, ALPNProtocols: [protocol], rejectUnauthorized: false });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      // Tests see an error by the close of the socket.
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}

/** Returns everything that the server sends until the socket is closed. */
export function readToEnd(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

export function connectSession(port: number): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false });
    session.once('error', reject);
    session.once('connect', () => {
      session.off('error', reject);
      session.on('error', () => session.destroy());
      resolve(session);
    });
  });
}

/** Sends a request on an HTTP/2 session. Rejects when the stream is reset before the end of the response. */
export function callHttp2(
  session: ClientHttp2Session,
  { method = 'GET', path, headers = {}, body }: Call,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const head: OutgoingHttpHeaders = { ':method': method, ':path': path, ...headers };
    const stream = session.request(head, { endStream: body === undefined });
    const chunks: Buffer[] = [];
    let answer: Omit<Answer, 'text'> | undefined;
    stream.on('response', (received) => {
      const { [constants.HTTP2_HEADER_STATUS]: status, ...rest } = received;
      answer = { status: Number(status), headers: rest as Answer['headers'] };
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => {
      if (answer) resolve({ ...answer, text: Buffer.concat(chunks).toString() });
    });
    stream.on('close', () => reject(new Error(`the stream was closed with code ${stream.rstCode}`)));
    if (body !== undefined) stream.end(body);
  });
}

/** Resolves when the condition is true. Polls every 5 ms. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
