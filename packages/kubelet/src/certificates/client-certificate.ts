import { type Clock, type Logger, RESTClient, type RestConfig, sleep } from '@coxswain/client';
import {
  CertificateManager,
  type CertificateStore,
  type PemKeyPair,
  type SigningRequestClient,
  signingRequestClient,
} from '@coxswain/client/certificates';

export interface ClientCertificateOptions {
  readonly store: CertificateStore;
  readonly nodeName: string;
  /** A pair to use until a rotation, which is due at once; PEM. */
  readonly bootstrap: { readonly certificate: string; readonly key: string } | undefined;
  /** For requests while there is no valid certificate. */
  readonly requesting: RestConfig;
  /** The server of all other requests, without credentials. */
  readonly using: RestConfig;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** Makes the client for requests of certificates. By default one over connections of its own. */
  readonly client?: (config: RestConfig) => SigningRequestClient;
}

const checkEveryMs = 10_000;
/** Without a certificate for this long, the kubelet ends, so that it may be started with other credentials. */
const exitAfterMs = 300_000;

/**
 * The client certificate of a kubelet, `system:node:<name>` of `system:nodes`. It is requested when there is none, and again after 70 to
 * 90% of its lifetime. Connections with an older certificate are closed when their requests have ended.
 */
export class ClientCertificate {
  /** Reaches the server with the current certificate. Requests reject while there is none. */
  readonly config: RestConfig;
  readonly #options: ClientCertificateOptions;
  readonly #manager: CertificateManager;
  readonly #clients: OwnClients;

  private constructor(options: ClientCertificateOptions, manager: CertificateManager, clients: OwnClients) {
    this.#options = options;
    this.#manager = manager;
    this.#clients = clients;
    this.config = { ...options.using, credentials: manager.credentials };
  }

  /** Rejects when the stored pair cannot be read. */
  static async create(options: ClientCertificateOptions): Promise<ClientCertificate> {
    const { store, nodeName, bootstrap, requesting, using, clock, random, logger } = options;
    const clients = new OwnClients(clock, options.client);
    const manager: CertificateManager = await CertificateManager.create({
      store,
      template: { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] },
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      client: (current) => clients.of(current ? { ...using, credentials: manager.credentials } : requesting, !current),
      ...(bootstrap && { bootstrap }),
      clock,
      random,
      logger,
    });
    return new ClientCertificate(options, manager, clients);
  }

  get current(): PemKeyPair | undefined {
    return this.#manager.current;
  }

  /**
   * Rotates until the signal is aborted. Rejects when there has been no valid certificate for five minutes although the server answers:
   * the kubelet should then be started again.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    const running = this.#manager.run(until);
    try {
      await Promise.race([this.#watch(until), running]);
    } finally {
      stop.abort();
      await running.catch(() => {});
      await this.#clients.close();
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    let lastAvailableMs = clock.now();
    while (!signal.aborted) {
      await sleep(clock, checkEveryMs, signal).catch(() => {});
      if (this.current) lastAvailableMs = clock.now();
      else if (clock.now() > lastAvailableMs + exitAfterMs) {
        if (this.#manager.serverHealthy)
          throw new Error('No valid client certificate is found and the server is responsive, exiting.');
        logger.warn(
          'No valid client certificate is found but the server is not responsive. A restart may be necessary to retrieve new initial credentials.',
          { lastCertificateAvailabilityTime: new Date(lastAvailableMs).toISOString() },
        );
      }
    }
  }
}

/** The clients for requests of certificates: one with the first credentials, one with the certificate. */
class OwnClients {
  readonly #clock: Clock;
  readonly #make: ((config: RestConfig) => SigningRequestClient) | undefined;
  readonly #rests = new Map<boolean, RESTClient>();

  constructor(clock: Clock, make: ((config: RestConfig) => SigningRequestClient) | undefined) {
    this.#clock = clock;
    this.#make = make;
  }

  of(config: RestConfig, isFirst: boolean): SigningRequestClient {
    if (this.#make) return this.#make(config);
    const rest = this.#rests.get(isFirst) ?? RESTClient.forConfig({ ...config, clock: this.#clock });
    this.#rests.set(isFirst, rest);
    return signingRequestClient(rest);
  }

  async close(): Promise<void> {
    const rests = [...this.#rests.values()];
    this.#rests.clear();
    await Promise.all(rests.map((rest) => rest.close()));
  }
}
