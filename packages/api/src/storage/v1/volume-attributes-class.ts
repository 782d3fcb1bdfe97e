import {
  type ErrorList,
  forbidden,
  jsonEquals,
  nameIsDnsSubdomain,
  Path,
  required,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import type { VolumeAttributesClass } from '../../generated/storage/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateParameters } from './parameters.ts';
import { validateProvisioner } from './storage-class.ts';

const parametersPath = Path.of('parameters');

function validate({ driverName, parameters }: VolumeAttributesClass): ErrorList {
  const isEmpty = Object.keys(parameters ?? {}).length === 0;
  return [
    ...validateProvisioner(driverName, Path.of('driverName')),
    ...validateParameters(parameters, parametersPath),
    ...(isEmpty ? [required(parametersPath, 'must contain at least one key/value pair')] : []),
  ];
}

export const volumeAttributesClassStrategy: Strategy<VolumeAttributesClass> = {
  validate,
  validateUpdate: (attributes, old) => [
    ...(['driverName', 'parameters'] as const)
      .filter((name) => !jsonEquals(attributes[name], old[name]))
      .map((name) => forbidden(Path.of(name), `updates to ${name} are forbidden.`)),
    ...validateObjectMeta(attributes.metadata, false, nameIsDnsSubdomain, Path.of('metadata')),
    ...validate(attributes),
  ],
  table: {
    columns: columns('Name', 'DriverName', 'Age'),
    row: ({ metadata, driverName }, context) => [
      metadata.name ?? '',
      driverName,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
