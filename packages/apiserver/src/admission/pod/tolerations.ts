import type { Toleration } from '@coxswain/api/core/v1';
import { ObjectReader } from '../../configuration/object-reader.ts';

/** Larger lists are not reduced, as each toleration is compared with each other one. */
const maxCompared = 500;

/**
 * Merges two lists, without tolerations that another one includes. Returns copies, as the lists belong to other
 * objects.
 *
 * Differs from upstream: very long lists are not reduced, since the comparison would block the event loop.
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second].map((own) => ({ ...own }));
  if (all.length > maxCompared) return all;
  const merged: Toleration[] = [];
  for (const [i, own] of all.entries()) {
    const redundant =
      merged.some((other) => isSuperset(other, own)) ||
      all.slice(i + 1).some((other) => !isSame(own, other) && isSuperset(other, own));
    if (!redundant) merged.push(own);
  }
  return merged;
}

/** Whether each toleration is included in one of the allowed ones. */
export function areAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  if (allowed.length === 0) return true;
  const byKey = new Map<string, Toleration[]>([['', []]]);
  for (const own of allowed) {
    const list = byKey.get(own.key ?? '');
    if (list) list.push(own);
    else byKey.set(own.key ?? '', [own]);
  }
  return tolerations.every((own) =>
    [own.key ?? '', ''].some((key) => byKey.get(key)?.some((other) => isSuperset(other, own))),
  );
}

const isSame = (a: Toleration, b: Toleration): boolean =>
  (a.key ?? '') === (b.key ?? '') &&
  (a.operator ?? '') === (b.operator ?? '') &&
  (a.value ?? '') === (b.value ?? '') &&
  (a.effect ?? '') === (b.effect ?? '') &&
  a.tolerationSeconds === b.tolerationSeconds;

/** Whether `wide` includes `narrow`. */
function isSuperset(wide: Toleration, narrow: Toleration): boolean {
  if ((narrow.key ?? '') !== (wide.key ?? '') && (wide.key || wide.operator !== 'Exists')) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (isSame(wide, narrow)) return true;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  switch (wide.operator || 'Equal') {
    case 'Equal':
      return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
    case 'Exists':
      return true;
    default:
      return false;
  }
}

/** Reads a toleration from an annotation or file. Throws an Error when a field has a wrong type. */
export function tolerationFrom(raw: Readonly<Record<string, unknown>>): Toleration {
  const reader = new ObjectReader(raw, '');
  const toleration = {
    key: reader.string('key'),
    operator: reader.string('operator'),
    value: reader.string('value'),
    effect: reader.string('effect'),
    tolerationSeconds: reader.integer('tolerationSeconds'),
  };
  // The caller validates it, or the validation of pods does.
  return Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== undefined)) as Toleration;
}
