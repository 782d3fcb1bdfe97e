import type { Duplex } from 'node:stream';

/**
 * A request as the server sees it, whether it came over a socket or by a function call in the same process: bytes in,
 * bytes out, cancel. Everything a filter finds out about it is in the context (`request-context.ts`).
 */
export interface ApiRequest {
  /** In capitals. */
  readonly method: string;
  /** As it was sent, still percent-encoded, without the query. */
  readonly path: string;
  /** What follows the question mark, as it was sent; empty when there is none. */
  readonly search: string;
  /** Names in lower case. */
  readonly headers: RequestHeaders;
  readonly connection: Connection;
  /** Aborted when the client went away or gave up. */
  readonly signal: AbortSignal;
  /** The whole body; at most once. Throws RequestEntityTooLarge (an ApiError) when it is longer. */
  readBody(maxBytes: number): Promise<Uint8Array>;
  /** The body as it comes, for proxies; instead of `readBody`. */
  streamBody(): AsyncIterable<Uint8Array>;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a request came from; one for all requests of a connection. */
export interface Connection {
  readonly remoteAddress: string;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0' | 'in-process';
  /** The certificate chain that the client showed and proved to have the key of, its own first, as DER. Not judged yet. */
  readonly clientCertificates: readonly Uint8Array[];
  /** Set by transports in this process, whose caller is known and trusted: no credentials are asked for. */
  readonly user?: { readonly username: string; readonly groups: readonly string[] };
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. Content-Length is added where the body is bytes. */
  readonly headers: Record<string, string | readonly string[]>;
  readonly body?: Uint8Array | readonly Uint8Array[] | StreamingBody | Upgrade;
}

/** Of a body that is bytes, which an answer to HEAD tells as well. */
export function lengthOf(body: ApiResponse['body']): number | undefined {
  if (body instanceof Uint8Array) return body.length;
  return Array.isArray(body) ? body.reduce((sum, { length }) => sum + length, 0) : undefined;
}

/** Writes the body piece by piece; called once the head is sent. With status 101 it is one of WebSocket frames. */
export interface StreamingBody {
  readonly stream: (sink: ResponseSink) => void;
}

/** Takes over the connection after the request's head: exec, attach, port-forward. Nothing is sent before. */
export interface Upgrade {
  readonly upgrade: (socket: Duplex, head: Uint8Array) => void;
}

/** Where a streaming body goes. Writing after the end, or after the client is gone, does nothing. */
export interface ResponseSink {
  /**
   * False when more is waiting than the client takes: whoever can should wait for `onDrain`. The chunk is the sink's
   * from now on; `sent` says that it is done with it, and may never come.
   */
  write(chunk: Uint8Array, sent?: () => void): boolean;
  /** Bytes written that have not left yet. */
  readonly pendingBytes: number;
  onDrain(callback: () => void): void;
  /** Called once, when the body has ended, the client went away or the server cut it off. */
  onClose(callback: () => void): void;
  end(): void;
  /** Cuts the connection, or the one stream of it, without a proper end: the client sees that something is missing. */
  destroy(): void;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
