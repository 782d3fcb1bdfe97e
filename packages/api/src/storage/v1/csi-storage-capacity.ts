import {
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  nameIsDnsSubdomain,
  Path,
  Quantity,
  semanticEqual,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import { invalidEach, sortedEntries } from '../../core/v1/checks.ts';
import { nodeLabelDeprecation } from '../../core/v1/node-label-warnings.ts';
import { validateNonnegativeQuantity } from '../../core/v1/pod/index.ts';
import type { CSIStorageCapacity } from '../../generated/storage/v1.ts';
import { revalidated } from '../../strategy/revalidated.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { defaultTable } from '../../strategy/table.ts';

const topologyPath = Path.of('nodeTopology');
const classPath = Path.of('storageClassName');

function validate(
  { nodeTopology, storageClassName, capacity }: CSIStorageCapacity,
  old?: CSIStorageCapacity,
): ErrorList {
  const allowInvalidLabelValueInSelector = validateLabelSelector(old?.nodeTopology, {}, topologyPath).length > 0;
  return [
    ...validateLabelSelector(nodeTopology, { allowInvalidLabelValueInSelector }, topologyPath),
    ...invalidEach(classPath, storageClassName, nameIsDnsSubdomain(storageClassName, false)),
    ...(capacity === undefined ? [] : validateNonnegativeQuantity(Quantity.parse(capacity), Path.of('capacity'))),
  ];
}

function warningsFor({ nodeTopology }: CSIStorageCapacity): string[] {
  const about = (label: string, text: (message: string) => string): string[] => {
    const message = nodeLabelDeprecation(label);
    return message ? [text(message)] : [];
  };
  return [
    ...(nodeTopology?.matchExpressions ?? []).flatMap(({ key }, i) =>
      about(key, (message) => `${topologyPath.child('matchExpressions').index(i).child('key')}: ${key} is ${message}`),
    ),
    ...sortedEntries(nodeTopology?.matchLabels).flatMap(([key]) =>
      about(key, (message) => `${topologyPath.child('matchLabels', key)}: ${message}`),
    ),
  ];
}

export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  ...revalidated<CSIStorageCapacity>({
    validate,
    validateChange: (capacity, old) => [
      ...(semanticEqual(capacity.nodeTopology, old.nodeTopology)
        ? []
        : [invalid(topologyPath, capacity.nodeTopology, fieldImmutableErrorMessage)]),
      ...(capacity.storageClassName === old.storageClassName
        ? []
        : [invalid(classPath, capacity.storageClassName, fieldImmutableErrorMessage)]),
    ],
  }),
  allowUnconditionalUpdate: false,
  warningsOnCreate: warningsFor,
  warningsOnUpdate: warningsFor,
  table: defaultTable,
};
