import {
  ClientSet,
  type Clock,
  type Logger,
  type Metrics,
  newTransport,
  noWarnings,
  RESTClient,
  type RestConfig,
  type Transport,
} from '@coxswain/client';
import { type SigningRequestClient, signingRequestClient } from '@coxswain/client/certificates';
import { userAgentOf } from '@coxswain/component-base/version';
import type { NodeConfiguration } from '../options/node-configuration.ts';

export interface ApiClientsOptions {
  readonly config: RestConfig;
  readonly limits: NodeConfiguration['client'];
  /** Timeout of what says that the node lives. */
  readonly heartbeatTimeoutMs: number;
  /** Receives metrics of the requests. */
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A kubelet's clients for its API server, with rates of their own and over the same connections. */
export class ApiClients {
  readonly clients: ClientSet;
  /** Waits for no other request. */
  readonly heartbeats: ClientSet;
  readonly events: ClientSet;
  readonly signingRequests: SigningRequestClient;
  readonly #connections: Transport;

  constructor({ config, limits, heartbeatTimeoutMs, metrics, clock, logger }: ApiClientsOptions) {
    const named: RestConfig = { ...config, userAgent: userAgentOf('kubelet'), clock };
    this.#connections = newTransport(named);
    const client = (rates: Pick<RestConfig, 'qps' | 'burst' | 'timeoutMs'>): RESTClient =>
      RESTClient.forConfig(
        { ...named, ...rates },
        { transport: this.#connections, logger, metrics, warnings: noWarnings },
      );
    const main = client({ qps: limits.qps, burst: limits.burst });
    this.clients = new ClientSet(main);
    this.heartbeats = new ClientSet(client({ qps: 0, timeoutMs: heartbeatTimeoutMs }));
    this.events = new ClientSet(client({ qps: limits.eventQps, burst: limits.eventBurst }));
    this.signingRequests = signingRequestClient(main);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
