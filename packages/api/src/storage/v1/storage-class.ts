import {
  duplicate,
  type ErrorList,
  isQualifiedName,
  ownEntry,
  Path,
  repeated,
  required,
  validateImmutableField,
  validateLabelName,
} from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';
import { nodeLabelDeprecation } from '../../core/v1/node-label-warnings.ts';
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../../generated/core/v1.ts';
import type { StorageClass } from '../../generated/storage/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import { revalidated } from '../../strategy/revalidated.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateParameters } from './parameters.ts';

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];
const topologiesPath = Path.of('allowedTopologies');
const immutableFields = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

/** The fields with defaults, which are the same in all versions. */
interface Defaulted {
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export function setStorageClassDefaults(storageClass: Defaulted): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}

/** Validates the name of a driver, in any case. */
export function validateProvisioner(provisioner: string, path: Path): ErrorList {
  if (!provisioner) return [required(path)];
  const name = provisioner.toLowerCase();
  return invalidEach(path, name, isQualifiedName(name));
}

function validate(storageClass: StorageClass): ErrorList {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  const modePath = Path.of('volumeBindingMode');
  return [
    ...validateProvisioner(provisioner, Path.of('provisioner')),
    ...validateParameters(parameters, Path.of('parameters')),
    ...(reclaimPolicy ? unlessSupported(Path.of('reclaimPolicy'), reclaimPolicy, reclaimPolicies) : []),
    ...(volumeBindingMode === undefined
      ? [required(modePath)]
      : unlessSupported(modePath, volumeBindingMode, bindingModes)),
    ...validateTopologies(allowedTopologies),
  ];
}

/** The limit for errors: thousands of equal terms would cause millions. */
const maxErrors = 10_000;

/** Returns a string that is equal for equivalent terms: the sorted values of each key. */
function identityOf({ matchLabelExpressions = [] }: TopologySelectorTerm): string {
  const values = new Map(matchLabelExpressions.map(({ key, values = [] }) => [key, [...new Set(values)].sort()]));
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validateTopologies(terms: readonly TopologySelectorTerm[]): ErrorList {
  const errors: ErrorList = [];
  // Upstream compares each term with a list that starts with one empty term per term, so an empty term is a duplicate of each.
  const seen = new Map([[identityOf({}), terms.length]]);
  terms.forEach((term, i) => {
    const path = topologiesPath.index(i).child('matchLabelExpressions');
    errors.push(...validateExpressions(term.matchLabelExpressions ?? [], path));
    const identity = identityOf(term);
    const before = seen.get(identity) ?? 0;
    for (let like = 0; like < before && errors.length < maxErrors; like++) errors.push(duplicate(path, ''));
    seen.set(identity, before + 1);
  });
  return errors;
}

function validateExpressions(expressions: readonly TopologySelectorLabelRequirement[], path: Path): ErrorList {
  const isRepeated = repeated(expressions, ({ key }) => key);
  return expressions.flatMap((expression, i) => {
    const { key } = expression;
    // An absent list of a field that is always printed is null in memory.
    const values = expression.values ?? [];
    const at = path.index(i);
    const errors = values.length === 0 ? [required(at.child('values'))] : [];
    const isRepeatedValue = repeated(values);
    values.forEach((value, j) => {
      if (isRepeatedValue[j]) errors.push(duplicate(at.child('values').index(j), value));
    });
    errors.push(...validateLabelName(key, at.child('key')));
    if (isRepeated[i]) errors.push(duplicate(at.child('key'), key));
    return errors;
  });
}

function warningsFor({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const message = nodeLabelDeprecation(key);
      return message
        ? [`${topologiesPath.index(i).child('matchLabelExpressions').index(j).child('key')}: ${message}`]
        : [];
    }),
  );
}

export const storageClassStrategy: Strategy<StorageClass> = {
  ...revalidated<StorageClass>({
    validate,
    validateChange: (storageClass, old) =>
      immutableFields.flatMap((name) => validateImmutableField(storageClass[name], old[name], Path.of(name))),
  }),
  warningsOnCreate: warningsFor,
  warningsOnUpdate: warningsFor,
  table: {
    columns: columns('Name', 'Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion', 'Age'),
    row: ({ metadata, provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion }, context) => [
      `${metadata.name}${defaultAnnotations.some((key) => ownEntry(metadata.annotations, key) === 'true') ? ' (default)' : ''}`,
      provisioner,
      reclaimPolicy ?? 'Delete',
      volumeBindingMode ?? 'Immediate',
      allowVolumeExpansion ?? false,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
