import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiResponse } from './handler.ts';

/** How long one side may be silent after the other one ended. */
const lingerMs = 30_000;

/**
 * Accepts an upgrade: the client gets the response head, and from then on bytes are forwarded both ways unchanged until either side ends.
 * When one side closes, the other is closed, too. When one only ends its side, the other has time to finish.
 */
export function tunnelResponse(server: Duplex, headers: ApiResponse['headers']): ApiResponse {
  // If the client disconnects before the tunnel is there, the request's signal closes the connection.
  server.on('error', () => {});
  return {
    status: 101,
    headers: {},
    body: {
      upgrade: (client, head) => {
        if (!client.destroyed) client.write(switchingProtocols(headers), 'latin1');
        tunnel(client, head, server);
      },
    },
  };
}

/** Connects two connections. `head` contains the bytes that the client has already sent. */
export function tunnel(client: Duplex, head: Uint8Array, server: Duplex): void {
  let linger: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(linger);
    client.destroy();
    server.destroy();
  };
  const pass = (from: Duplex, to: Duplex) => {
    from.on('error', close);
    // After a regular end, data that was read may not be written to the other side yet.
    from.once('close', () => (from.readableEnded && !to.writableFinished ? to.once('finish', close) : close()));
    from.once('end', () => {
      linger ??= setTimeout(close, lingerMs).unref();
    });
    from.on('data', () => linger?.refresh());
    from.pipe(to);
  };
  if (client.destroyed || server.destroyed) {
    close();
    return;
  }
  if (head.length > 0) server.write(head);
  pass(client, server);
  pass(server, client);
}

/** The head of a response that accepts an upgrade. */
export function switchingProtocols(headers: ApiResponse['headers']): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  return `HTTP/1.1 101 ${STATUS_CODES[101]}\r\n${lines.join('')}\r\n`;
}
