import type { Pod } from '@coxswain/api/core/v1';

/**
 * Returns the names of all Secrets that the pod may read. References to Secrets have a few well-known forms, which are searched
 * in the whole spec. A name too many does no harm.
 */
export function podSecretNames({ spec }: Pod): Set<string> {
  const names = new Set<string>();
  collect(spec, names);
  return names;
}

function collect(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, names);
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'secretName') add(inner, names);
    else if (key === 'imagePullSecrets' && Array.isArray(inner)) for (const it of inner) add(nameIn(it), names);
    else if (key === 'secret' || /secret(Key)?Ref$/i.test(key)) add(nameIn(inner), names);
    collect(inner, names);
  }
}

function add(name: unknown, names: Set<string>): void {
  if (typeof name === 'string' && name !== '') names.add(name);
}

const nameIn = (value: unknown): unknown => (isRecord(value) ? value.name : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
