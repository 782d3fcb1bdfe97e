import type { TransportError, TransportRequest, TransportResponse } from '../transport.ts';

/** Connections to one server with one client certificate. */
export interface ConnectionPool {
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Called when there will be no more requests. Closes idle connections at once, and the others when they become idle.
   */
  retire(): void;
  /** True when no connection is open and no request is waiting. */
  readonly isDrained: boolean;
  close(reason: TransportError): void;
}

/** The parts that are the same in all requests to a server. */
export interface RequestDefaults {
  /** The server's host and port, as in its URL. */
  readonly authority: string;
  /** Prefix of the path: the server's own path, preceded by its URL for a forwarding proxy. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}
