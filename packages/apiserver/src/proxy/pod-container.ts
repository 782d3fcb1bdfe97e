import type { Pod } from '@coxswain/api/core/v1';
import { newBadRequest } from '@coxswain/apimachinery';

/** Returns the container of a request. Throws BadRequest when it does not exist, or when none is named and the pod has several. */
export function containerOf(pod: Pod, requested: string | undefined): string {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const name = pod.metadata?.name ?? '';
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((container) => container.name);
  if (requested) {
    if (all.includes(requested)) return requested;
    throw newBadRequest(`container ${requested} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return containers[0]!.name;
  const choice = containers.length === 0 ? '' : `, choose one of: [${all.join(' ')}]`;
  throw newBadRequest(`a container name must be specified for pod ${name}${choice}`);
}
