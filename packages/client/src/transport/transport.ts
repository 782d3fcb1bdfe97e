import type { Credential } from '../config/rest-config.ts';

/**
 * A connection to an API server that sends requests and returns responses as bytes: HTTPS from Node or a browser, or
 * calls into a server of the same process. The layers above (`rest/`) are the same for all.
 */
export interface Transport {
  /**
   * Sends a request and resolves with the head of the response, whatever its status. Rejects with a `TransportError`
   * when there is no response, and with the signal's reason on abort. The signal applies until the body has ended.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a WebSocket. Rejects with a `TransportError`, or with an `UpgradeRefusedError` that has the server's
   * response.
   */
  openWebSocket(request: WebSocketRequest): Promise<WebSocketConnection>;
  /** Closes every connection; requests in progress fail. */
  close(): Promise<void>;
}

export interface TransportRequest {
  /** Uppercase. */
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sent to the server if it requests one, and the transport supports it. A change needs new connections. */
  readonly clientCertificate?: Credential['clientCertificate'] | undefined;
  /** The caller does not need the body of a successful response: it may be returned empty. */
  readonly bodyUnwanted?: boolean | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: ResponseBody;
}

/**
 * A response's body. Must be read once with one of these methods, or cancelled. Until then it holds a connection or a
 * stream of one.
 */
export interface ResponseBody {
  /** Returns the whole body. Rejects with a `TransportError` when the connection breaks before its end. */
  bytes(): Promise<Uint8Array>;
  /**
   * Yields the body in chunks, with backpressure. The reader owns the chunks. Throws like `bytes` rejects. Leaving the
   * loop cancels the body.
   *
   * With `borrowed`, a chunk is only valid until the next is requested: then its memory may be reused.
   */
  chunks(options?: { readonly borrowed?: boolean }): AsyncIterable<Uint8Array>;
  /** Cancels the rest of the body. */
  cancel(): void;
}

export interface WebSocketRequest {
  /** Path and query, percent-encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Offered subprotocols in order of preference. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly clientCertificate?: Credential['clientCertificate'] | undefined;
}

/** An open WebSocket with binary messages. */
export interface WebSocketConnection {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Resolves when another message can be sent without growing the buffer. */
  send(message: Uint8Array): Promise<void>;
  /**
   * Yields messages in order, with backpressure. Ends when the connection is closed; throws a `TransportError` when it
   * breaks.
   */
  messages(): AsyncIterable<Uint8Array>;
  close(code?: number, reason?: string): void;
}

/**
 * There is no (complete) response: the name is unknown, the connection was refused, the certificate is not trusted, or
 * the connection broke or timed out. `code` is the system's error code (`ECONNREFUSED`, `ECONNRESET`, …), if any.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: string | undefined;
  /** Whether the request may have reached the server. If not, a retry is always safe. */
  readonly mayHaveBeenSent: boolean;

  constructor(message: string, options: ErrorOptions & { code?: string; mayHaveBeenSent?: boolean } = {}) {
    super(message, options);
    this.code = options.code;
    this.mayHaveBeenSent = options.mayHaveBeenSent ?? true;
  }
}

/** The server responded to a WebSocket's handshake with an ordinary response. */
export class UpgradeRefusedError extends Error {
  override readonly name = 'UpgradeRefusedError';
  readonly response: TransportResponse;

  constructor(response: TransportResponse) {
    super(`the server refused to upgrade the connection: ${response.status}`);
    this.response = response;
  }
}
