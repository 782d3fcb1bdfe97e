import type { Service } from '@coxswain/api/core/v1';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Store } from '@coxswain/storage';
import type { InternalClient, Listers } from '../registry/lister.ts';
import { ClusterIPAllocator } from './cluster-ip-allocator.ts';
import { ClusterIPRepair } from './cluster-ip-repair.ts';
import { NodePortAllocator } from './node-port-allocator.ts';
import { NodePortRepair } from './node-port-repair.ts';
import type { PortRange } from './port-range.ts';
import { ServiceHooks } from './service-hooks.ts';

export interface ServiceAllocationOptions {
  readonly client: InternalClient;
  readonly listers: Listers;
  readonly store: Store;
  /** The prefix of all keys, such as `/registry`. */
  readonly storePrefix: string;
  readonly nodePortRange: PortRange;
  readonly now: () => Date;
  /** Returns a number from 0 up to but not including 1. */
  readonly random?: () => number;
  /** Logs inconsistencies and errors of background work. */
  readonly logger: Logger;
}

/** The allocation of cluster IPs and node ports. */
export interface ServiceAllocation {
  /** The hooks of the resource `services`. */
  readonly hooks: ServiceHooks;
  /** Repairs inconsistencies between services and their recorded allocations, once. For the start and every few minutes. */
  repair(): Promise<void>;
  /** Recreates deleted IPAddresses of existing services at once. Returns a function that stops this. */
  watchDeletions(): () => void;
  /** Waits for background work. Must be called after the last request and before the store is closed. */
  close(): Promise<void>;
}

export function newServiceAllocation(options: ServiceAllocationOptions): ServiceAllocation {
  const { client, listers, store, storePrefix, nodePortRange, now, random, logger } = options;
  const services = listers.lister<Service>('', 'services');
  const clusterIPs = new ClusterIPAllocator({ client, listers, random, logger });
  const key = `${storePrefix}/ranges/servicenodeports`;
  const nodePorts = new NodePortAllocator({ store, key, range: nodePortRange, services, random });
  const hooks = new ServiceHooks({ client, clusterIPs, nodePorts, logger });
  const clusterIPRepair = new ClusterIPRepair({ client, listers, allocator: clusterIPs, now, logger });
  const nodePortRepair = new NodePortRepair({ services, allocator: nodePorts, logger });
  return {
    hooks,
    repair: async () => {
      await Promise.all([clusterIPRepair.runOnce(), nodePortRepair.runOnce()]);
    },
    watchDeletions: () => clusterIPRepair.watchDeletions(),
    close: async () => {
      await hooks.close();
      await Promise.all([clusterIPs.close(), nodePorts.close()]);
    },
  };
}
