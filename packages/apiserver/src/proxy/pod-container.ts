import type { Pod } from '@coxswain/api/core/v1';
import { newBadRequest } from '@coxswain/apimachinery';

/** The container that a request for a pod means; throws BadRequest when it names none that is there, or must name one. */
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
