import type { GoRegexp } from '@coxswain/apimachinery/go-regexp';
import { isDomainName, type ResourceRecord, Type } from '../../wire/index.ts';

/** Changes a record of an answer. */
export type ResponseRule = (record: ResourceRecord) => ResourceRecord;

export type RewriteText = (text: string) => string;

/** The types whose data have a name that is rewritten: the first one in SOA records, the only one in others. */
const rewritable: ReadonlySet<number> = new Set<number>([
  Type.SRV,
  Type.MX,
  Type.CNAME,
  Type.NS,
  39,
  Type.SOA,
  Type.PTR,
]);

/** Rewrites the names of records. A result that is no name is not used. */
export const renames =
  (rewrite: RewriteText): ResponseRule =>
  (record) => {
    const name = rewrite(record.name);
    return name !== record.name && isDomainName(name) ? { ...record, name } : record;
  };

/** Rewrites the name in the data of records. */
export const retargets =
  (rewrite: RewriteText): ResponseRule =>
  (record) => {
    if (!rewritable.has(record.type)) return record;
    const index = record.rdata.findIndex((part) => typeof part === 'string');
    const old = record.rdata[index];
    if (typeof old !== 'string') return record;
    const target = rewrite(old);
    if (target === old || !isDomainName(target)) return record;
    return { ...record, rdata: record.rdata.with(index, target) };
  };

export const clampsTtl =
  (min: number, max: number): ResponseRule =>
  (record) => ({ ...record, ttl: Math.min(Math.max(record.ttl, min), max) });

/** Replaces `{1}` and others in the replacement by the groups of a match. A text that does not match stays. */
export const byPattern =
  (pattern: GoRegexp, replacement: string): RewriteText =>
  (text) => {
    const groups = pattern.findSubmatches(text);
    return groups
      ? filledIn(
          replacement,
          groups.map((group) => (group ? text.slice(group.start, group.end) : '')),
        )
      : text;
  };

export const filledIn = (replacement: string, groups: readonly string[]): string =>
  groups.reduce((text, group, index) => text.replaceAll(`{${index}}`, group), replacement);

/** Replaces a name, also at the end of a longer one. */
export const byName =
  (from: string, to: string): RewriteText =>
  (text) => {
    const lower = text.toLowerCase();
    if (lower === from) return to;
    return lower.endsWith(`.${from}`) ? `${text.slice(0, text.length - from.length)}${to}` : text;
  };

export const bySuffix =
  (from: string, to: string): RewriteText =>
  (text) =>
    text.endsWith(from) ? `${text.slice(0, text.length - from.length)}${to}` : text;
