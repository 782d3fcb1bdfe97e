import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { ApiHandler, Connection } from './handler.ts';
import { serveStream } from './http2.ts';

const connection: Connection = { remoteAddress: '127.0.0.1', protocol: 'HTTP/2.0', clientCertificates: [] };
let server: Http2Server;
let client: ClientHttp2Session;

afterEach(() => {
  client.destroy();
  server.close();
});

/** Sends a POST. Returns the server's stream for it, and the body of the response. */
async function answering(handler: ApiHandler): Promise<{ stream: ServerHttp2Stream; answer: Promise<string> }> {
  server = createServer();
  const streams = once(server, 'stream');
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]) =>
    serveStream(stream, headers, flags, rawHeaders, connection, handler),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => {});
  const sent = client.request({ ':method': 'POST', ':path': '/' });
  sent.on('error', () => {});
  const answer = new Promise<string>((resolve) => {
    let text = '';
    sent.on('data', (chunk) => {
      text += chunk;
    });
    sent.on('close', () => resolve(text));
  });
  sent.end('something');
  const [stream] = await streams;
  return { stream, answer };
}

it('a stream is closed when its response is written, not before', async () => {
  const { stream, answer } = await answering(async (request) => ({
    status: 200,
    headers: {},
    body: await request.readBody(100),
  }));
  await once(stream, 'close');
  expect(stream.writableFinished).toBe(true);
  expect(await answer).toBe('something');
});

it('a stream is closed when its client disconnects before the response is written', async () => {
  const { stream } = await answering(async (request) => {
    await request.readBody(100);
    // More than a client accepts with the default flow-control window.
    return { status: 200, headers: {}, body: Buffer.alloc(10_000_000) };
  });
  await new Promise((resolve) => setImmediate(resolve));
  const closed = once(stream, 'close');
  client.destroy();
  await closed;
  expect([stream.destroyed, stream.writableFinished]).toEqual([true, false]);
});
