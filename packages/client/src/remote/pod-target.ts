import type { RESTClient } from '../rest/rest-client.ts';

/** The methods of a RESTClient that are needed to access pods. */
export type RemoteClient = Pick<RESTClient, 'request' | 'stream' | 'openWebSocket'>;

/** A pod and one of its containers. */
export interface PodTarget {
  readonly namespace: string;
  readonly pod: string;
  /**
   * Default: the container that the pod's annotation `kubectl.kubernetes.io/default-container` names, otherwise the
   * first.
   */
  readonly container?: string;
  readonly signal?: AbortSignal;
}

/** The path of a pod or a subresource of it. */
export function podPath({ namespace, pod }: Pick<PodTarget, 'namespace' | 'pod'>, subresource?: string): string {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
  return subresource ? `${path}/${subresource}` : path;
}
