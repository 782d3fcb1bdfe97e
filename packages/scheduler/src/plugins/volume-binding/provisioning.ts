import type { Node, PersistentVolumeClaim, TopologySelectorTerm } from '@coxswain/api/core/v1';
import type { CSIStorageCapacity } from '@coxswain/api/storage/v1';
import { labelSelectorAsSelector, type Selector } from '@coxswain/apimachinery/labels';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { SharedInformerFactory } from '@coxswain/client';
import { claimClass } from '../../volumes/claims.ts';
import { requestOf } from './matching-volumes.ts';

/** Returns whether a volume that the node can use can be provisioned for a claim. */
export type Provisioning = (node: Node) => 'Possible' | 'Impossible' | 'NotEnoughSpace';

const noProvisioner = 'kubernetes.io/no-provisioner';
const impossible: Provisioning = () => 'Impossible';

/** Reads the claim's class, once for all nodes. Throws an Error when the class does not exist. */
export function provisioningOf(claim: PersistentVolumeClaim, { storage: { v1 } }: SharedInformerFactory): Provisioning {
  const className = claimClass(claim);
  const { namespace, name } = claim.metadata;
  if (!className) throw new Error(`no class for claim "${namespace}/${name}"`);
  const storageClass = v1.storageClasses.informer.indexer.getByKey(className);
  if (!storageClass) throw new Error(`failed to find storage class "${className}"`);
  const { provisioner } = storageClass;
  const allowedTopologies = storageClass.allowedTopologies ?? [];
  if (!provisioner || provisioner === noProvisioner) return impossible;
  const isTracked = v1.csiDrivers.informer.indexer.getByKey(provisioner)?.spec.storageCapacity ?? false;
  const hasSpace =
    isTracked && claim.spec?.resources?.requests?.storage !== undefined
      ? spaceTest(v1.csiStorageCapacities.informer.indexer.values(), className, requestOf(claim))
      : () => true;
  return (node) => {
    if (!matchesTopology(allowedTopologies, node)) return 'Impossible';
    return hasSpace(node) ? 'Possible' : 'NotEnoughSpace';
  };
}

/** Returns a predicate: whether a CSIStorageCapacity for the node has room for a volume of that size. */
function spaceTest(
  capacities: Iterable<CSIStorageCapacity>,
  className: string,
  size: Quantity,
): (node: Node) => boolean {
  const pools: Selector[] = [];
  for (const capacity of capacities) {
    const limit = volumeLimit(capacity);
    if (capacity.storageClassName !== className || !limit || limit.cmp(size) < 0 || !capacity.nodeTopology) continue;
    pools.push(labelSelectorAsSelector(capacity.nodeTopology));
  }
  return ({ metadata }) => pools.some((pool) => pool.matches(metadata.labels));
}

/** The maximum size of a new volume; undefined when unknown. */
export function volumeLimit({ maximumVolumeSize, capacity }: CSIStorageCapacity): Quantity | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : Quantity.parse(limit);
}

/** An empty list matches every node, an empty term none. */
function matchesTopology(terms: readonly TopologySelectorTerm[], { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  if (terms.length === 0) return true;
  return terms.some(
    ({ matchLabelExpressions }) =>
      !!matchLabelExpressions?.length &&
      matchLabelExpressions.every(({ key, values }) => labels[key] !== undefined && values.includes(labels[key])),
  );
}
