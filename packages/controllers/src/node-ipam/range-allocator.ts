import type { Node } from '@coxswain/api/core/v1';
import { isServerTimeout, messageOf } from '@coxswain/apimachinery/errors';
import { deletedObject, type EventRecorder, type SharedIndexInformer, waitForCacheSync } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { recordNodeStatusChange } from '../framework/nodes/node-events.ts';
import { OwnWrites } from '../framework/writes/own-writes.ts';
import { CidrSet } from './cidr-set.ts';
import { formatNetwork, type Network, overlap, parseNetwork } from './network.ts';

export interface NodeIpamOptions {
  /** One range, or one for each IP family. Every node gets a part of each. */
  readonly clusterCIDRs?: readonly string[];
  /** Ranges that are excluded from allocation where they overlap the cluster CIDRs. */
  readonly serviceCIDRs?: readonly string[];
  /** Default: 24. */
  readonly nodeCIDRMaskSizeIPv4?: number;
  /** Default: 64. */
  readonly nodeCIDRMaskSizeIPv6?: number;
}

const workers = 30;
const patchTries = 3;

/** Throws when the options are invalid. */
export function newRangeAllocator(context: ControllerContext, options: NodeIpamOptions): Controller {
  if (!options.clusterCIDRs) return { run: async () => {} };
  return new RangeAllocator(context, newCidrSets(options));
}

function newCidrSets(options: NodeIpamOptions): CidrSet[] {
  const { clusterCIDRs = [], serviceCIDRs = [], nodeCIDRMaskSizeIPv4 = 24, nodeCIDRMaskSizeIPv6 = 64 } = options;
  const clusters = clusterCIDRs.map(networkOf);
  if (clusters.length === 0) throw new Error('Controller: Must specify --cluster-cidr if --allocate-node-cidrs is set');
  if (clusters.length > 2 || (clusters.length === 2 && clusters[0]?.bits === clusters[1]?.bits)) {
    throw new Error('expected at most two cluster CIDRs, one of each family');
  }
  const sets = clusters.map((cluster) => {
    return new CidrSet(cluster, cluster.bits === 32 ? nodeCIDRMaskSizeIPv4 : nodeCIDRMaskSizeIPv6);
  });
  for (const services of serviceCIDRs.map(networkOf)) {
    for (const set of sets) if (overlap(set.cluster, services)) set.occupy(services);
  }
  return sets;
}

class RangeAllocator implements Controller {
  readonly #context: ControllerContext;
  readonly #sets: readonly CidrSet[];
  readonly #recorder: EventRecorder;
  readonly #nodes: SharedIndexInformer<Node>;
  readonly #loop: ReconcileLoop;
  readonly #ownWrites = new OwnWrites();

  constructor(context: ControllerContext, sets: readonly CidrSet[]) {
    this.#context = context;
    this.#sets = sets;
    this.#recorder = context.recorder('cidrAllocator');
    this.#nodes = context.informers.core.v1.nodes.informer;
    this.#loop = new ReconcileLoop(context, {
      name: 'cidrallocator_node',
      workers,
      synced: [this.#nodes],
      reconcile: (name) => this.#reconcile(name),
    });
    this.#nodes.addEventHandler({
      onAdd: (node) => this.#loop.add(node),
      onUpdate: (_, node) => this.#loop.add(node),
      onDelete: (deleted) => this.#forget(deletedObject(deleted)),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await waitForCacheSync(signal, this.#nodes);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    // The ranges of existing nodes are marked as taken before anything is allocated.
    for (const node of this.#nodes.indexer.list()) this.#occupy(node);
    await this.#loop.run(signal);
  }

  async #reconcile(name: string): Promise<void> {
    const node = this.#nodes.indexer.getByKey(name);
    if (!node || node.metadata.deletionTimestamp) return;
    if (node.spec?.podCIDRs?.length) return this.#occupy(node);
    // A range was assigned but the cache does not show it yet. The update event will cause another reconcile.
    if (!this.#ownWrites.areSeen(name)) return;
    await this.#assign(node, this.#allocate(node));
  }

  #allocate(node: Node): Network[] {
    const networks: Network[] = [];
    try {
      for (const set of this.#sets) networks.push(set.allocateNext());
      return networks;
    } catch (error) {
      // Differs from upstream: the range of the first family is not lost.
      this.#release(networks);
      recordNodeStatusChange(this.#recorder, node, 'CIDRNotAvailable');
      const message = messageOf(error);
      throw new Error(`failed to allocate cidr from cluster cidr at idx:${networks.length}: ${message}`, {
        cause: error,
      });
    }
  }

  async #assign(node: Node, networks: readonly Network[]): Promise<void> {
    const { name = '' } = node.metadata;
    const podCIDRs = networks.map(formatNetwork);
    const patch = { spec: { podCIDR: podCIDRs[0] ?? '', podCIDRs } };
    for (let left = patchTries; ; left--) {
      try {
        const patched = await this.#context.clients.core.v1.nodes().patch(name, 'strategic-merge', patch);
        this.#ownWrites.wrote(name, this.#nodes, patched.metadata.resourceVersion);
        return;
      } catch (error) {
        if (left > 1) continue;
        recordNodeStatusChange(this.#recorder, node, 'CIDRAssignmentFailed');
        // After a timeout the patch may have been applied, so the ranges stay allocated.
        if (!isServerTimeout(error)) this.#release(networks);
        throw error;
      }
    }
  }

  #occupy(node: Node): void {
    this.#podNetworks(node).forEach((network, i) => {
      try {
        this.#sets[i]?.occupy(network);
      } catch (error) {
        const message = messageOf(error);
        throw new Error(
          `failed to mark cidr[${formatNetwork(network)}] at idx [${i}] as occupied for node: ${node.metadata.name}: ${message}`,
          { cause: error },
        );
      }
    });
  }

  #forget(node: Node): void {
    this.#ownWrites.forget(node.metadata.name ?? '');
    try {
      this.#release(this.#podNetworks(node));
    } catch (error) {
      this.#context.logger.error('Failed to release CIDRs of node', error, { node });
    }
  }

  #release(networks: readonly Network[]): void {
    networks.forEach((network, i) => {
      this.#sets[i]?.release(network);
    });
  }

  /** Throws when the node has more CIDRs than there are cluster CIDRs, or an invalid one. */
  #podNetworks({ metadata: { name }, spec }: Node): Network[] {
    return (spec?.podCIDRs ?? []).map((cidr, i) => {
      const network = parseNetwork(cidr);
      if (!network) throw new Error(`failed to parse node ${name}, CIDR ${spec?.podCIDR}`);
      if (i < this.#sets.length) return network;
      throw new Error(
        `node:${name} has an allocated cidr: ${cidr} at index:${i} that does not exist in cluster cidrs configuration`,
      );
    });
  }
}

function networkOf(cidr: string): Network {
  const network = parseNetwork(cidr);
  if (!network) throw new Error(`invalid CIDR address: ${cidr}`);
  return network;
}
