import type { Credential, Credentials, Impersonation, RestConfig } from '../config/rest-config.ts';
import {
  type Transport,
  type TransportRequest,
  type TransportResponse,
  UpgradeRefusedError,
  type WebSocketConnection,
  type WebSocketRequest,
} from './transport.ts';

type Headers = TransportRequest['headers'];

/**
 * Adds credentials, impersonation and user agent to every request. Headers of the request itself take precedence. When
 * the server rejects a credential (401), reports that to `Credentials.refused`, and retries once if there may be
 * another one.
 */
export class AuthenticatingTransport implements Transport {
  readonly #inner: Transport;
  readonly #credentials: Credentials | undefined;
  readonly #headers: Headers;
  /**
   * Frozen headers with the headers added for the last credential: clients send a few header objects again and again.
   */
  #signedHeaders = new WeakMap<Headers, Headers>();
  #signedFor: Pick<Credential, 'token' | 'basic'> = {};

  constructor(inner: Transport, config: Pick<RestConfig, 'credentials' | 'impersonate' | 'userAgent'>) {
    this.#inner = inner;
    this.#credentials = config.credentials;
    this.#headers = {
      ...(config.userAgent && { 'user-agent': config.userAgent }),
      ...(config.impersonate && impersonationHeaders(config.impersonate)),
    };
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const credential = await this.#credentials?.current(request.signal);
    const response = await this.#inner.send(this.#signedRequest(request, credential));
    if (response.status !== 401 || !credential || !this.#credentials?.refused(credential)) return response;
    // Read the body, so that its connection can be reused.
    await response.body.bytes();
    return await this.#inner.send(this.#signedRequest(request, await this.#credentials.current(request.signal)));
  }

  async openWebSocket(request: WebSocketRequest): Promise<WebSocketConnection> {
    const credential = await this.#credentials?.current(request.signal);
    try {
      return await this.#inner.openWebSocket(this.#signedUpgrade(request, credential));
    } catch (error) {
      const isRefused = error instanceof UpgradeRefusedError && error.response.status === 401;
      if (!isRefused || !credential || !this.#credentials?.refused(credential)) throw error;
    }
    const next = await this.#credentials.current(request.signal);
    return await this.#inner.openWebSocket(this.#signedUpgrade(request, next));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #signedRequest(request: TransportRequest, credential: Credential | undefined): TransportRequest {
    const { method, url, body, signal, bodyUnwanted } = request;
    const headers = this.#signedOnce(request.headers, credential);
    const clientCertificate = credential?.clientCertificate ?? request.clientCertificate;
    return { method, url, headers, body, signal, clientCertificate, bodyUnwanted };
  }

  #signedUpgrade(request: WebSocketRequest, credential: Credential | undefined): WebSocketRequest {
    const headers = this.#signedOnce(request.headers, credential);
    return { ...request, headers, clientCertificate: credential?.clientCertificate ?? request.clientCertificate };
  }

  #signedOnce(headers: Headers, credential: Credential | undefined): Headers {
    const last = this.#signedFor;
    if (credential?.token !== last.token || credential?.basic !== last.basic) {
      // A copy, because `current` may return the same object with another token.
      this.#signedFor = { ...credential };
      this.#signedHeaders = new WeakMap();
    }
    let signed = this.#signedHeaders.get(headers);
    if (!signed) {
      const authorization = credential && authorizationHeader(credential);
      signed = { ...this.#headers, ...(authorization !== undefined && { authorization }), ...headers };
      if (Object.isFrozen(headers)) this.#signedHeaders.set(headers, signed);
    }
    return signed;
  }
}

function authorizationHeader({ token, basic }: Credential): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  if (!basic) return undefined;
  const bytes = new TextEncoder().encode(`${basic.username}:${basic.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** The impersonation headers. */
function impersonationHeaders({ userName, uid, groups = [], extra = {} }: Impersonation): Headers {
  if (!userName && !uid && groups.length === 0 && Object.keys(extra).length === 0) return {};
  return {
    'impersonate-user': userName ?? '',
    ...(uid && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escapedHeaderName(key)}`, values]),
    ),
  };
}

/** Percent-encodes characters that are invalid in header names, and the percent sign itself. */
function escapedHeaderName(key: string): string {
  let escaped = '';
  for (const byte of new TextEncoder().encode(key)) {
    const character = String.fromCharCode(byte);
    escaped += /[!#$&'*+\-.0-9A-Z^_`a-z|~]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
