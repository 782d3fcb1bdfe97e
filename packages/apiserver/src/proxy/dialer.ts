import type { Duplex, Readable } from 'node:stream';

/** A server that a request is passed on to. */
export interface DialTarget {
  readonly scheme: 'http' | 'https';
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string;
  /** As the user wrote it: a number, or a name that the dialer may or may not know. */
  readonly port: string;
  /**
   * How far it is trusted over TLS: a kubelet must prove who it is, where an authority for that is known, and is shown
   * our client certificate; `kubelet-unverified` need not prove it; anything else is neither asked nor shown.
   */
  readonly trust: 'kubelet' | 'kubelet-unverified' | 'none';
  /** How its TLS is to be when it is none of the above; connections are shared by those who give the same object. */
  readonly tls?: TargetTls;
  /** The node whose kubelet this is. Absent for all else that is reached at an address, also on that node. */
  readonly node?: string;
}

/** What a server must prove, and what it is shown. PEM. */
export interface TargetTls {
  /** Whom its certificate must be for. */
  readonly serverName: string;
  /** Authorities that its certificate must be from; absent: those that the system trusts. */
  readonly ca?: string;
  /** It need prove nothing. */
  readonly insecureSkipVerify?: boolean;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface DialRequest {
  /** In capitals. */
  readonly method: string;
  /** Percent-encoded, with the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly body?: AsyncIterable<Uint8Array>;
  /** Asks for the connection itself: the headers carry the handshake. */
  readonly upgrade?: boolean;
  /** Ends the exchange at any time: the request, the body of the answer, or the connection. */
  readonly signal: AbortSignal;
}

export interface DialResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Headers;
  /** Whoever gets the response must read this to its end or destroy it. Empty after an upgrade. */
  readonly body: Readable;
  /** The connection, of which the head of the answer was read: if and only if the status is 101. */
  readonly connection?: Duplex;
}

/**
 * Reaches servers: over sockets (`SocketDialer`), or by a function call where the kubelet is in this process.
 * Rejects with a `DialError` when there is no answer; an answer of whatever status is none.
 */
export interface Dialer {
  dial(target: DialTarget, request: DialRequest): Promise<DialResponse>;
  /** Whether the target is in this process, so that its address does not matter. By default none is. */
  isLocal?(target: DialTarget): boolean;
  /**
   * From now on no kubelet is dialed at these addresses, however the target names them: a kubelet is shown our client
   * certificate, which the API server itself would accept.
   */
  refuse?(isRefused: AddressTest): void;
}

/** For addresses, which names have been resolved to. */
export type AddressTest = (address: string, port: number) => boolean;

/** Why there is no answer, in the words that upstream uses. */
export class DialError extends Error {
  override readonly name = 'DialError';
  /** Whether the server was reached at all. */
  readonly connected: boolean;

  constructor(message: string, connected: boolean, options?: ErrorOptions) {
    super(message, options);
    this.connected = connected;
  }
}

/** Go's client says more than the error where it reads an answer. */
export const brokenTransport = ({ message }: DialError): string =>
  message.startsWith('malformed HTTP') ? `net/http: HTTP/1.x transport connection broken: ${message}` : message;

/** Reaches the kubelets that are in this process through their own dialers, everything else through another. */
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

/** As a machine where nobody listens: connections to such addresses are refused before they are tried. */
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

/** Why an address is not dialed that the dialer was told to refuse. */
export const addressNotAllowed = (host: string, port: number): DialError =>
  new DialError(`dial tcp ${hostPort({ host, port: String(port) })}: address not allowed`, false);

/** In Go's words. */
export const connectionRefused = (target: Pick<DialTarget, 'host' | 'port'>): string =>
  `dial tcp ${hostPort(target)}: connect: connection refused`;

/** The authority of a target's URL. */
export const hostPort = ({ host, port }: Pick<DialTarget, 'host' | 'port'>): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
