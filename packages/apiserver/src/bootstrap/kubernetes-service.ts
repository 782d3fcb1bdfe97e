import type { Endpoints, Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { isNotFound, jsonEquals } from '@coxswain/apimachinery';
import { AddressRange } from '../services/index.ts';
import { ensureObjects, unlessSurpassed } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';
import { ServerLeases } from './server-leases.ts';

const name = 'kubernetes';
const namespace = 'default';
const intervalMs = 10_000;

interface KubernetesServiceOptions {
  /** The address of this server for the other components: `--advertise-address`. */
  readonly advertiseAddress: string;
  readonly securePort: number;
  /** The first range of `--service-cluster-ip-range`. */
  readonly serviceCIDR: string;
  /** `--kubernetes-service-node-port`; absent or 0: none. */
  readonly nodePort?: number;
  /** `--endpoint-reconciler-type=none`: the server does not write the endpoints. */
  readonly leaveEndpoints?: boolean;
  /** When clients may be sent to the server: it is not in the endpoints before. Default: at once. */
  readonly ready?: Promise<void>;
}

/**
 * The Service `kubernetes`, by which pods reach the API servers, and its endpoints: all servers that renew their lease
 * in the store. The Service is only created, never updated.
 *
 * Differs from upstream: a server with a loopback address does not write the endpoints, which must not contain one.
 * Upstream keeps trying to.
 */
export function kubernetesService(context: BootstrapContext, options: KubernetesServiceOptions): PostStartHook {
  const { advertiseAddress, securePort, ready = Promise.resolve() } = options;
  const leavesEndpoints = options.leaveEndpoints === true || isLoopback(advertiseAddress);
  const leases = new ServerLeases(context.store, context.storePrefix);
  const service = newService(options);
  let isStopped = false;
  /** Reconciliations run one after the other, so that the last one is that of `stop`. */
  let reconciling: Promise<void> = Promise.resolve();

  const reconcile = (change: () => Promise<void>): Promise<void> => {
    const done = reconciling.then(async () => {
      await change();
      const addresses = await leases.list();
      if (addresses.length === 0 && !isStopped) {
        throw new Error(
          'no API server IP addresses were listed in storage, refusing to erase all endpoints for the kubernetes Service',
        );
      }
      await Promise.all([
        write(context, { group: '', resource: 'endpoints' }, newEndpoints(addresses, securePort)),
        write(
          context,
          { group: 'discovery.k8s.io', resource: 'endpointslices' },
          newEndpointSlice(addresses, securePort),
        ),
      ]);
    });
    reconciling = done.catch(() => {});
    return done;
  };

  return {
    name: 'bootstrap-controller',
    start: async (signal) => {
      const ensureService = (): Promise<unknown> =>
        ensureObjects(context, { group: '', resource: 'services' }, [service]);
      await startPeriodicTask(ensureService, {
        failure: 'unable to sync kubernetes service',
        intervalMs,
        signal,
        clock: context.clock,
        logger: context.logger,
      });
      if (leavesEndpoints) return;
      const follow = ready.then(() =>
        startPeriodicTask(() => reconcile(() => (isStopped ? Promise.resolve() : leases.renew(advertiseAddress))), {
          failure: 'unable to sync the endpoints of the kubernetes service',
          intervalMs,
          signal,
          clock: context.clock,
          logger: context.logger,
        }),
      );
      // When `ready` rejects, the server never gets into the endpoints.
      follow.catch(() => {});
    },
    stop: async () => {
      isStopped = true;
      if (leavesEndpoints) return;
      await reconcile(() => leases.remove(advertiseAddress));
    },
  };
}

/** Whether an address in canonical form is a loopback address. */
export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

function newService({ securePort, serviceCIDR, nodePort }: KubernetesServiceOptions): Service {
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: AddressRange.parse(serviceCIDR)?.at(1),
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: securePort, ...(nodePort && { nodePort }) }],
      sessionAffinity: 'None',
      type: nodePort ? 'NodePort' : 'ClusterIP',
    },
  };
}

function newEndpoints(addresses: readonly string[], port: number): Endpoints {
  const subset = {
    addresses: addresses.map((ip) => ({ ip })),
    ports: [{ name: 'https', port, protocol: 'TCP' as const }],
  };
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    // The EndpointSlice is written here, so the mirroring controller must not make another one.
    metadata: { name, namespace, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    ...(addresses.length > 0 && { subsets: [subset] }),
  };
}

/** A slice has one address family: IPv6 if all servers have IPv6 addresses, else IPv4. */
function newEndpointSlice(addresses: readonly string[], port: number): EndpointSlice {
  const isIPv6 = (address: string): boolean => address.includes(':');
  const allIPv6 = addresses.length > 0 && addresses.every(isIPv6);
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: allIPv6 ? 'IPv6' : 'IPv4',
    endpoints: addresses
      .filter((address) => isIPv6(address) === allIPv6)
      .map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ...(addresses.length > 0 && { ports: [{ name: 'https', port, protocol: 'TCP' as const }] }),
  };
}

/** Creates or updates the object. Keeps other metadata of an existing one. */
async function write<T extends Endpoints | EndpointSlice>(
  { client, listers }: BootstrapContext,
  { group, resource }: { group: string; resource: string },
  wanted: T,
): Promise<void> {
  const lister = listers.lister<T>(group, resource);
  await lister.synced;
  const current = lister.get(namespace, name);
  if (!current) {
    await unlessSurpassed(() => client.create(group, resource, wanted));
    return;
  }
  const metadata = { ...current.metadata, labels: { ...current.metadata.labels, ...wanted.metadata.labels } };
  const changed = { ...wanted, metadata };
  if (jsonEquals(comparable(changed), comparable(current), { undefinedIsAbsent: true })) return;
  const isOtherFamily =
    'addressType' in wanted && 'addressType' in current && wanted.addressType !== current.addressType;
  if (isOtherFamily) {
    await client.delete(group, resource, namespace, name).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
    await unlessSurpassed(() => client.create(group, resource, wanted));
  } else await unlessSurpassed(() => client.update(group, resource, changed));
}

/** Missing lists equal empty ones. */
const comparable = <T extends Endpoints | EndpointSlice>({ kind: _, apiVersion: __, ...rest }: T) => ({
  endpoints: [],
  subsets: [],
  ports: [],
  ...rest,
});
