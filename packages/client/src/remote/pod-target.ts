import type { RESTClient } from '../rest/rest-client.ts';

/** What of a RESTClient is needed to reach into pods. */
export type RemoteClient = Pick<RESTClient, 'request' | 'stream' | 'openWebSocket'>;

/** Which pod, and which of its containers. */
export interface PodTarget {
  readonly namespace: string;
  readonly pod: string;
  /** Without: the one that the pod's annotation `kubectl.kubernetes.io/default-container` names, else the first. */
  readonly container?: string;
  readonly signal?: AbortSignal;
}

/** The path of a pod or a subresource of it. */
export function podPath({ namespace, pod }: Pick<PodTarget, 'namespace' | 'pod'>, subresource?: string): string {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
  return subresource ? `${path}/${subresource}` : path;
}
