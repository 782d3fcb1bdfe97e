/**
 * The client for HTTPS servers that extend the API server: admission and conversion webhooks, whose configuration is in
 * API objects (`HttpsWebhookClient`), and authentication, authorization and audit webhooks, whose configuration is in a
 * kubeconfig file (`webhookFromKubeconfig`). It does not depend on the content of the requests.
 */
export { HttpsWebhookClient } from './https-webhook-client.ts';
export { readKubeconfig } from './kubeconfig.ts';
export {
  clusterIPResolver,
  endpointResolver,
  resolveWithoutNobody,
  type ServiceResolver,
  withOwnService,
} from './service-resolver.ts';
export type { WebhookCallOptions, WebhookClient } from './webhook-client.ts';
export { credentialsFrom, type WebhookCredentials } from './webhook-credentials.ts';
export { WebhookCallError } from './webhook-error.ts';
export { type KubeconfigWebhook, webhookFromKubeconfig } from './webhook-from-kubeconfig.ts';
