import type { Service } from '@coxswain/api/core/v1';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Lister } from '../registry/lister.ts';
import type { NodePortAllocator } from './node-port-allocator.ts';
import { heldPorts } from './node-ports.ts';

/** How often in a row a port must be found without a service to be free again: one may be on its way. */
const roundsToRelease = 3;

interface NodePortRepairOptions {
  readonly services: Lister<Service>;
  readonly allocator: NodePortAllocator;
  /** Hears of everything that was not as it should be. */
  readonly logger: Logger;
}

/** Something that was not as it should be. */
interface Finding {
  readonly message: string;
  readonly port: number;
  readonly service?: string;
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
    const { services, allocator, logger } = this.#options;
    const { range } = allocator;
    await services.synced;
    const { suspects, findings } = await allocator.update((taken) => {
      const findings: Finding[] = [];
      const owners = new Map<number, string>();
      for (const service of services.list()) {
        const name = `${service.metadata.namespace}/${service.metadata.name}`;
        for (const port of new Set(heldPorts(service))) {
          const find = (message: string): void => void findings.push({ message, port, service: name });
          if (!range.contains(port)) find('Node port is not within the port range; please recreate service');
          else if (owners.has(port)) find('Node port was assigned to multiple services; please recreate service');
          else if (taken.set(port - range.base)) find('Node port is not allocated; repairing');
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
          findings.push({ message: 'Node port appears to have leaked: cleaning up', port });
        }
      }
      return { suspects, findings };
    });
    this.#suspects = suspects;
    for (const { message, ...fields } of findings) logger.error(message, undefined, fields);
  }
}
