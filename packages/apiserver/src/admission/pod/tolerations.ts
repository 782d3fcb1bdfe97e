import type { Toleration } from '@coxswain/api/core/v1';
import { ObjectReader } from '../../configuration/object-reader.ts';

/** Among so many, each is compared with each; no pod has good reason for more. */
const maxCompared = 500;

/**
 * Copies of both lists, without what another of them tolerates as well: what they come from belongs to others.
 *
 * Differs from upstream: of very many, all are kept, for comparing them would keep others waiting.
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

/** Whether everything that is tolerated is allowed. */
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

/** Whether one tolerates everything that the other does. */
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

/** A toleration as an annotation or a file has it. Throws an Error for a field that is not of its type. */
export function tolerationFrom(raw: Readonly<Record<string, unknown>>): Toleration {
  const reader = new ObjectReader(raw, '');
  const toleration = {
    key: reader.string('key'),
    operator: reader.string('operator'),
    value: reader.string('value'),
    effect: reader.string('effect'),
    tolerationSeconds: reader.integer('tolerationSeconds'),
  };
  // Whoever reads them checks them, or hands them to pods, whose validation does.
  return Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== undefined)) as Toleration;
}
