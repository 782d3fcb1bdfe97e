import type { ApiRequest, RequestHeaders } from '../http/handler.ts';
import type { Authenticated, Authenticator, TokenAuthenticator } from './authenticator.ts';

export const invalidBearerToken = 'invalid bearer token';

/** Returns the bearer token of an `Authorization` header, or undefined when it has none. */
export function bearerTokenOf(authorization: string): string | undefined {
  const [scheme, token] = authorization.trim().split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}

/**
 * True when the header has an extra space before the token. Such a header is ignored, and the client gets a warning.
 */
export function isBearerTokenIgnored({ headers }: ApiRequest): boolean {
  const parts = first(headers.authorization).trim().split(' ', 3);
  return parts.length === 3 && parts[0]?.toLowerCase() === 'bearer' && parts[1] === '';
}

const first = (value: RequestHeaders[string]): string => (typeof value === 'string' ? value : (value?.[0] ?? ''));

async function authenticate(
  tokens: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
): Promise<Authenticated> {
  const found = await tokens.authenticateToken(token, audiences);
  if (!found) throw new Error(invalidBearerToken);
  return found;
}

/** Authenticates by the header `Authorization: Bearer <token>`. Throws an Error when the token is unknown. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator, apiAudiences: readonly string[]): Authenticator {
  return {
    async authenticate({ headers }) {
      const token = bearerTokenOf(first(headers.authorization));
      return token === undefined ? undefined : authenticate(tokens, token, apiAudiences);
    },
  };
}

const protocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/**
 * Authenticates WebSocket requests of browsers, which cannot set an `Authorization` header: the token is one of the
 * offered subprotocols. Throws an Error when no other subprotocol is offered, because the server must not select the
 * one with the token.
 */
export function webSocketTokenAuthenticator(
  tokens: TokenAuthenticator,
  apiAudiences: readonly string[],
): Authenticator {
  return {
    async authenticate({ headers }) {
      if (!isWebSocket(headers)) return undefined;
      const { bearers, others } = splitProtocols(headers);
      if (bearers.length > 1) throw new Error('multiple base64.bearer.authorization tokens specified');
      const token = bearers[0] === undefined ? '' : decodeToken(bearers[0]);
      if (token === '') return undefined;
      if (others.length === 0) throw new Error('missing additional subprotocol');
      return authenticate(tokens, token, apiAudiences);
    },
  };
}

const isWebSocket = (headers: RequestHeaders): boolean =>
  first(headers.upgrade).toLowerCase() === 'websocket' &&
  [headers.connection ?? []].flat().some((value) => value.toLowerCase().includes('upgrade'));

function splitProtocols(headers: RequestHeaders): { bearers: string[]; others: string[] } {
  const offered = [headers['sec-websocket-protocol'] ?? []].flat().flatMap((value) => value.split(','));
  const protocols = offered.map((protocol) => protocol.trim());
  return {
    bearers: protocols.filter((protocol) => protocol.startsWith(protocolPrefix)),
    others: protocols.filter((protocol) => !protocol.startsWith(protocolPrefix)),
  };
}

function decodeToken(protocol: string): string {
  const encoded = protocol.slice(protocolPrefix.length);
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1)
    throw new Error('invalid base64.bearer.authorization token encoding');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64url'));
  } catch {
    throw new Error('invalid base64.bearer.authorization token');
  }
}

/** Returns the offered subprotocols without the token; undefined when they contain no token. */
export function protocolsWithoutToken(headers: RequestHeaders): string | undefined {
  if (headers['sec-websocket-protocol'] === undefined) return undefined;
  const { bearers, others } = splitProtocols(headers);
  return bearers.length > 0 ? others.join(',') : undefined;
}
