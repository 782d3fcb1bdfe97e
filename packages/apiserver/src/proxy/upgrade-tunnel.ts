import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { plainError } from '../registry/plain-error.ts';
import { DialError, type Dialer, type DialTarget, type Headers } from './dialer.ts';
import { answeredHeaders, upgradeHeaders } from './forwarded-headers.ts';
import { responseBody } from './response-body.ts';

/**
 * Proxies a client's upgrade request, with `further` headers. When the server upgrades, bytes are forwarded both ways unchanged until
 * either side ends. When it responds with an error, the client gets that. Throws a 500 without a reason when the server cannot be
 * reached or responds otherwise.
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
    // If the client has disconnected meanwhile, there is no tunnel, and the signal closes the connection.
    connection.on('error', () => {});
    return { status: 101, headers: {}, body: { upgrade: (client, head) => tunnel(client, head, connection, headers) } };
  }
  if (status < 400) {
    body.destroy();
    throw plainError(`invalid upgrade response: status code ${status}`);
  }
  return { status, headers: { ...answeredHeaders(headers), connection: 'close' }, body: responseBody(body, 'break') };
}

/** How long one side may be silent after the other one ended. */
const lingerMs = 30_000;

/**
 * Sends the response head to the client, and connects the two connections. When one closes, the other is closed, too. When one only
 * ends its side, the other has time to finish.
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
