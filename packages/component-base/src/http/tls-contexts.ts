import { createSecureContext, type SecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';

/** Certificates and settings of a TLS port. */
export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly minVersion?: SecureVersion;
  /** In OpenSSL's notation; absent: `defaultCiphers`. */
  readonly ciphers?: string;
  /**
   * Certificates for clients that ask for one of these server names; the first match is used. Other clients get `cert`.
   */
  readonly byName?: readonly NamedPair[];
  /**
   * The CAs whose names are sent to clients, so that they can choose a certificate. Each PEM text contains one or more.
   */
  readonly clientCAs?: readonly (string | Buffer)[];
}

interface NamedPair {
  readonly names: readonly string[];
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/**
 * All cipher suites of TLS 1.3, and those of Go's defaults for TLS 1.2 that are AEADs.
 *
 * Differs from upstream: Go's defaults include TLS_ECDHE_*_WITH_AES_*_CBC_SHA, which HTTP/2 forbids.
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

/** The TLS contexts of a port. Certificates and client CAs can change while it listens. */
export class TlsContexts {
  #options: TlsOptions;
  #byName: ReadonlyMap<string, SecureContext>;

  constructor(options: TlsOptions) {
    this.#options = options;
    this.#byName = this.#named();
  }

  /** Whether certificates are selected by server name (SNI). */
  get hasNames(): boolean {
    return this.#byName.size > 0;
  }

  /** For clients that send no server name, or an unknown one. */
  get main(): SecureContextOptions {
    return this.#contextOptions(this.#options);
  }

  /** Returns the context for a server name; undefined when there is none. A name may be a wildcard: `*.example.com`. */
  forName(name: string): SecureContext | undefined {
    const lower = name.toLowerCase();
    return this.#byName.get(lower) ?? this.#byName.get(lower.replace(/^[^.]*/, '*'));
  }

  /** Applies changes to new handshakes. Throws an Error for an invalid certificate, without changing anything. */
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

/** Splits PEM texts into distinct certificates. */
function certificatesIn(pems: readonly (string | Buffer)[]): string[] {
  const blocks = pems.flatMap((pem) => String(pem).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g));
  return [...new Set(blocks.filter((block) => block !== null))];
}
