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
  /** How to reach the API server, and as whom; each client has its own rate. */
  readonly config: RestConfig & { readonly userAgent: string };
  /** `--use-service-account-credentials` */
  readonly usesServiceAccounts: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * A client for each controller, with a rate of its own, as the user of the kubeconfig or as a service account; all of them over
 * the same connections. To be closed.
 */
export class ControllerClients implements ClientBuilder {
  /** As the user of the kubeconfig: for caches and events. */
  readonly root: RESTClient;
  readonly #options: ControllerClientsOptions;
  readonly #connections: Transport;
  readonly #accountClients: ClientSet;
  /** By service account: several controllers may share one. */
  readonly #credentials = new Map<string, ServiceAccountCredentials>();

  constructor(options: ControllerClientsOptions) {
    this.#options = options;
    const { credentials: _, impersonate: __, ...anonymous } = options.config;
    this.#connections = newTransport(anonymous);
    this.root = this.clientOf('shared-informers');
    this.#accountClients = new ClientSet(this.clientOf('service-accounts'));
  }

  /** As the user of the kubeconfig, for something that must not wait until all else is done: it has a rate of its own. */
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

  /** Creates the accounts of these controllers, where they are missing, so that all are there and not only those that act. */
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
    // What is old about an API is no news to those who look after all of it.
    return RESTClient.forConfig({ ...config, clock }, { transport, logger, metrics, warnings: noWarnings });
  }
}
