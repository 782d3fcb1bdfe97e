import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { rootCertificates } from 'node:tls';
import { RegistryError } from './registry-error.ts';
import { type HostTls, noTls } from './registry-host.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls?: HostTls;
  /** Tries again without TLS if the server has none. */
  readonly allowsHttp?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read or destroyed. */
  readonly body: IncomingMessage;
}

const maxRedirects = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Requests to registries, over connections that are kept open. */
export class HttpClient {
  readonly #http = new HttpAgent({ keepAlive: true, maxFreeSockets: 8 });
  readonly #https = new HttpsAgent({ keepAlive: true, maxFreeSockets: 8 });
  readonly #idleTimeoutMs: number;
  /** Servers that were found to have no TLS. */
  readonly #plain = new Set<string>();

  constructor({ idleTimeoutMs = 60_000 }: { readonly idleTimeoutMs?: number } = {}) {
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  /**
   * Sends a request and follows redirects. Credentials are sent to no other server than the first. Rejects with a `RegistryError` if the server
   * cannot be reached; every status that it answers is returned.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    let { url, headers = {} } = request;
    for (let count = 0; ; count++) {
      const response = await this.#sendOnce({ ...request, url, headers });
      const { location } = response.headers;
      if (!redirects.has(response.status) || location === undefined || request.method === 'POST') return response;
      response.body.destroy();
      if (count === maxRedirects) throw this.#failure(request, new Error(`stopped after ${maxRedirects} redirects`));
      const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
      if (!next || !/^https?:$/.test(next.protocol)) {
        throw this.#failure(request, new Error(`invalid redirect to ${JSON.stringify(location)}`));
      }
      if (next.origin !== url.origin) {
        const { Accept, Range } = headers;
        headers = { ...(Accept !== undefined && { Accept }), ...(Range !== undefined && { Range }) };
      }
      url = next;
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #sendOnce(request: HttpRequest): Promise<HttpResponse> {
    const { url, allowsHttp = false } = request;
    const plain = new URL(url);
    plain.protocol = 'http:';
    const isKnown = allowsHttp && this.#plain.has(url.host);
    try {
      return await this.#exchange(isKnown ? { ...request, url: plain } : request);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (isKnown || !allowsHttp || url.protocol !== 'https:' || !hasNoTls(error, url))
        throw this.#failure(request, error);
      try {
        const response = await this.#exchange({ ...request, url: plain });
        this.#plain.add(url.host);
        return response;
      } catch (cause) {
        throw this.#failure({ ...request, url: plain }, cause);
      }
    }
  }

  #exchange({ method, url, headers = {}, body, tls = noTls, signal }: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const common = {
        method,
        headers: { 'User-Agent': 'coxswain', ...headers },
        timeout: this.#idleTimeoutMs,
        ...(signal && { signal }),
      };
      const sent =
        url.protocol === 'https:'
          ? requestHttps(url, { ...common, agent: this.#https, ...tlsOptions(tls) })
          : requestHttp(url, { ...common, agent: this.#http });
      sent.on('timeout', () => sent.destroy(new Error('i/o timeout')));
      sent.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
      sent.on('response', (response) => {
        // Whoever reads the body learns of errors; if nobody does, they do not matter.
        response.on('error', () => {});
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
      });
      sent.end(body);
    });
  }

  #failure({ method, url }: HttpRequest, cause: unknown): RegistryError {
    const verb = method.charAt(0) + method.slice(1).toLowerCase();
    const shown = `${url.origin}${url.pathname}${url.search}`;
    return new RegistryError('unavailable', `failed to do request: ${verb} "${shown}": ${wordsOf(cause, url)}`, {
      cause,
    });
  }
}

function tlsOptions({ ca, clients, skipVerify }: HostTls) {
  return {
    ...(ca.length > 0 && { ca: [...rootCertificates, ...ca] }),
    ...(clients.length > 0 && { cert: clients.map(({ cert }) => cert), key: clients.map(({ key }) => key) }),
    rejectUnauthorized: !skipVerify,
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

function hasNoTls(error: unknown, url: URL): boolean {
  const code = codeOf(error);
  return code === 'EPROTO' || code.startsWith('ERR_SSL_') || (code === 'ECONNREFUSED' && url.port === '');
}

/** Errors of connections in the words of Go, which people look for. */
function wordsOf(error: unknown, { hostname, port, protocol }: URL): string {
  const address =
    error instanceof Error && 'address' in error && 'port' in error ? `${error.address}:${error.port}` : undefined;
  const dialed = address ?? `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return `dial tcp ${dialed}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
  if (code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: Temporary failure in name resolution`;
  if (code === 'EHOSTUNREACH') return `dial tcp ${dialed}: connect: no route to host`;
  if (code === 'ENETUNREACH') return `dial tcp ${dialed}: connect: network is unreachable`;
  if (code === 'ETIMEDOUT') return `dial tcp ${dialed}: i/o timeout`;
  if (/^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF)/.test(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  if (code === 'CERT_HAS_EXPIRED')
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  return error instanceof AggregateError && error.errors[0] instanceof Error
    ? wordsOf(error.errors[0], { hostname, port, protocol } as URL)
    : error instanceof Error
      ? error.message
      : String(error);
}
