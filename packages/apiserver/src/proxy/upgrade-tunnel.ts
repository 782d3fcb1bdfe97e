import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { plainError } from '../registry/plain-error.ts';
import { DialError, type Dialer, type DialTarget, type Headers } from './dialer.ts';
import { answeredHeaders, upgradeHeaders } from './forwarded-headers.ts';
import { responseBody } from './response-body.ts';

/**
 * Passes a client's upgrade on. When the server behind agrees, bytes go both ways untouched until either side ends;
 * when it refuses, its answer is the client's. The server gets `further` headers besides the client's. Throws a plain 500 when it can't be reached or answers neither.
 */
export async function upgradeThrough(
  context: RequestContext,
  target: DialTarget,
  path: string,
  dialer: Dialer,
  further: Headers = {},
): Promise<ApiResponse> {
  const { request } = context;
  const { method, signal } = request;
  const response = await dialer
    .dial(target, { method, path, headers: { ...upgradeHeaders(request), ...further }, upgrade: true, signal })
    .catch((error) => {
      if (!(error instanceof DialError)) throw error;
      throw plainError(error.connected ? error.message : `error dialing backend: ${error.message}`, { cause: error });
    });
  const { status, headers, body, connection } = response;
  if (connection) {
    // Nobody takes over when the client went in the meantime: the connection is closed by the signal.
    connection.on('error', () => {});
    return { status: 101, headers: {}, body: { upgrade: (client, head) => tunnel(client, head, connection, headers) } };
  }
  if (status < 400) {
    body.destroy();
    throw plainError(`invalid upgrade response: status code ${status}`);
  }
  return { status, headers: { ...answeredHeaders(headers), connection: 'close' }, body: responseBody(body, 'break') };
}

/** How long one side may be silent after the other finished. */
const lingerMs = 30_000;

/**
 * Joins two connections, the client's after the head of the answer was sent to it. Whichever closes closes the other;
 * one that only ends what it sends leaves the other time to finish.
 */
function tunnel(client: Duplex, head: Uint8Array, server: Duplex, headers: Headers): void {
  let linger: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(linger);
    client.destroy();
    server.destroy();
  };
  const pass = (from: Duplex, to: Duplex) => {
    from.on('error', close);
    // What was read before a proper end may still be on its way to the other side.
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
  client.write(headOf(headers), 'latin1');
  if (head.length > 0) server.write(head);
  pass(client, server);
  pass(server, client);
}

function headOf(headers: Headers): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one) => `${name}: ${one}\r\n`),
  );
  return `HTTP/1.1 101 ${STATUS_CODES[101]}\r\n${lines.join('')}\r\n`;
}
