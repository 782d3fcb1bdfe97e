import type { APIService } from '@coxswain/api/apiregistration/v1';
import type { Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Lister } from '../registry/lister.ts';
import type { RemoteApi } from './remote-api.ts';

export interface AvailabilityListers {
  readonly services: Lister<Service>;
  readonly endpointSlices: Lister<EndpointSlice>;
}

/** Whether requests can be proxied: the `Available` condition without its times. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });
const timeoutMs = 5_000;
/** Checks are sent in parallel, since one of several endpoints may be slow. One success suffices. */
const attempts = 5;

/** Checks that the Service exists and has endpoints, and that its server serves the group version. Never rejects. */
export async function checkAvailability(
  { metadata, spec }: APIService,
  remote: RemoteApi,
  listers: AvailabilityListers,
): Promise<Availability> {
  const { namespace = '', name = '', port = 443 } = spec?.service ?? {};
  const problem = serviceProblem(namespace, name, port, listers);
  if (problem) return problem;
  const path = metadata?.name === 'v1.' ? `/api/${spec?.version}` : `/apis/${spec?.group}/${spec?.version}`;
  const results = Array.from({ length: attempts }, () => probe(remote, path));
  try {
    await Promise.any(results);
    return { status: 'True', reason: 'Passed', message: 'all checks passed' };
  } catch {
    const message = await results.at(-1)!.then(() => '', messageOf);
    return unavailable('FailedDiscoveryCheck', message);
  }
}

function serviceProblem(
  namespace: string,
  name: string,
  port: number,
  { services, endpointSlices }: AvailabilityListers,
): Availability | undefined {
  const place = `service/${name} in ${quote(namespace)}`;
  const service = services.get(namespace, name);
  if (!service) return unavailable('ServiceNotFound', `${place} is not present`);
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = service.spec?.ports?.find((candidate) => candidate.port === port);
  if (!found) return unavailable('ServicePortError', `${place} is not listening on port ${port}`);
  const slices = endpointSlices
    .list(namespace)
    .filter((slice) => slice.metadata?.labels?.['kubernetes.io/service-name'] === name);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${place}`);
  const portName = found.name ?? '';
  const isReady = ({ endpoints, ports }: EndpointSlice): boolean =>
    (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
    (ports ?? []).some((candidate) => (candidate.name ?? '') === portName && candidate.port !== undefined);
  if (slices.some(isReady)) return undefined;
  return unavailable(
    'MissingEndpoints',
    `endpointslices for ${place} have no addresses with port name ${quote(portName)}`,
  );
}

async function probe(remote: RemoteApi, path: string): Promise<void> {
  const url = remote.url(path);
  const failing = (why: string, cause?: unknown): Error =>
    new Error(`failing or missing response from ${url}: ${why}`, { cause });
  const status = await remote.status(path, timeoutMs).catch((error) => {
    throw failing(messageOf(error), error);
  });
  if (status < 200 || status >= 300) throw failing(`bad status from ${url}: ${status}`);
}
