import type { APIService } from '@coxswain/api/apiregistration/v1';
import { ApiError } from '@coxswain/apimachinery';
import { type ApiResponse, isUpgradeRequest, textResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import {
  DialError,
  type Dialer,
  type DialResponse,
  type DialTarget,
  hostPort,
  type TargetTls,
} from '../proxy/dialer.ts';
import { answeredHeaders, forwardedHeaders } from '../proxy/forwarded-headers.ts';
import { responseBody } from '../proxy/response-body.ts';
import { passOn } from '../proxy/reverse-proxy.ts';
import { upgradeThrough } from '../proxy/upgrade-tunnel.ts';
import type { ServiceResolver } from '../webhook/index.ts';
import { authProxyHeaders } from './auth-proxy-headers.ts';

export interface RemoteApiOptions {
  readonly dialer: Dialer;
  readonly resolveService: ServiceResolver;
  /** The certificate of `--proxy-client-cert-file`. Aggregated servers trust our user headers when it is presented. */
  readonly clientCertificate: () => { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

export interface Fetched {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** Limit for a discovery or OpenAPI document. */
const maxDocumentBytes = 64 * 1024 * 1024;

/** The user of our own requests, for availability checks, discovery and OpenAPI. */
const aggregator = { username: 'system:kube-aggregator', groups: ['system:masters'] };

/** A client of the API server behind an APIService. */
export class RemoteApi {
  readonly #options: RemoteApiOptions;
  readonly #service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly #tls: TargetTls;

  constructor({ spec }: APIService, options: RemoteApiOptions) {
    this.#options = options;
    const { namespace = '', name = '', port = 443 } = spec?.service ?? {};
    this.#service = { namespace, name, port };
    this.#tls = {
      serverName: `${name}.${namespace}.svc`,
      ...(spec?.caBundle && { ca: Buffer.from(spec.caBundle, 'base64').toString() }),
      ...(spec?.insecureSkipTLSVerify && { insecureSkipVerify: true }),
      ...options.clientCertificate(),
    };
  }

  /** Proxies a client's request, with the client's user in its headers, and returns the response. */
  async serve(context: RequestContext): Promise<ApiResponse> {
    const { request } = context;
    let target: DialTarget;
    try {
      target = this.#target();
    } catch {
      return unavailable();
    }
    const path = `${request.path}${request.search === '' ? '' : `?${request.search}`}`;
    const user = authProxyHeaders(context.user);
    const { dialer } = this.#options;
    try {
      if (isUpgradeRequest(request)) return await upgradeThrough(context, target, path, dialer, user);
      const headers = { ...forwardedHeaders(request), ...user };
      const { status, headers: answered, body } = await passOn(request, target, path, headers, dialer);
      // A client that followed the redirect would send the new location a request meant for this server.
      if (status >= 300 && status < 400 && answered.location !== undefined) {
        body.destroy();
        return textResponse(502, 'the backend attempted to redirect this request, which is not permitted');
      }
      if (request.method !== 'HEAD')
        return { status, headers: answeredHeaders(answered), body: responseBody(body, 'break') };
      body.on('error', () => {}).resume();
      return { status, headers: answeredHeaders(answered) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return textResponse(error.code, `${error.message}\n`);
    }
  }

  /** Returns the HTTP status of a GET. Rejects when there is no response. The body is not read. */
  async status(path: string, timeoutMs: number): Promise<number> {
    const { status, body } = await this.#ask(path, {}, AbortSignal.timeout(timeoutMs));
    body.on('error', () => {}).destroy();
    return status;
  }

  /** GETs a document as `system:kube-aggregator`. Rejects when there is no response, or one over `maxDocumentBytes`. */
  async fetch(path: string, headers: Readonly<Record<string, string>>, timeoutMs: number): Promise<Fetched> {
    const { status, headers: answered, body } = await this.#ask(path, headers, AbortSignal.timeout(timeoutMs));
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxDocumentBytes) throw new Error(`the answer to ${path} has more than ${maxDocumentBytes} bytes`);
      chunks.push(chunk);
    }
    return { status, headers: answered, body: Buffer.concat(chunks) };
  }

  #ask(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<DialResponse> {
    const target = this.#target();
    const { dialer } = this.#options;
    return dialer
      .dial(target, {
        method: 'GET',
        path,
        headers: { host: hostPort(target), ...headers, ...authProxyHeaders(aggregator) },
        signal,
      })
      .catch((error) => {
        if (!(error instanceof DialError) && !signal.aborted) throw error;
        throw new Error(`Get "${this.url(path)}": ${signal.aborted ? timeoutText : error.message}`, { cause: error });
      });
  }

  /** The current URL of a path on the server, for messages. Throws when the Service cannot be resolved. */
  url(path: string): string {
    return `https://${hostPort(this.#target())}${path}`;
  }

  #target(): DialTarget {
    const { namespace, name, port } = this.#service;
    const { host, port: reached } = this.#options.resolveService(namespace, name, port);
    return { scheme: 'https', host, port: String(reached), trust: 'none', tls: this.#tls };
  }
}

/** Go's text for a timeout of http.Client. */
const timeoutText = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

export const unavailable = (): ApiResponse => textResponse(503, 'service unavailable\n');
