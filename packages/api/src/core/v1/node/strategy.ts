import { getWarningsForCIDR, Path } from '@coxswain/apimachinery';
import type { Node } from '../../../generated/core/v1.ts';
import type { Strategy, StrategyContext } from '../../../strategy/strategy.ts';
import { roundUpToMilli } from '../resources/resource-list.ts';
import { nodeTable } from './table.ts';
import { validateNode, validateNodeUpdate } from './validation.ts';

/** podCIDR is the first of podCIDRs, and of the two it is the one that counts; a node can use all that it has. */
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

/** Fields of features that are off, unless the node had them already. */
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
  // Upstream asks of an update all that it asks of a new node, and much of it twice.
  validateUpdate: (node, old, context) => [...validateNode(node, context), ...validateNodeUpdate(node, old)],
  warningsOnCreate: warningsForNode,
  warningsOnUpdate: warningsForNode,
  subresources: {
    status: {
      owns: ['status'],
      // A kubelet creates its node complete.
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
