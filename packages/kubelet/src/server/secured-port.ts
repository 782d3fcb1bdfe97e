import { networkInterfaces } from 'node:os';
import type { Logger } from '@coxswain/client';
import { type ApiHandler, Listener, listenHost } from '@coxswain/component-base/http';
import { tlsCiphers, tlsMinVersion } from '@coxswain/component-base/serving';
import type { ServerAccess } from './server-access.ts';
import type { KubeletServerSettings } from './server-settings.ts';
import type { ServingPair } from './serving-certificate-source.ts';

export interface SecuredPortOptions {
  readonly settings: Pick<KubeletServerSettings, 'address' | 'port' | 'tlsMinVersion' | 'tlsCipherSuites'>;
  readonly access: Pick<ServerAccess, 'authorities'>;
  readonly handler: ApiHandler;
  readonly logger: Logger;
}

/** The port of the API, with TLS. */
export class SecuredPort {
  readonly #options: SecuredPortOptions;
  #listener: Listener | undefined;
  #isClosed = false;
  /** 0 before it listens. */
  port = 0;

  constructor(options: SecuredPortOptions) {
    this.#options = options;
  }

  /** New connections get this certificate. The first one opens the port. */
  async use({ cert, key }: ServingPair): Promise<void> {
    if (this.#isClosed) return;
    if (this.#listener) {
      this.#listener.setCertificate({ cert, key });
      return;
    }
    const { address, port, tlsMinVersion: minVersion, tlsCipherSuites = [] } = this.#options.settings;
    const ciphers = tlsCiphers(tlsCipherSuites);
    this.#listener = new Listener({
      host: listenHost(address, networkInterfaces()),
      port,
      tls: {
        cert,
        key,
        minVersion: tlsMinVersion(minVersion || 'VersionTLS12'),
        ...(ciphers && { ciphers }),
        clientCAs: this.#clientCAs,
      },
      handler: this.#options.handler,
    });
    this.port = (await this.#listener.listen()).port;
    this.#options.logger.info('Starting to listen', { address, port: this.port });
  }

  /** New handshakes name the CAs that clients have now. */
  setClientCAs(): void {
    this.#listener?.setClientCAs(this.#clientCAs);
  }

  /** Sessions in progress end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = this.#listener?.close();
    this.#listener?.force();
    await closed;
  }

  get #clientCAs(): readonly string[] {
    return this.#options.access.authorities?.current.pem ?? [];
  }
}
