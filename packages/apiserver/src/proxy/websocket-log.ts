import type { Readable } from 'node:stream';
import { type ApiRequest, type ApiResponse, frame, opcodes, webSocketResponse } from '@coxswain/component-base/http';

type Encode = (chunk: Uint8Array) => Buffer;

const binary: Encode = (chunk) => frame(opcodes.binary, chunk);
const base64: Encode = (chunk) => frame(opcodes.text, Buffer.from(Buffer.from(chunk).toString('base64'), 'latin1'));

/** Subprotocols for streaming bytes to a client. The empty one is for clients that request none. */
const protocols: ReadonlyMap<string, Encode> = new Map([
  ['', binary],
  ['binary.k8s.io', binary],
  ['base64.binary.k8s.io', base64],
]);

/** Sends a log as WebSocket messages, after an empty one. Messages of the client are ignored. */
export function webSocketLog(request: ApiRequest, log: Readable): ApiResponse {
  log.on('error', () => {});
  let encode = binary;
  const choose = (offered: readonly string[]): string | 403 => {
    const protocol = (offered.length === 0 ? [''] : offered).find((name) => protocols.has(name));
    encode = protocols.get(protocol ?? '') ?? binary;
    return protocol ?? 403;
  };
  const response = webSocketResponse(request, choose, (sink) => {
    sink.write(encode(new Uint8Array()));
    sink.onDrain(() => log.resume());
    sink.onClose(() => log.destroy());
    log.on('data', (chunk: Uint8Array) => {
      if (!sink.write(encode(chunk))) log.pause();
    });
    // In any case, the client gets the end of the WebSocket.
    log.on('close', () => sink.end());
    if (log.destroyed) sink.end();
  });
  if (response.status !== 101) log.destroy();
  return response;
}
