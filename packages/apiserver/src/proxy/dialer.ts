import type { Duplex, Readable } from 'node:stream';

/** A server that a request is proxied to. */
export interface DialTarget {
  readonly scheme: 'http' | 'https';
  /** A host name or IP address; IPv6 addresses without brackets. */
  readonly host: string;
  /** As in the request: a number, or a name that the dialer may not know. */
  readonly port: string;
  /**
   * How TLS is used. With `kubelet`, the server's certificate is verified if a CA is configured, and our client certificate is
   * sent. With `kubelet-unverified`, only the latter. With `none`, neither.
   */
  readonly trust: 'kubelet' | 'kubelet-unverified' | 'none';
  /** TLS options that replace those of `trust`. Targets with the same object share connections. */
  readonly tls?: TargetTls;
  /** The node, if the target is its kubelet. Undefined for other servers, also on that node. */
  readonly node?: string;
}

/** TLS options of a target, as PEM. */
export interface TargetTls {
  /** The name that the certificate must be valid for. */
  readonly serverName: string;
  /** The CAs to trust; the system's by default. */
  readonly ca?: string;
  /** Accepts any certificate. */
  readonly insecureSkipVerify?: boolean;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface DialRequest {
  /** In upper case. */
  readonly method: string;
  /** Percent-encoded, with the query. */
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: Headers;
  readonly body?: AsyncIterable<Uint8Array>;
  /** Requests an upgrade of the connection. The headers contain the handshake. */
  readonly upgrade?: boolean;
  /** Aborts the request, the response body or the upgraded connection. */
  readonly signal: AbortSignal;
}

export interface DialResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Headers;
  /** Must be read to its end or destroyed. Empty after an upgrade. */
  readonly body: Readable;
  /** The upgraded connection, after the response head. Set if and only if the status is 101. */
  readonly connection?: Duplex;
}

/**
 * Sends requests to servers: over sockets (`SocketDialer`), or by a function call to kubelets in this process. Rejects with a
 * `DialError` when there is no response. A response of any status is not an error.
 */
export interface Dialer {
  dial(target: DialTarget, request: DialRequest): Promise<DialResponse>;
  /** Returns whether the target is in this process, so that its address does not matter. */
  isLocal?(target: DialTarget): boolean;
  /**
   * Refuses connections to kubelets at these addresses, also when a host name resolves to them. Kubelets get our client
   * certificate, and the API server itself would accept it, so a request must not reach the API server this way.
   */
  refuse?(isRefused: AddressTest): void;
}

/** Tests an IP address (not a host name) and port. */
export type AddressTest = (address: string, port: number) => boolean;

/** There is no response. The message is upstream's. */
export class DialError extends Error {
  override readonly name = 'DialError';
  /** Whether a connection was established. */
  readonly connected: boolean;

  constructor(message: string, connected: boolean, options?: ErrorOptions) {
    super(message, options);
    this.connected = connected;
  }
}

/** Returns the message with the prefix that Go's client adds to errors of reading a response. */
export const brokenTransport = ({ message }: DialError): string =>
  message.startsWith('malformed HTTP') ? `net/http: HTTP/1.x transport connection broken: ${message}` : message;

/** Returns a dialer that uses `local` dialers for kubelets in this process, and `elsewhere` for all other targets. */
export const withLocalKubelets = (
  local: (node: string) => Dialer | undefined,
  elsewhere: Dialer & { close?(): void },
): Dialer & { close(): void } => {
  const localOf = ({ node }: DialTarget): Dialer | undefined => (node === undefined ? undefined : local(node));
  return {
    dial: (target, request) => (localOf(target) ?? elsewhere).dial(target, request),
    isLocal: (target) => localOf(target) !== undefined,
    refuse: (isRefused) => elsewhere.refuse?.(isRefused),
    close: () => elsewhere.close?.(),
  };
};

/** Returns a dialer that refuses connections to addresses for which `nobodyAt` is true, without trying them. */
export const withoutNobody = (
  nobodyAt: (host: string) => boolean,
  elsewhere: Dialer & { close?(): void },
): Dialer & { close(): void } => ({
  dial: async (target, request) => {
    if (nobodyAt(target.host)) throw new DialError(connectionRefused(target), false);
    return elsewhere.dial(target, request);
  },
  refuse: (isRefused) => elsewhere.refuse?.(isRefused),
  close: () => elsewhere.close?.(),
});

/** Returns the error for a refused address (see `Dialer.refuse`). */
export const addressNotAllowed = (host: string, port: number): DialError =>
  new DialError(`dial tcp ${hostPort({ host, port: String(port) })}: address not allowed`, false);

/** Returns Go's message for a refused connection. */
export const connectionRefused = (target: Pick<DialTarget, 'host' | 'port'>): string =>
  `dial tcp ${hostPort(target)}: connect: connection refused`;

/** Returns host and port as in a URL. */
export const hostPort = ({ host, port }: Pick<DialTarget, 'host' | 'port'>): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
