import type { ServiceAllocation } from '../services/index.ts';
import { localAPIServices, type ServedGroupVersion } from './api-services.ts';
import { type ClusterAuthenticationInfo, clusterAuthentication } from './cluster-authentication.ts';
import { defaultServiceCIDR } from './default-service-cidr.ts';
import { flowControlObjects, flowSchemaStatus } from './flow-control.ts';
import { identityLease, identityLeaseCollector } from './identity-lease.ts';
import { kubernetesService } from './kubernetes-service.ts';
import { legacyTokenTracking } from './legacy-token-tracking.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';
import { systemPriorityClasses } from './priority-classes.ts';
import { serviceRepair } from './service-repair.ts';
import { systemNamespaces } from './system-namespaces.ts';

/** The settings of the server that its bootstrap objects depend on. */
export interface BootstrapOptions {
  /** `--service-cluster-ip-range`: at most one of each IP family. */
  readonly serviceCIDRs: readonly string[];
  readonly allocation: ServiceAllocation;
  /** `--advertise-address` and `--secure-port`. */
  readonly advertiseAddress: string;
  readonly securePort: number;
  /** `--kubernetes-service-node-port`. */
  readonly kubernetesServiceNodePort?: number;
  /** True for `--endpoint-reconciler-type=none`. */
  readonly leaveEndpoints?: boolean;
  readonly hostname: string;
  /** A UUID, new at every start of the server. */
  readonly instanceId: string;
  /** Called every minute, since the files may change. */
  readonly authentication: () => ClusterAuthenticationInfo;
  readonly servedGroupVersions: readonly ServedGroupVersion[];
  /** When clients may be sent to the server. Default: at once. */
  readonly ready?: Promise<void>;
}

/** The hooks that create all objects of the first start, except RBAC's. They may be started concurrently. */
export function bootstrapHooks(context: BootstrapContext, options: BootstrapOptions): PostStartHook[] {
  const { serviceCIDRs, advertiseAddress, securePort, hostname, instanceId } = options;
  const peerAddress = advertiseAddress.includes(':')
    ? `[${advertiseAddress}]:${securePort}`
    : `${advertiseAddress}:${securePort}`;
  const cidr = defaultServiceCIDR(context, serviceCIDRs);
  const service = kubernetesService(context, {
    advertiseAddress,
    securePort,
    serviceCIDR: serviceCIDRs[0] ?? '',
    nodePort: options.kubernetesServiceNodePort,
    leaveEndpoints: options.leaveEndpoints,
    ready: options.ready,
  });
  let cidrStarted: Promise<void> | undefined;
  const startCIDR = (signal: AbortSignal): Promise<void> => {
    cidrStarted ??= cidr.start(signal);
    return cidrStarted;
  };
  return [
    systemNamespaces(context),
    clusterAuthentication(context, options.authentication),
    identityLease(context, { hostname, instanceId, peerAddress }),
    identityLeaseCollector(context),
    legacyTokenTracking(context),
    serviceRepair(context, options.allocation),
    systemPriorityClasses(context),
    flowControlObjects(context),
    flowSchemaStatus(context),
    {
      ...service,
      // The default ServiceCIDR comes first: the Service's cluster IP is in its range.
      start: async (signal) => {
        await startCIDR(signal);
        await service.start(signal);
      },
    },
    { ...cidr, start: startCIDR },
    localAPIServices(context, options.servedGroupVersions),
  ];
}
