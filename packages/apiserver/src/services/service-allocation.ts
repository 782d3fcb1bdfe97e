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
  /** Before all keys: `/registry`. */
  readonly storePrefix: string;
  readonly nodePortRange: PortRange;
  readonly now: () => Date;
  /** From 0 up to but not including 1. */
  readonly random?: () => number;
  /** Hears of what was not as it should be, and of what failed in the background. */
  readonly logger: Logger;
}

/** Everything about the addresses and ports of services, put together. */
export interface ServiceAllocation {
  /** For the resource `services`. */
  readonly hooks: ServiceHooks;
  /** Looks once whether services and what is recorded for them agree. At the start, and every few minutes. */
  repair(): Promise<void>;
  /** From now on, addresses whose record somebody deletes are recorded again at once. Gives the way to stop. */
  watchDeletions(): () => void;
  /** Waits for what is under way. After the last request, before the store is closed. */
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
