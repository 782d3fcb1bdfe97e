import type { Pod } from '@coxswain/api/core/v1';

/**
 * The names of all Secrets that the pod may read. Whatever in a pod's spec refers to a Secret does so in one of a few
 * forms, wherever it is: a name too many does no harm here.
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
