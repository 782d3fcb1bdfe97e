import type { Pod } from '@coxswain/api/core/v1';
import { isForbidden } from '@coxswain/apimachinery/errors';
import { type PodTarget, podPath, type RemoteClient } from './pod-target.ts';

const defaultContainerAnnotation = 'kubectl.kubernetes.io/default-container';

/**
 * Returns the target with its container, chosen like in kubectl: the given one, otherwise the pod's default container,
 * otherwise its first. Reads the pod only if none is given. If that is forbidden, leaves the choice to the server.
 * Rejects with an ApiError when the pod does not exist, and with an Error when the annotation names a container that
 * the pod does not have.
 */
export async function withContainer<T extends PodTarget>(client: RemoteClient, target: T): Promise<T> {
  if (target.container) return target;
  const { signal } = target;
  try {
    const pod = await client.request<Pod>({ method: 'GET', path: podPath(target), ...(signal && { signal }) });
    return { ...target, container: defaultContainer(pod, target) };
  } catch (error) {
    if (isForbidden(error)) return target;
    throw error;
  }
}

function defaultContainer(pod: Pod, target: PodTarget): string {
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
