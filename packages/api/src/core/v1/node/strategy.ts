import { getWarningsForCIDR, Path } from '@coxswain/apimachinery';
import type { Node } from '../../../generated/core/v1.ts';
import type { Strategy, StrategyContext } from '../../../strategy/strategy.ts';
import { roundUpToMilli } from '../resources/resource-list.ts';
import { nodeTable } from './table.ts';
import { validateNode, validateNodeUpdate } from './validation.ts';

/**
 * Sets the defaults of a node. podCIDR and the first of podCIDRs are kept equal; podCIDR wins. Allocatable defaults to
 * capacity.
 */
export function setNodeDefaults({ spec, status }: Node): void {
  if (spec) {
    const { podCIDR, podCIDRs = [] } = spec;
    if (podCIDR && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
    else if (podCIDRs.length > 0) spec.podCIDR = podCIDRs[0];
  }
  if (!status) return;
  roundUpToMilli(status.capacity);
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  roundUpToMilli(status.allocatable);
}

/** Drops fields of disabled or removed features, unless the old node has them. */
function dropDisabledFields(node: Node, old: Node | undefined, { features }: StrategyContext): void {
  if (node.spec && !old?.spec?.configSource) node.spec.configSource = undefined;
  const status = { ...node.status };
  if (!old) status.config = undefined;
  if (!features.enabled('NodeDeclaredFeatures') && !old?.status?.declaredFeatures) status.declaredFeatures = undefined;
  node.status = status;
}

function warningsForNode({ spec }: Node): string[] {
  return [
    ...(spec?.configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...(spec?.podCIDRs ?? []).flatMap((cidr, i) => getWarningsForCIDR(Path.of('spec', 'podCIDRs').index(i), cidr)),
  ];
}

export const nodeStrategy: Strategy<Node> = {
  revalidatesMetadata: true,
  prepareForCreate: (node, context) => dropDisabledFields(node, undefined, context),
  prepareForUpdate: dropDisabledFields,
  validate: validateNode,
  // Upstream applies all rules of create to an update, and repeats many of them.
  validateUpdate: (node, old, context) => [...validateNode(node, context), ...validateNodeUpdate(node, old)],
  warningsOnCreate: warningsForNode,
  warningsOnUpdate: warningsForNode,
  subresources: {
    status: {
      owns: ['status'],
      // A kubelet creates its node with status.
      clearedOnCreate: false,
      prepareForUpdate(node, old) {
        if (!old.status?.config) node.status = { ...node.status, config: undefined };
      },
      validateUpdate: validateNodeUpdate,
    },
  },
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
  table: nodeTable,
};
