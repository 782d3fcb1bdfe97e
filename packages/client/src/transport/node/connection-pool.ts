import type { TransportError, TransportRequest, TransportResponse } from '../transport.ts';

/** Connections to one server that show one identity. */
export interface ConnectionPool {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** No more requests will come: closes what is free at once, the rest when it has done its work. */
  retire(): void;
  /** Whether nothing is open or waiting. */
  readonly isDrained: boolean;
  close(reason: TransportError): void;
}

/** What is the same in all requests to a server. */
export interface RequestDefaults {
  /** The server's host and port, as in its URL. */
  readonly authority: string;
  /** What comes before the path: the server's own path, and all of its URL for a proxy that takes requests as they are. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}
