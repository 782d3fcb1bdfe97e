import type { Node } from '@coxswain/api/core/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';
import type { Logger } from '@coxswain/client';
import { nodeAddresses } from '../node/node-addresses.ts';
import { nodeAllocatable, nodeCapacity, type ResourceList } from '../node/node-resources.ts';
import type { NodeChanges, NodeSpec } from '../node/node-spec.ts';
import type { NodeConfiguration } from '../options/node-configuration.ts';
import type { KubeletHostMachine } from './host.ts';

/** The address that a cloud controller manager is told. */
const providedNodeIP = 'alpha.kubernetes.io/provided-node-ip';

export interface NodeSpecOptions {
  readonly configuration: NodeConfiguration;
  readonly host: KubeletHostMachine;
  readonly logger: Logger;
}

/** Returns the capacity of the node by its machine. Rejects if the machine cannot be read. */
export async function capacityOf(
  { resources, directories }: NodeConfiguration,
  host: KubeletHostMachine,
): Promise<ResourceList> {
  const { cpus, memoryBytes, hugePages } = await host.facts();
  const storageBytes = resources.reportsStorage ? await host.storageBytes(directories.root) : undefined;
  return nodeCapacity({ cpus, memoryBytes, hugePages, storageBytes }, resources);
}

/** Returns what the kubelet says of its node. Addresses and resources are found out again before each report. */
export async function nodeSpecOf(options: NodeSpecOptions): Promise<NodeSpec> {
  const { configuration, host, logger } = options;
  const { nodeName, registration, status, server } = configuration;
  const changes = (known: Node | undefined): Promise<NodeChanges> => nodeChanges(options, known);
  const first = await nodeChanges({ configuration, host, logger }, undefined);
  return {
    name: nodeName,
    labels: registration.labels,
    keepLabels: true,
    taints: registration.taints,
    ...(registration.providerID !== undefined && { providerID: registration.providerID }),
    register: registration.isWanted,
    controllerAttachDetach: registration.controllerAttachDetach,
    port: server.port,
    reporting: status,
    addresses: [],
    ...first,
    changes,
  };
}

/** What cannot be found out is logged, and stays as it was. */
async function nodeChanges(
  { configuration, host, logger }: NodeSpecOptions,
  known: Node | undefined,
): Promise<NodeChanges> {
  const { nodeName, addresses, resources } = configuration;
  const { nodeIPs, externalCloudProvider } = addresses;
  const failed = (error: unknown): undefined => {
    logger.error('Failed to set some node status fields', error, { node: nodeName });
  };
  const [found, capacity] = await Promise.all([
    nodeAddresses({ nodeName, ...addresses }, host.network, known?.status?.addresses ?? []).catch(failed),
    capacityOf(configuration, host).catch(failed),
  ]);
  const isGiven = nodeIPs.length > 0 && !nodeIPs.some((address) => address === '0.0.0.0' || address === '::');
  return {
    ...(found && { addresses: found }),
    ...(capacity && {
      capacity: texts(capacity),
      allocatable: texts(nodeAllocatable(capacity, resources.reservations)),
    }),
    ...(externalCloudProvider && isGiven && { annotations: { [providedNodeIP]: nodeIPs.join() } }),
  };
}

const texts = (quantities: ResourceList): Record<string, string> =>
  Object.fromEntries(
    Object.entries(quantities).map(([name, quantity]: [string, Quantity]) => [name, String(quantity)]),
  );
