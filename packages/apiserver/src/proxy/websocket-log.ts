import { createHash } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import type { ApiRequest, ApiResponse } from '@coxswain/component-base/http';
import { isUpgradeRequest, valuesOf } from './forwarded-headers.ts';
import { ControlFrameReader, frame, opcodes } from './websocket-frames.ts';

type Encode = (chunk: Uint8Array) => Buffer;

const binary: Encode = (chunk) => frame(opcodes.binary, chunk);
const base64: Encode = (chunk) => frame(opcodes.text, Buffer.from(Buffer.from(chunk).toString('base64'), 'latin1'));

/** Subprotocols in which a stream of bytes goes to a client; the empty one is for clients that ask for none. */
const protocols: ReadonlyMap<string, Encode> = new Map([
  ['', binary],
  ['binary.k8s.io', binary],
  ['base64.binary.k8s.io', base64],
]);

const normalClosure = frame(opcodes.close, Buffer.from([0x03, 0xe8]));

/** Browsers cannot read a stream in any other way that all of them have. */
export const isWebSocketRequest = (request: ApiRequest): boolean =>
  isUpgradeRequest(request) && valuesOf(request.headers, 'upgrade')[0]?.toLowerCase() === 'websocket';

/** Sends a log as messages of a WebSocket, after an empty one. What the client sends is of no interest. */
export function webSocketLog(request: ApiRequest, log: Readable): ApiResponse {
  log.on('error', () => {});
  const key = valuesOf(request.headers, 'sec-websocket-key')[0];
  if (key === undefined || valuesOf(request.headers, 'sec-websocket-version')[0] !== '13') {
    log.destroy();
    const body = Buffer.from('missing or bad WebSocket Version');
    return { status: 400, headers: { 'sec-websocket-version': '13' }, body };
  }
  const offered = valuesOf(request.headers, 'sec-websocket-protocol').flatMap((value) => value.split(','));
  const names = offered.length === 0 ? [''] : offered.map((name) => name.trim());
  const protocol = names.find((name) => protocols.has(name));
  const encode = protocol === undefined ? undefined : protocols.get(protocol);
  if (protocol === undefined || encode === undefined) {
    log.destroy();
    return { status: 403, headers: {} };
  }
  const head = handshake(key, protocol);
  return {
    status: 101,
    headers: {},
    body: {
      upgrade: (socket) =>
        send(
          log,
          socket.on('error', () => {}),
          head,
          encode,
        ),
    },
  };
}

function handshake(key: string, protocol: string): string {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === '' ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function send(log: Readable, socket: Duplex, head: string, encode: Encode): void {
  const close = () => {
    if (!socket.writableEnded) socket.end(normalClosure);
  };
  const control = new ControlFrameReader((opcode, payload) => {
    if (opcode === opcodes.close) log.destroy();
    // Pongs may be left out; a client that takes nothing gets none.
    else if (opcode === opcodes.ping && !socket.writableNeedDrain && !socket.writableEnded)
      socket.write(frame(opcodes.pong, payload));
  });
  socket.write(head, 'latin1');
  socket.write(encode(new Uint8Array()));
  socket.on('data', (chunk: Uint8Array) => control.push(chunk));
  socket.on('end', () => log.destroy());
  socket.on('close', () => log.destroy());
  socket.on('drain', () => log.resume());
  log.on('data', (chunk: Uint8Array) => {
    if (!socket.write(encode(chunk))) log.pause();
  });
  // However it ends, the client is told that it has.
  log.on('close', close);
  if (log.destroyed) close();
}
