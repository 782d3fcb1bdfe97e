import type { Service } from '@coxswain/api/core/v1';
import type { Lister } from '../registry/lister.ts';
import type { NodePortAllocator } from './node-port-allocator.ts';
import { heldPorts } from './node-ports.ts';

/** How often in a row a port must be found without a service to be free again: one may be on its way. */
const roundsToRelease = 3;

interface NodePortRepairOptions {
  readonly services: Lister<Service>;
  readonly allocator: NodePortAllocator;
  /** Hears of everything that was not as it should be. */
  readonly report: (message: string) => void;
}

/** Brings services and the record of their node ports together again. Several servers may do it at once. */
export class NodePortRepair {
  readonly #options: NodePortRepairOptions;
  /** Ports without a service, and how often they were found so. Never more than the range has. */
  #suspects = new Map<number, number>();

  constructor(options: NodePortRepairOptions) {
    this.#options = options;
  }

  /** Looks at everything once. Rejects when the store cannot be written. */
  async runOnce(): Promise<void> {
    const { services, allocator, report } = this.#options;
    const { range } = allocator;
    await services.synced;
    const { suspects, messages } = await allocator.update((taken) => {
      const messages: string[] = [];
      const owners = new Map<number, string>();
      for (const service of services.list()) {
        const name = `${service.metadata.namespace}/${service.metadata.name}`;
        for (const port of new Set(heldPorts(service))) {
          const what = `the node port ${port} of service ${name}`;
          if (!range.contains(port)) messages.push(`${what} is not within the port range ${range}; please recreate`);
          else if (owners.has(port)) messages.push(`${what} was assigned to multiple services; please recreate`);
          else if (taken.set(port - range.base)) messages.push(`${what} is not allocated; repairing`);
          owners.set(port, name);
        }
      }
      const suspects = new Map<number, number>();
      for (const offset of taken) {
        const port = range.base + offset;
        if (owners.has(port)) continue;
        const rounds = (this.#suspects.get(port) ?? 0) + 1;
        if (rounds < roundsToRelease) suspects.set(port, rounds);
        else {
          taken.clear(offset);
          messages.push(`the node port ${port} appears to have leaked: cleaning up`);
        }
      }
      return { suspects, messages };
    });
    this.#suspects = suspects;
    for (const message of messages) report(message);
  }
}
