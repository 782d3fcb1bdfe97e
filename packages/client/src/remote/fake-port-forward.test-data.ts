import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

const webSockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
const chosen = new WeakMap<IncomingMessage, string>();
webSockets.on('headers', (headers, request) => {
  const protocol = chosen.get(request);
  if (protocol) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
});

/** The kubelet's side of a port-forward, to ports of this machine. */
export function servePortForward(request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams): void {
  const protocol = request.headers['sec-websocket-protocol'] ?? '';
  const isTunnel = protocol.startsWith('SPDY/3.1+');
  if (isTunnel) {
    // The `ws` library rejects protocol names with a slash.
    chosen.set(request, protocol);
    delete request.headers['sec-websocket-protocol'];
  }
  webSockets.handleUpgrade(request, socket, head, (webSocket) => {
    if (isTunnel) new SpdyServer(webSocket);
    else serveChannels(webSocket, Number(query.get('port')));
  });
}

const complaint = (port: number, error: Error) =>
  `error forwarding port ${port} to pod sandbox, uid : ${error.message}`;

function serveChannels(webSocket: WebSocket, port: number): void {
  const send = (channel: number, data: Uint8Array | string) =>
    webSocket.send(Buffer.concat([Buffer.of(channel), Buffer.from(data)]));
  for (const channel of [0, 1]) send(channel, Buffer.of(port & 0xff, port >> 8));
  const pod = connect({ port, host: '127.0.0.1' });
  pod.on('data', (data: Buffer) => send(0, data));
  pod.on('error', (error) => send(1, complaint(port, error)));
  pod.on('close', () => webSocket.close(1000));
  webSocket.on('message', (message: Buffer) => pod.write(message.subarray(1)));
  webSocket.on('close', () => pod.destroy());
}

interface Pair {
  port: number;
  data?: number;
  error?: number;
}

/**
 * The parts of SPDY that spdystream's server implements: replies, no flow control. Data before the reply is dropped.
 */
class SpdyServer {
  readonly #webSocket: WebSocket;
  readonly #pairs = new Map<string, Pair>();
  readonly #pods = new Map<number, Socket>();
  #rest = Buffer.alloc(0);
  #isFirst = true;

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on('message', (message: Buffer) => this.#receive(message));
    webSocket.on('close', () => {
      for (const pod of this.#pods.values()) pod.destroy();
    });
  }

  #receive(message: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, message]);
    while (this.#rest.length >= 8) {
      const length = this.#rest.readUInt32BE(4) & 0xffffff;
      if (this.#rest.length < 8 + length) return;
      this.#frame(this.#rest.readUInt32BE(0), this.#rest[4]! & 1, this.#rest.subarray(8, 8 + length));
      this.#rest = this.#rest.subarray(8 + length);
    }
  }

  #frame(first: number, fin: number, payload: Buffer): void {
    if (first < 0x80000000) {
      const pod = this.#pods.get(first);
      if (payload.length > 0) pod?.write(payload);
      if (fin) pod?.end();
    } else if (first === 0x80030001) {
      this.#open(payload.readUInt32BE(0), this.#headers(payload.subarray(10)));
    } else if (first === 0x80030003) {
      this.#pods.get(payload.readUInt32BE(0))?.destroy();
    } else if (first === 0x80030007) {
      this.#webSocket.close(1000);
    }
  }

  #headers(block: Buffer): Map<string, string> {
    if (this.#isFirst && (block.readUInt16BE(0) !== 0x7820 || block.readUInt32BE(2) !== 0xe3c6a7c2)) {
      throw new Error('no zlib stream with the dictionary of SPDY');
    }
    const stored = block.subarray(this.#isFirst ? 6 : 0);
    this.#isFirst = false;
    const length = stored.readUInt16LE(1);
    if (stored[0] !== 0 || stored.readUInt16LE(3) !== (~length & 0xffff)) throw new Error('no stored block');
    if (!stored.subarray(5 + length).equals(Buffer.of(0, 0, 0, 0xff, 0xff))) throw new Error('not flushed');
    const content = stored.subarray(5, 5 + length);
    const fields: string[] = [];
    for (let at = 4; at < content.length; ) {
      const size = content.readUInt32BE(at);
      fields.push(content.toString('utf8', at + 4, at + 4 + size));
      at += 4 + size;
    }
    if (fields.length !== 2 * content.readUInt32BE(0)) throw new Error('wrong number of headers');
    return new Map(fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1]!] as const] : [])));
  }

  #open(stream: number, headers: Map<string, string>): void {
    this.#control(2, [stream]);
    const request = headers.get('requestid') ?? '';
    const pair = this.#pairs.get(request) ?? { port: Number(headers.get('port')) };
    this.#pairs.set(request, pair);
    if (headers.get('streamtype') === 'error') pair.error = stream;
    if (headers.get('streamtype') === 'data') pair.data = stream;
    if (pair.data && pair.error) this.#connect(pair.port, pair.data, pair.error);
  }

  #connect(port: number, data: number, error: number): void {
    const pod = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.#pods.set(data, pod);
    let failure: Error | undefined;
    pod.on('data', (bytes: Buffer) => this.#data(data, bytes));
    pod.on('end', () => pod.end());
    pod.on('error', (cause) => {
      failure = cause;
    });
    pod.on('close', () => {
      this.#pods.delete(data);
      if (failure) {
        this.#data(error, Buffer.from(complaint(port, failure)));
        for (const stream of [data, error]) this.#control(3, [stream, 5]);
      } else {
        for (const stream of [data, error]) this.#data(stream, Buffer.alloc(0), true);
      }
    });
  }

  #data(stream: number, bytes: Buffer, fin = false): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(stream, 0);
    head.writeUInt32BE(((fin ? 1 : 0) << 24) | bytes.length, 4);
    this.#send(Buffer.concat([head, bytes]));
  }

  #control(type: number, words: number[]): void {
    const frame = Buffer.alloc(8 + 4 * words.length);
    frame.writeUInt32BE(0x80030000 + type, 0);
    frame.writeUInt32BE(4 * words.length, 4);
    for (const [index, word] of words.entries()) frame.writeUInt32BE(word, 8 + 4 * index);
    this.#send(frame);
  }

  /** Sent as two messages, so that the client cannot rely on one frame per message. */
  #send(frame: Buffer): void {
    this.#webSocket.send(frame.subarray(0, 5));
    this.#webSocket.send(frame.subarray(5));
  }
}
