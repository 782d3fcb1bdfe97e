import type { Pod, Service } from '@coxswain/api/core/v1';
import { isPodReady, isPodTerminal } from '@coxswain/component-helpers';
import { besides, differences, type Snapshot } from './snapshot.ts';

/** Checks that services have exactly the addresses of their pods. */
export function problemsOfNetwork(snapshot: Snapshot): string[] {
  const services = snapshot.services.filter(({ spec }) => spec?.selector);
  const known = new Set(snapshot.services.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  return [
    ...services.flatMap((service) => problemsOfService(service, snapshot)),
    ...snapshot.endpoints
      .filter(({ metadata }) => !known.has(`${metadata.namespace}/${metadata.name}`))
      .map(({ metadata }) => `Endpoints ${metadata.namespace}/${metadata.name} are left`),
    ...snapshot.slices
      .filter(({ metadata }) => !known.has(`${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`))
      .map(({ metadata }) => `EndpointSlice ${metadata.namespace}/${metadata.name} is left`),
  ];
}

function problemsOfService(service: Service, { pods, slices, endpoints }: Snapshot): string[] {
  const { namespace, name } = service.metadata;
  const addressOf = ({ status }: Pod): string => `${status?.podIP}`;
  const chosen = besides(pods, service).filter(
    (pod) => pod.metadata.labels?.app === service.spec?.selector?.app && pod.status?.podIP && !isPodTerminal(pod),
  );
  const ready = chosen.filter(isPodReady).map(addressOf).sort();
  const listed = besides(slices, service)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
    .flatMap(({ endpoints }) => endpoints ?? []);
  const subsets = besides(endpoints, service).find(({ metadata }) => metadata.name === name)?.subsets ?? [];
  return differences(
    `Service ${namespace}/${name}`,
    {
      addresses: listed.flatMap(({ addresses }) => addresses).sort(),
      ready: listed
        .filter(({ conditions }) => conditions?.ready)
        .flatMap(({ addresses }) => addresses)
        .sort(),
      endpoints: subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)).sort(),
    },
    { addresses: chosen.map(addressOf).sort(), ready, endpoints: ready },
  );
}
