import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { TransportError, type TransportRequest } from '../../transport.ts';
import { frame, frameTypes } from './frames.ts';
import { Http2Connection } from './http2-connection.ts';

const closing: (() => void)[] = [];

/** Must be called after each test: closes everything it opened. */
export function closeAll(): void {
  for (const close of closing.splice(0)) close();
}
export const onCloseAll = (close: () => void): void => void closing.push(close);

export interface Connected {
  readonly connection: Http2Connection;
  readonly clock: FakeClock;
  /** Number of calls of the owner's `onGone`. */
  gone(): number;
}

/** Starts the server and connects to it. */
export async function connectTo(server: Server): Promise<Connected> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  let gone = 0;
  const clock = new FakeClock();
  const connection = new Http2Connection(socket, {
    defaults: { authority: 'x', prefix: '', headers: {} },
    clock,
    owner: {
      onRoom: () => {},
      onGone: () => {
        gone++;
      },
    },
  });
  onCloseAll(() => {
    connection.destroy(new TransportError('over'));
    server.close();
  });
  return { connection, clock, gone: () => gone };
}

export const get: TransportRequest = { method: 'GET', url: '/', headers: {} };

/** A complete frame. */
export const framed = (
  type: number,
  flag: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
): Buffer => Buffer.concat([frame(type, flag, stream, payload.length), Buffer.from(payload)]);

/** The first frame of every server. */
export const settings = framed(frameTypes.settings, 0, 0);
/** Type, flags and stream id of the HEADERS frame of the first request. */
export const wholeHead = Buffer.from([frameTypes.headers, 5, 0, 0, 0, 1]);

/** A server that calls back when the first request without a body was received. */
export const scripted = (onRequest: (socket: Socket) => void): Server =>
  createServer((socket) => {
    onCloseAll(() => socket.destroy());
    socket.on('error', () => {});
    let isAsked = false;
    socket.on('data', (request: Buffer) => {
      if (isAsked || !request.includes(wholeHead)) return;
      isAsked = true;
      onRequest(socket);
    });
  });

/** A server that responds to the first request with these bytes. */
export const answering = (bytes: Buffer): Server => scripted((socket) => void socket.write(bytes));
