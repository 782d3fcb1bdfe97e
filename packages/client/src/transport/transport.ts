import type { Credential } from '../config/rest-config.ts';

/**
 * The way to an API server: bytes in, bytes out, cancel. HTTPS from Node or a browser, or a call into a server of the
 * same process. Everything above it (`rest/`) is the same for all.
 */
export interface Transport {
  /**
   * Sends one request and resolves with the head of the answer, whatever its status. Rejects with a `TransportError` when
   * there is no answer, and with the signal's reason when that is aborted. The signal counts until the body has ended.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a WebSocket. Rejects with a `TransportError`, or an `UpgradeRefusedError` that has the server's answer.
   */
  openWebSocket(request: WebSocketRequest): Promise<WebSocketConnection>;
  /** Ends every connection; what is under way fails. */
  close(): Promise<void>;
}

export interface TransportRequest {
  /** In capitals. */
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Shown to the server when it asks, where the transport can. One that differs from the last needs new connections. */
  readonly clientCertificate?: Credential['clientCertificate'] | undefined;
  /** When the server says that it is done, nobody looks at the rest of the answer: its body may come as an empty one. */
  readonly bodyUnwanted?: boolean | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: ResponseBody;
}

/** The body is read once, by one of these, or cancelled. Until then it holds a connection or a stream of one. */
export interface ResponseBody {
  /** All of it. Rejects with a `TransportError` when the connection breaks before its end. */
  bytes(): Promise<Uint8Array>;
  /**
   * Piece by piece as it comes, with back pressure; a piece is the reader's own. Throws as `bytes` rejects. Leaving the loop
   * cancels.
   *
   * One that is `borrowed` is the reader's only until the next is asked for: then its memory may be used again.
   */
  chunks(options?: { readonly borrowed?: boolean }): AsyncIterable<Uint8Array>;
  /** Gives up the rest. */
  cancel(): void;
}

export interface WebSocketRequest {
  /** Path and query, percent-encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Subprotocols offered, the best first. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly clientCertificate?: Credential['clientCertificate'] | undefined;
}

/** An open WebSocket with binary messages. */
export interface WebSocketConnection {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Resolves when the message may be followed by another without piling up. */
  send(message: Uint8Array): Promise<void>;
  /** Messages in order, with back pressure. Ends when the connection is closed; throws a `TransportError` when it breaks. */
  messages(): AsyncIterable<Uint8Array>;
  close(code?: number, reason?: string): void;
}

/**
 * There is no (whole) answer: the name is unknown, nobody listens, the certificate is not trusted, the connection broke or
 * timed out. `code` is the system's word for it (`ECONNREFUSED`, `ECONNRESET`, …) where there is one.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: string | undefined;
  /** Whether anything of the request may have reached the server: if not, sending it again is always safe. */
  readonly mayHaveBeenSent: boolean;

  constructor(message: string, options: ErrorOptions & { code?: string; mayHaveBeenSent?: boolean } = {}) {
    super(message, options);
    this.code = options.code;
    this.mayHaveBeenSent = options.mayHaveBeenSent ?? true;
  }
}

/** The server answered a WebSocket's handshake with an ordinary response. */
export class UpgradeRefusedError extends Error {
  override readonly name = 'UpgradeRefusedError';
  readonly response: TransportResponse;

  constructor(response: TransportResponse) {
    super(`the server refused to upgrade the connection: ${response.status}`);
    this.response = response;
  }
}
