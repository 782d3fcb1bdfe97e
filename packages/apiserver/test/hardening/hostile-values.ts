import type { Dice } from './dice.ts';

/** A secret that must never be in a log, or in a response to an unauthorized request. */
export const planted = 'planted-8f3a1c';

export const oddTexts: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '/',
  '//',
  '../..',
  '%',
  '%2F',
  '%00',
  '\0',
  '\n',
  '\r\nx: y',
  '\u{1f600}',
  '\u{202e}',
  '\ud800',
  'é',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'true',
  'NaN',
  '-1',
  '0',
  '1e400',
  '9223372036854775808',
  '0x10',
  ';',
  '*',
  '$patch',
  '~0~1',
  '{{',
  'A'.repeat(300),
  '-'.repeat(64),
  `a${'.a'.repeat(200)}`,
  '1.5Gi',
  '10.0.0.1',
  '::',
  '2020-01-01T00:00:00Z',
];

/** Returns a random JSON value, preferably one that programs often handle wrongly. */
export function oddValue(dice: Dice, depth = 3): unknown {
  switch (dice.below(depth > 0 ? 10 : 7)) {
    case 0:
      return null;
    case 1:
      return dice.chance(0.5);
    case 2:
      return dice.pick([0, -0, -1, 1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]);
    case 3:
    case 4:
    case 5:
      return dice.pick(oddTexts);
    case 6:
      return dice.pick<unknown>([[], {}]);
    case 7:
      return Array.from({ length: dice.below(4) }, () => oddValue(dice, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.below(4) }, () => [dice.pick(oddTexts), oddValue(dice, depth - 1)]),
      );
  }
}

type Place = { readonly parent: Record<string, unknown>; readonly key: string };

function places(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found;
  const parent = value as Record<string, unknown>;
  for (const key of Object.keys(parent)) {
    found.push({ parent, key });
    places(parent[key], found);
  }
  return found;
}

/** Returns a copy with a few random changes: replaces, removes, renames, repeats or moves values. */
export function mutated(value: unknown, dice: Dice): unknown {
  const copy: unknown = structuredClone(value);
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const all = places(copy);
    if (all.length === 0) return oddValue(dice);
    const { parent, key } = dice.pick(all);
    const put = (name: string, item: unknown): void => {
      Object.defineProperty(parent, name, { value: item, enumerable: true, writable: true, configurable: true });
    };
    switch (dice.below(6)) {
      case 0:
        delete parent[key];
        break;
      case 1:
        put(dice.pick(oddTexts), parent[key]);
        break;
      case 2: {
        const other = dice.pick(all);
        put(key, structuredClone(other.parent[other.key]));
        break;
      }
      case 3:
        if (Array.isArray(parent[key])) for (const item of [...parent[key]]) parent[key].push(structuredClone(item));
        else put(key, [parent[key]]);
        break;
      default:
        put(key, oddValue(dice, 2));
    }
  }
  return copy;
}
