import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export function servePortForward(_: IncomingMessage, socket: Duplex, __: Buffer, ___: URLSearchParams): void {
  socket.destroy();
}
