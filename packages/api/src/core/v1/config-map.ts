import {
  base64ByteLength,
  byteLength,
  type ErrorList,
  forbidden,
  invalid,
  isConfigMapKey,
  jsonEquals,
  Path,
  tooLong,
} from '@coxswain/apimachinery';
import type { ConfigMap } from '../../generated/core/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { invalidEach, sortedEntries } from './checks.ts';

/** The limit for the data of a ConfigMap or Secret, well below the size limit of etcd. */
export const maxDataSize = 1024 * 1024;

const immutable = 'field is immutable when `immutable` is set';

/** Validates an update of an object with `immutable` set: neither `immutable` nor these fields may change. */
export function validateImmutable<T extends { immutable?: boolean }>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): ErrorList {
  if (!old.immutable) return [];
  const errors = object.immutable ? [] : [forbidden(Path.of('immutable'), immutable)];
  for (const field of fields)
    if (!jsonEquals(object[field] ?? {}, old[field] ?? {})) errors.push(forbidden(Path.of(field), immutable));
  return errors;
}

function validateConfigMap({ data, binaryData }: ConfigMap): ErrorList {
  const errors: ErrorList = [];
  let size = 0;
  for (const [key, value] of sortedEntries(data)) {
    const path = Path.of('data').key(key);
    errors.push(...invalidEach(path, key, isConfigMapKey(key)));
    if (binaryData && Object.hasOwn(binaryData, key))
      errors.push(invalid(path, key, 'duplicate of key present in binaryData'));
    size += byteLength(value);
  }
  for (const [key, value] of sortedEntries(binaryData)) {
    errors.push(...invalidEach(Path.of('binaryData').key(key), key, isConfigMapKey(key)));
    size += base64ByteLength(value);
  }
  // Upstream's error is about the whole object, whose path it prints as an empty index.
  if (size > maxDataSize) errors.push(tooLong(Path.of('').key(''), maxDataSize));
  return errors;
}

export const configMapStrategy: Strategy<ConfigMap> = {
  revalidatesMetadata: true,
  validate: validateConfigMap,
  validateUpdate: (configMap, old) => [
    ...validateImmutable(configMap, old, ['data', 'binaryData']),
    ...validateConfigMap(configMap),
  ],
  table: {
    columns: columns('Name', 'Data', 'Age'),
    row: ({ metadata, data, binaryData }, context) => [
      metadata.name ?? '',
      Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
