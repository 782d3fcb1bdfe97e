import { ConnectionPool } from './connection-pool.ts';
import { httpsTarget } from './https-target.ts';
import { headersOf, post } from './https-webhook-client.ts';
import { readKubeconfig } from './kubeconfig.ts';
import type { WebhookCallOptions } from './webhook-client.ts';

/** A webhook that a kubeconfig file configures: for authentication, authorization and audit. */
export interface KubeconfigWebhook {
  /** Posts a body as JSON and returns the JSON of the response. Throws a WebhookCallError. */
  call(body: unknown, options: WebhookCallOptions): Promise<unknown>;
  close(): void;
}

export interface KubeconfigWebhookOptions {
  readonly userAgent: string;
  readonly now: () => Date;
}

/** Returns the webhook of the kubeconfig's current context. Throws an Error that names the file when it is invalid. */
export async function webhookFromKubeconfig(
  file: string,
  { userAgent, now }: KubeconfigWebhookOptions,
): Promise<KubeconfigWebhook> {
  const config = await readKubeconfig(file);
  const { cluster, currentUser } = config;
  if (!cluster) throw new Error(`${file}: there is no cluster in the current context`);
  const target = httpsTarget(cluster.server);
  if (!target) throw new Error(`${file}: the server must have an https URL`);
  const credentials = (currentUser && config.users.get(currentUser)) || {};
  const pool = new ConnectionPool({
    address: target.address,
    serverName: cluster.serverName ?? target.serverName,
    insecure: cluster.insecure,
    now,
    ...(cluster.ca !== undefined && { ca: cluster.ca }),
    ...(credentials.clientCertificate && { clientCertificate: credentials.clientCertificate }),
  });
  const headers = { ...headersOf(credentials), 'user-agent': userAgent };
  return {
    call: (body, options) => post(pool, body, { ...options, target, headers }),
    close: () => pool.close(),
  };
}
