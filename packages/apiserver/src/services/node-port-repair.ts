import type { Service } from '@coxswain/api/core/v1';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Lister } from '../registry/lister.ts';
import type { NodePortAllocator } from './node-port-allocator.ts';
import { heldPorts } from './node-ports.ts';

/** A port without a service is released after this many consecutive runs, because its service may not be stored yet. */
const roundsToRelease = 3;

interface NodePortRepairOptions {
  readonly services: Lister<Service>;
  readonly allocator: NodePortAllocator;
  /** Logs every inconsistency. */
  readonly logger: Logger;
}

/** An inconsistency. */
interface Finding {
  readonly message: string;
  readonly port: number;
  readonly service?: string;
}

/** Repairs inconsistencies between services and the stored record of node ports. Several servers may run it concurrently. */
export class NodePortRepair {
  readonly #options: NodePortRepairOptions;
  /** Allocated ports without a service, with the number of consecutive runs that found them. */
  #suspects = new Map<number, number>();

  constructor(options: NodePortRepairOptions) {
    this.#options = options;
  }

  /** Checks and repairs everything once. Rejects when the store cannot be written. */
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
