import type { Pod } from '@coxswain/api/core/v1';
import { type PodTarget, podPath, type RemoteClient } from './pod-target.ts';

const defaultContainerAnnotation = 'kubectl.kubernetes.io/default-container';

/**
 * The container that is meant, as kubectl finds it: the one that is named, else the pod's default container, else its
 * first. Asks the server only when none is named. Rejects with an ApiError when there is no such pod, and with an Error
 * when the annotation names a container that the pod does not have.
 */
export async function resolveContainer(client: RemoteClient, target: PodTarget): Promise<string> {
  if (target.container) return target.container;
  const { signal } = target;
  const pod = await client.request<Pod>({ method: 'GET', path: podPath(target), ...(signal && { signal }) });
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const annotated = pod.metadata?.annotations?.[defaultContainerAnnotation];
  if (annotated) {
    const names = [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
    if (names.includes(annotated)) return annotated;
    throw new Error(`container ${annotated} is not valid for pod ${target.pod} out of: ${names.join(', ')}`);
  }
  const [first] = containers;
  if (!first) throw new Error(`pod ${target.namespace}/${target.pod} does not have any containers`);
  return first.name;
}
