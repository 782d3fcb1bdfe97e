import type { WebhookCredentials } from './webhook-credentials.ts';

/** Where a webhook is: an address, or a service of the cluster. Exactly one of the two. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    /** 443 unless given. */
    readonly port?: number;
  };
  /** PEM in base64, as API objects carry it; the system's roots are trusted without it. */
  readonly caBundle?: string;
}

export interface WebhookCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The webhook's own name, for messages and metrics. */
  readonly name?: string;
  /** Who we are to a server, named `host:port`; nobody without it. */
  readonly credentials?: (server: string) => WebhookCredentials;
}

/** Calls HTTPS servers that extend the API: admission, conversion and so on. */
export interface WebhookClient {
  /**
   * Posts a body as JSON and gives the answer's. Throws a WebhookCallError, whose message is what upstream's client
   * says for the same failure, when there is no 2xx answer of JSON in time.
   */
  call(clientConfig: WebhookClientConfig, body: unknown, options: WebhookCallOptions): Promise<unknown>;
}
