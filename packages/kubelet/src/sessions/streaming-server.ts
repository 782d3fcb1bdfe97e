import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { addAbortSignal, type Duplex } from 'node:stream';
import type { ApiResponse } from '@coxswain/component-base/http';

export interface UpgradeRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Closes the connection, also after the upgrade. */
  readonly signal: AbortSignal;
}

/** The answer of a runtime's streaming server. */
export interface UpgradeAnswer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  /** The upgraded connection if the status is 101. */
  readonly connection?: Duplex;
  /** The text of a refusal. */
  readonly body: Uint8Array;
}

/** A streaming server on loopback that takes longer has failed. */
const answerTimeoutMs = 30_000;
/** Of a longer refusal the rest is dropped. */
const longestBody = 64 * 1024;

/** Asks a runtime's streaming server for an upgrade. Rejects if it cannot be reached. */
export async function openStreaming(url: URL, { method, headers, signal }: UpgradeRequest): Promise<UpgradeAnswer> {
  signal.throwIfAborted();
  const options: RequestOptions = { method, headers: mutable(headers), agent: false, signal };
  const outgoing = url.protocol === 'https:' ? secureRequest(url, options) : plainRequest(url, options);
  outgoing.setTimeout(answerTimeoutMs, () => outgoing.destroy(new Error(`${url.host} does not answer`)));
  return await new Promise((resolve, reject) => {
    outgoing.on('error', (error) => reject(new Error(`error dialing backend: ${error.message}`, { cause: error })));
    outgoing.once('upgrade', (message, socket: Socket, head: Buffer) => {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      if (head.length > 0) socket.unshift(head);
      socket.on('error', () => {});
      addAbortSignal(signal, socket);
      resolve({ status: 101, headers: headersOf(message), connection: socket, body: new Uint8Array() });
    });
    outgoing.once('response', (message) => {
      startOf(message).then((body) => {
        message.destroy();
        resolve({ status: message.statusCode ?? 0, headers: headersOf(message), body });
      }, reject);
    });
    outgoing.end();
  });
}

async function startOf(message: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= longestBody) break;
  }
  return Buffer.concat(chunks).subarray(0, longestBody);
}

function headersOf({ headersDistinct }: IncomingMessage): ApiResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.length === 1 ? values[0]! : values]),
  );
}

const mutable = (headers: UpgradeRequest['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
