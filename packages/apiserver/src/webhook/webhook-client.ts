import type { WebhookCredentials } from './webhook-credentials.ts';

/** The location of a webhook: exactly one of a URL or a service. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    /** 443 by default. */
    readonly port?: number;
  };
  /** The CA certificates as base64 of PEM, as in API objects; the system's by default. */
  readonly caBundle?: string;
}

export interface WebhookCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The name of the webhook, for messages and metrics. */
  readonly name?: string;
  /** Returns the credentials for a server `host:port`. Without it, calls are anonymous. */
  readonly credentials?: (server: string) => WebhookCredentials;
}

/** Calls HTTPS servers that extend the API: admission, conversion and so on. */
export interface WebhookClient {
  /**
   * Posts a body as JSON and returns the JSON of the response. Throws a WebhookCallError, with the message of upstream's client, when
   * there is no 2xx response with JSON in time.
   */
  call(clientConfig: WebhookClientConfig, body: unknown, options: WebhookCallOptions): Promise<unknown>;
}
