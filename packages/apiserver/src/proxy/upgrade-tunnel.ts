import { type ApiResponse, tunnelResponse } from '@coxswain/component-base/http';
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
  if (connection) return tunnelResponse(connection, headers);
  if (status < 400) {
    body.destroy();
    throw plainError(`invalid upgrade response: status code ${status}`);
  }
  return { status, headers: { ...answeredHeaders(headers), connection: 'close' }, body: responseBody(body, 'break') };
}
