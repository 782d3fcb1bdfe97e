import type { Duplex } from 'node:stream';

/**
 * A request as the handlers see it, independent of the transport: a socket or a function call in the same process. What the filters find
 * out about it is in the context (`request-context.ts`).
 */
export interface ApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Percent-encoded as sent, without the query. */
  readonly path: string;
  /** The raw query without the question mark; empty when there is none. */
  readonly search: string;
  /** Keys are lower-case header names. */
  readonly headers: RequestHeaders;
  readonly connection: Connection;
  /** Aborted when the client disconnects or cancels the request. */
  readonly signal: AbortSignal;
  /** Reads the whole body. May be called only once. Throws RequestEntityTooLarge (an ApiError) when it is longer than `maxBytes`. */
  readBody(maxBytes: number): Promise<Uint8Array>;
  /** Streams the body, for proxies. Must not be combined with `readBody`. */
  streamBody(): AsyncIterable<Uint8Array>;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The connection of a request. All requests of a connection share one object. */
export interface Connection {
  readonly remoteAddress: string;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0' | 'in-process';
  /**
   * The client's certificate chain as DER, leaf first. The client has proved possession of the leaf's key; the chain is not verified yet.
   */
  readonly clientCertificates: readonly Uint8Array[];
  /** Set by in-process transports, whose caller is trusted: the user is taken as authenticated. */
  readonly user?: { readonly username: string; readonly groups: readonly string[] };
}

export interface ApiResponse {
  readonly status: number;
  /** Keys are lower-case header names. Content-Length is added when the body is bytes. */
  readonly headers: Record<string, string | readonly string[]>;
  readonly body?: Uint8Array | readonly Uint8Array[] | StreamingBody | Upgrade;
}

/** Returns the Content-Length of a body of bytes, also for responses to HEAD; undefined for other bodies. */
export function lengthOf(body: ApiResponse['body']): number | undefined {
  if (body instanceof Uint8Array) return body.length;
  return Array.isArray(body) ? body.reduce((sum, { length }) => sum + length, 0) : undefined;
}

/** A streamed body. `stream` is called once the head is sent. With status 101 the body consists of WebSocket frames. */
export interface StreamingBody {
  readonly stream: (sink: ResponseSink) => void;
}

/** Takes over the connection after the request's head: exec, attach, port-forward. The server itself sends nothing. */
export interface Upgrade {
  readonly upgrade: (socket: Duplex, head: Uint8Array) => void;
}

/** Receives a streamed body. Writes after the end or after a disconnect are ignored. */
export interface ResponseSink {
  /**
   * Returns false when the client is slower than the writer: the caller should then wait for `onDrain`. The sink owns the chunk from now
   * on. `sent` is called when the chunk is no longer in use; it may never be called.
   */
  write(chunk: Uint8Array, sent?: () => void): boolean;
  /** The number of bytes written but not sent yet. */
  readonly pendingBytes: number;
  onDrain(callback: () => void): void;
  /** `callback` is called once: when the body has ended, the client has disconnected or the server has aborted it. */
  onClose(callback: () => void): void;
  end(): void;
  /** Closes the connection, or the one HTTP/2 stream, without a proper end, so that the client sees an incomplete response. */
  destroy(): void;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
