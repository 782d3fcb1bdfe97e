import { podRequests } from '@coxswain/api';
import type { Pod } from '@coxswain/api/core/v1';
import { Quantity, Scale } from '@coxswain/apimachinery/quantity';

/** Resources that can be requested at pod level. */
const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Returns the requests of the pods in thousandths by pod name, or only those of the named container. Throws when a request is missing. */
export function requestsOf(pods: readonly Pod[], resource: string, container = ''): Map<string, bigint> {
  return new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, resource, container)]));
}

function requestOf(pod: Pod, resource: string, container: string): bigint {
  const ofPod = Object.keys(pod.spec?.resources?.requests ?? {}).some(isPodLevelResource);
  if (!ofPod || container !== '') return requestOfContainers(pod, resource, container);
  const request = podRequests(pod).get(resource);
  if (!request) throw new Error(`missing pod-level request for ${resource} in Pod ${pod.metadata.name}`);
  return request.scaledValue(Scale.Milli);
}

function requestOfContainers({ metadata, spec }: Pod, resource: string, container: string): bigint {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = [...(spec?.containers ?? []), ...sidecars];
  const counted = container === '' ? running : running.filter(({ name }) => name === container).slice(0, 1);
  if (container !== '' && counted.length === 0) {
    throw new Error(`container ${container} not found in Pod ${metadata.name}`);
  }
  return counted.reduce((sum, { name, resources }) => {
    const request = resources?.requests?.[resource];
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    }
    return sum + Quantity.parse(request).scaledValue(Scale.Milli);
  }, 0n);
}
