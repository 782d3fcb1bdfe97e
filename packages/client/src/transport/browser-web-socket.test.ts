import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { FetchTransport } from './fetch-transport.ts';
import { TransportError } from './transport.ts';

let server: WebSocketServer;
let transport: FetchTransport;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Has the same interface as a browser's.
  transport = new FetchTransport({ server: url }, { WebSocket: WebSocket as unknown as typeof globalThis.WebSocket });
});
afterEach(async () => {
  await transport.close();
  for (const client of server.clients) client.terminate();
  server.close();
});

const open = (more: object = {}) =>
  transport.openWebSocket({ url: '/exec?x=1', headers: { authorization: 'Bearer a/b?' }, protocols: ['v5'], ...more });

describe('WebSockets of a browser', () => {
  it('exchange messages, and send the token as a subprotocol', async () => {
    const request = new Promise<IncomingMessage>((resolve) => {
      server.on('connection', (socket, message) => {
        resolve(message);
        socket.on('message', (data) => {
          socket.send(data);
          socket.close();
        });
      });
    });
    const connection = await open();
    expect(connection.protocol).toBe('v5');
    expect((await request).url).toBe('/exec?x=1');
    expect((await request).headers['sec-websocket-protocol']).toBe(
      `v5,base64url.bearer.authorization.k8s.io.${Buffer.from('a/b?').toString('base64url')}`,
    );
    await connection.send(new Uint8Array([1, 2, 3]));
    const messages: Uint8Array[] = [];
    for await (const message of connection.messages()) messages.push(message);
    expect(messages).toEqual([new Uint8Array([1, 2, 3])]);
    await expect(connection.send(new Uint8Array(1))).rejects.toBeInstanceOf(TransportError);
  });

  it('report a broken connection', async () => {
    server.on('connection', (socket) => socket.terminate());
    const connection = await open();
    await expect(connection.messages()[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(TransportError);
  });

  it('report a failed connection', async () => {
    server.options.verifyClient = () => false;
    await expect(open()).rejects.toBeInstanceOf(TransportError);
  });

  it('are closed with the signal, and with the transport', async () => {
    const abort = new AbortController();
    const [first, second] = await Promise.all([open({ signal: abort.signal }), open()]);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(first.messages()[Symbol.asyncIterator]().next()).rejects.toBe(reason);
    await transport.close();
    await expect(second.messages()[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(TransportError);
  });
});
