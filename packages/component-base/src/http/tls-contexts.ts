import { createSecureContext, type SecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';

/** What a TLS port shows and demands. */
export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly minVersion?: SecureVersion;
  /** In OpenSSL's notation; absent: `defaultCiphers`. */
  readonly ciphers?: string;
  /** Asked for by host name, the first of several; the certificate above serves all others. */
  readonly byName?: readonly NamedPair[];
  /** Named to clients, so that they know which certificate to show. PEM, each with one or more. */
  readonly clientCAs?: readonly (string | Buffer)[];
}

interface NamedPair {
  readonly names: readonly string[];
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/**
 * All of TLS 1.3, and of TLS 1.2 those of Go's defaults that encrypt and authenticate in one step.
 *
 * Differs from upstream: Go also has TLS_ECDHE_*_WITH_AES_*_CBC_SHA, which HTTP/2 forbids.
 */
const defaultCiphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Settings and certificates of a TLS port, some of which change while it listens. */
export class TlsContexts {
  #options: TlsOptions;
  #byName: ReadonlyMap<string, SecureContext>;

  constructor(options: TlsOptions) {
    this.#options = options;
    this.#byName = this.#named();
  }

  /** Whether a client's choice of a name makes a difference. */
  get hasNames(): boolean {
    return this.#byName.size > 0;
  }

  /** For clients that ask for no name, or one that is not known. */
  get main(): SecureContextOptions {
    return this.#contextOptions(this.#options);
  }

  /** Undefined for a name that is not known. A certificate may be for all names of a domain: `*.example.com`. */
  forName(name: string): SecureContext | undefined {
    const lower = name.toLowerCase();
    return this.#byName.get(lower) ?? this.#byName.get(lower.replace(/^[^.]*/, '*'));
  }

  /** Takes what is new, for handshakes from now on. Throws an Error for what is no certificate, and stays as it was. */
  update(changed: Partial<Pick<TlsOptions, 'cert' | 'key' | 'clientCAs'>>): void {
    const before = this.#options;
    this.#options = { ...before, ...changed };
    try {
      createSecureContext(this.main);
      this.#byName = this.#named();
    } catch (error) {
      this.#options = before;
      throw error;
    }
  }

  #named(): ReadonlyMap<string, SecureContext> {
    const contexts = new Map<string, SecureContext>();
    for (const { names, ...pair } of this.#options.byName ?? []) {
      const context = createSecureContext(this.#contextOptions(pair));
      for (const name of names) if (!contexts.has(name.toLowerCase())) contexts.set(name.toLowerCase(), context);
    }
    return contexts;
  }

  #contextOptions({ cert, key }: Pick<TlsOptions, 'cert' | 'key'>): SecureContextOptions {
    const { minVersion = 'TLSv1.2', ciphers = defaultCiphers, clientCAs = [] } = this.#options;
    return { cert, key, minVersion, ciphers, honorCipherOrder: true, ca: certificatesIn(clientCAs) };
  }
}

/** Each certificate once. */
function certificatesIn(pems: readonly (string | Buffer)[]): string[] {
  const blocks = pems.flatMap((pem) => String(pem).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g));
  return [...new Set(blocks.filter((block) => block !== null))];
}
