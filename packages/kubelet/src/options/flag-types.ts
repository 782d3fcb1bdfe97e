import type { Taint } from '@coxswain/api/core/v1';
import { parseIPSloppy, quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { canonicalDuration } from '@coxswain/apimachinery/time';
import { isQualifiedName, isValidLabelValue } from '@coxswain/apimachinery/validation';
import { duration as anyDuration, type FlagType, readBoolean } from '@coxswain/component-base';
import { isTaintEffect } from '../configuration/index.ts';

const integerOf = (name: string, limit: bigint): FlagType<number> => ({
  name,
  read(text) {
    const refuse = (why: string): Error => new Error(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
    if (!/^[-+]?\d+$/.test(text)) throw refuse('invalid syntax');
    const value = BigInt(text);
    if (value < -limit || value >= limit) throw refuse('value out of range');
    return Number(value);
  },
});

export const int32 = integerOf('int32', 2n ** 31n);
export const int64 = integerOf('int', 2n ** 53n);

/** A duration in canonical form. */
export const duration: FlagType<string> = { ...anyDuration, read: (text) => canonicalDuration(text) };

/** An IP address. */
export const address: FlagType<string> = {
  name: 'ip',
  read(text) {
    if (text !== '' && !parseIPSloppy(text)) throw new Error(`${quote(text)} is not a valid IP address`);
    return text;
  },
};

type StringMap = Readonly<Record<string, string>>;

const mapOf = <T>(
  name: string,
  separator: string,
  form: string,
  readValue: (text: string, key: string) => T,
): FlagType<Readonly<Record<string, T>>> => ({
  name,
  read(text, before = {}) {
    const pairs = text.split(',').filter((pair) => pair !== '');
    const entries = pairs.map((pair): [string, T] => {
      const at = pair.indexOf(separator);
      if (at === -1) throw new Error(`malformed pair, expect ${form}`);
      const key = pair.slice(0, at).trim();
      return [key, readValue(pair.slice(at + 1).trim(), key)];
    });
    return { ...before, ...Object.fromEntries(entries) };
  },
});

/** `a=1,b=2`. Repeated flags append. */
export const pairs: FlagType<StringMap> = mapOf('mapStringString', '=', 'string=string', (text) => text);

/** `memory.available<1Gi,nodefs.available<10%`. Repeated flags append. */
export const thresholds: FlagType<StringMap> = mapOf('mapStringString', '<', 'string<string', (text) => text);

/** `A=true,B=false`. Repeated flags append. */
export const switches: FlagType<Readonly<Record<string, boolean>>> = mapOf(
  'mapStringBool',
  '=',
  'string=bool',
  (text, key) => {
    try {
      return readBoolean(text);
    } catch (cause) {
      throw new Error(`invalid value of ${key}: ${text}, err: ${messageOf(cause)}`, { cause });
    }
  },
);

/** One `a=1` for each flag: commas are part of the value. */
export const pair: FlagType<StringMap> = {
  name: 'mapStringString',
  read(text, before = {}) {
    const at = text.indexOf('=');
    if (at === -1) throw new Error('malformed pair, expect string=string');
    return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
  },
};

/** HTTP headers: `a:hello,b:again`. Repeated flags and names append. */
export const headers: FlagType<Readonly<Record<string, readonly string[]>>> = {
  name: 'colonSeparatedMultimapStringString',
  read(text, before = {}) {
    const all = new Map(Object.entries(before));
    for (const pair of text.split(',').filter((each) => each !== '')) {
      const at = pair.indexOf(':');
      if (at === -1) throw new Error('malformed pair, expect string:string');
      const name = pair.slice(0, at).trim();
      all.set(name, [...(all.get(name) ?? []), pair.slice(at + 1).trim()]);
    }
    return Object.fromEntries(all);
  },
};

/** `key=value:effect,key:effect`. The last flag wins. */
export const taints: FlagType<readonly Taint[]> = {
  name: '[]v1.Taint',
  read(text) {
    if (text === '') return [];
    const all: Taint[] = [];
    for (const spec of text.split(',')) {
      // As in `kubectl taint`, whose parser upstream uses, a dash at the end removes a taint. Here there is none.
      if (spec.endsWith('-')) {
        parsedTaint(spec.slice(0, -1));
        continue;
      }
      const { key, value, effect } = parsedTaint(spec);
      if (effect === undefined) throw new Error(`invalid taint spec: ${spec}`);
      if (all.some((taint) => taint.key === key && taint.effect === effect))
        throw new Error(`duplicated taints with the same key and effect: {${key} ${value} ${effect} <nil>}`);
      all.push({ key, ...(value !== '' && { value }), effect });
    }
    return all;
  },
};

interface ParsedTaint {
  readonly key: string;
  readonly value: string;
  /** Undefined if there is only a key. */
  readonly effect: Taint['effect'] | undefined;
}

function parsedTaint(spec: string): ParsedTaint {
  const [pair = '', effect, ...more] = spec.split(':');
  if (more.length > 0) throw new Error(`invalid taint spec: ${spec}`);
  if (effect === undefined) return { key: checkedKey(pair, spec), value: '', effect };
  if (!isTaintEffect(effect)) throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
  const [key = '', value = '', ...rest] = pair.split('=');
  if (rest.length > 0) throw new Error(`invalid taint spec: ${spec}`);
  const problems = isValidLabelValue(value);
  if (problems.length > 0) throw new Error(`invalid taint spec: ${spec}, ${problems.join('; ')}`);
  return { key: checkedKey(key, spec), value, effect };
}

function checkedKey(key: string, spec: string): string {
  const problems = isQualifiedName(key);
  if (problems.length > 0) throw new Error(`invalid taint spec: ${spec}, ${problems.join('; ')}`);
  return key;
}
