import {
  ClientSet,
  type Clock,
  type Credentials,
  type Logger,
  type Metrics,
  newTransport,
  noWarnings,
  RESTClient,
  type RestConfig,
  type Transport,
} from '@coxswain/client';
import type { ClientBuilder } from '../framework/manager/client-builder.ts';
import { ServiceAccountCredentials } from './service-account-credentials.ts';
import { serviceAccountOf } from './service-account-names.ts';

const accountsNamespace = 'kube-system';

export interface ControllerClientsOptions {
  /** The connection and user of the kubeconfig. Each client has its own rate limit. */
  readonly config: RestConfig & { readonly userAgent: string };
  /** `--use-service-account-credentials` */
  readonly usesServiceAccounts: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Creates a client for each controller, with its own rate limit, which acts as the kubeconfig's user or as a service account. All
 * clients share the same connections. Must be closed.
 */
export class ControllerClients implements ClientBuilder {
  /** Acts as the kubeconfig's user. For informers and events. */
  readonly root: RESTClient;
  readonly #options: ControllerClientsOptions;
  readonly #connections: Transport;
  readonly #accountClients: ClientSet;
  /** By service account, because several controllers may share one. */
  readonly #credentials = new Map<string, ServiceAccountCredentials>();

  constructor(options: ControllerClientsOptions) {
    this.#options = options;
    const { credentials: _, impersonate: __, ...anonymous } = options.config;
    this.#connections = newTransport(anonymous);
    this.root = this.clientOf('shared-informers');
    this.#accountClients = new ClientSet(this.clientOf('service-accounts'));
  }

  /** Returns a client that acts as the kubeconfig's user and has its own rate limit, so that other requests cannot delay its requests. */
  clientOf(purpose: string): RESTClient {
    const { config } = this.#options;
    return this.#newClient({ ...config, userAgent: `${config.userAgent}/${purpose}` });
  }

  clientFor(controller: string): RESTClient {
    const { config, usesServiceAccounts } = this.#options;
    const account = serviceAccountOf(controller);
    if (account === undefined) return this.root;
    if (!usesServiceAccounts) return this.clientOf(account);
    const { impersonate: _, ...own } = config;
    return this.#newClient({
      ...own,
      credentials: this.#credentialsOf(account),
      userAgent: `${config.userAgent}/system:serviceaccount:${accountsNamespace}:${account}`,
    });
  }

  /** Creates the missing service accounts of these controllers, so that all exist even if some controllers send no requests. */
  async ensureAccounts(controllers: readonly string[]): Promise<void> {
    if (!this.#options.usesServiceAccounts) return;
    const { items } = await this.#accountClients.core.v1.serviceAccounts(accountsNamespace).list();
    const missing = new Set(controllers.map(serviceAccountOf).filter((account) => account !== undefined));
    for (const { metadata } of items) missing.delete(metadata.name ?? '');
    await Promise.all([...missing].map((account) => this.#credentialsOf(account).createAccount()));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #credentialsOf(name: string): ServiceAccountCredentials {
    const { clock, logger } = this.#options;
    let credentials = this.#credentials.get(name);
    if (!credentials) {
      const options = { clients: this.#accountClients, namespace: accountsNamespace, name, clock, logger };
      credentials = new ServiceAccountCredentials(options);
      this.#credentials.set(name, credentials);
    }
    return credentials;
  }

  #newClient(config: RestConfig & { readonly credentials?: Credentials }): RESTClient {
    const { clock, logger, metrics } = this.#options;
    const transport = newTransport(config, this.#connections);
    // Deprecation warnings are off: these clients are our own components.
    return RESTClient.forConfig({ ...config, clock }, { transport, logger, metrics, warnings: noWarnings });
  }
}
