import type { Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';

/** Returns a field of a pod as a file of a volume has it. Throws if the field cannot be in a volume. */
export function podField({ metadata }: Pod, fieldPath: string): string {
  const { name = '', namespace = '', uid = '' } = metadata;
  const labels = metadata.labels ?? {};
  const annotations = metadata.annotations ?? {};
  const entry = /^(.+?)\['(.*)'\]$/s.exec(fieldPath);
  if (entry) {
    const [, path, key = ''] = entry;
    if (path === 'metadata.labels') return ownValue(labels, key);
    if (path === 'metadata.annotations') return ownValue(annotations, key);
    throw new Error(`fieldPath "${fieldPath}" does not support subscript`);
  }
  switch (fieldPath) {
    case 'metadata.annotations':
      return formatMap(annotations);
    case 'metadata.labels':
      return formatMap(labels);
    case 'metadata.name':
      return name;
    case 'metadata.namespace':
      return namespace;
    case 'metadata.uid':
      return uid;
  }
  throw new Error(`unsupported fieldPath: ${fieldPath}`);
}

const ownValue = (values: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(values, key) ? (values[key] ?? '') : '';

/** One line for each entry, sorted by the keys. */
const formatMap = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .join('\n');
