import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A TCP server that sends scripted bytes. */
export interface RawServer {
  readonly url: string;
  /** All connections so far. */
  readonly connections: Socket[];
  close(): Promise<void>;
}

/** Calls `onRequest` with the head of every request and its number on its connection, from 0. */
export async function rawServer(
  onRequest: (socket: Socket, request: string, indexOnConnection: number, connection: number) => void,
): Promise<RawServer> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    const connection = connections.push(socket) - 1;
    let text = '';
    let index = 0;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const request = text.slice(0, end);
        text = text.slice(end + 4);
        onRequest(socket, request, index++, connection);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    close() {
      for (const socket of connections) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const ok = (body = 'ok', headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
