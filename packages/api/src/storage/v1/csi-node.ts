import {
  duplicate,
  type ErrorList,
  invalid,
  isLongerThan,
  isQualifiedName,
  Path,
  repeated,
  required,
  validateImmutableField,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import { invalidEach } from '../../core/v1/checks.ts';
import { validateCSIDriverName } from '../../core/v1/volume/volume-sources.ts';
import type { CSINode, CSINodeDriver } from '../../generated/storage/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const driversPath = Path.of('spec', 'drivers');
const maxNodeIDLength = 256;
const internalForm = internalFormOf(`
CSINodeDriver Name:s NodeID:s TopologyKeys:[]s Allocatable:*VolumeNodeResources
VolumeNodeResources Count:*i
`);

/** Returns the drivers. The list can be absent in memory although its type says otherwise. */
const driversOf = ({ spec }: CSINode): readonly CSINodeDriver[] => spec.drivers ?? [];

function validate(node: CSINode): ErrorList {
  const drivers = driversOf(node);
  const isRepeated = repeated(drivers, ({ name }) => name);
  return drivers.flatMap((driver, i) => {
    const path = driversPath.index(i);
    return [
      ...validateCSIDriverName(driver.name, path.child('name')),
      ...validateNodeID(driver.nodeID, path.child('nodeID')),
      ...validateNonnegativeField(driver.allocatable?.count, path.child('allocatable', 'count')),
      ...(isRepeated[i] ? [duplicate(path.child('name'), driver.name)] : []),
      ...validateTopologyKeys(driver.topologyKeys ?? [], path),
    ];
  });
}

function validateNodeID(nodeID: string, path: Path): ErrorList {
  if (!nodeID) return [required(path)];
  const isTooLong = isLongerThan(nodeID, maxNodeIDLength);
  return isTooLong ? [invalid(path, nodeID, `must be ${maxNodeIDLength} characters or less`)] : [];
}

/** Validates topology keys. Error paths lack the index of the key. */
function validateTopologyKeys(keys: readonly string[], path: Path): ErrorList {
  const isRepeated = repeated(keys);
  return keys.flatMap((key, i) => [
    ...(key ? [] : [required(path)]),
    ...(isRepeated[i] ? [duplicate(path, key)] : []),
    ...invalidEach(path, key, isQualifiedName(key)),
  ]);
}

/** Validates an update: drivers are immutable, except for `allocatable` while that feature is on. */
function validateUpdate(node: CSINode, old: CSINode, { features }: StrategyContext): ErrorList {
  const ignoresAllocatable = features.enabled('MutableCSINodeAllocatableCount');
  const printable = ({ allocatable, ...driver }: CSINodeDriver) =>
    internalForm('CSINodeDriver', { ...driver, ...(!ignoresAllocatable && { allocatable }) });
  const changes = driversOf(old).flatMap((before) =>
    driversOf(node)
      .filter(({ name }) => name === before.name)
      .flatMap((after) => validateImmutableField(printable(after), printable(before), driversPath)),
  );
  return [...validate(node), ...changes];
}

export const csiNodeStrategy: Strategy<CSINode> = {
  allowUnconditionalUpdate: false,
  revalidatesMetadata: true,
  validatesMetadataUpdate: true,
  validate,
  validateUpdate,
  table: {
    columns: columns('Name', 'Drivers:integer', 'Age'),
    row: (node, context) => [
      node.metadata.name ?? '',
      driversOf(node).length,
      translateTimestampSince(node.metadata.creationTimestamp, context),
    ],
  },
};
