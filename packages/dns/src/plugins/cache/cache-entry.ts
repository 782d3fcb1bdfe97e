import type { Query, Reply } from '../../chain/index.ts';
import { fqdn, Rcode, type ResourceRecord, targetOf, Type } from '../../wire/index.ts';

/** An answer that is kept. Its records have the TTL of the entry. */
export interface CacheEntry {
  readonly reply: Reply;
  readonly storedMs: number;
  readonly ttl: number;
  readonly kind: 'success' | 'denial';
  /** For prefetching: hits within the window, and the last one. */
  hits: number;
  lastHitMs: number;
  isRefreshing: boolean;
  /** After a failed refresh: when to try again. */
  retryAfterMs: number;
}

/** How an answer is cached. */
export type ReplyKind = 'success' | 'denial' | 'failure' | 'never';

/** Classifies an answer like CoreDNS does (RFC 2308). Negative answers without SOA have no TTL, so they are not kept. */
export function kindOf({ question }: Query, reply: Reply): ReplyKind {
  const { rcode, answers, authorities, flags } = reply;
  if ((flags & truncated) !== 0 || reply.isDropped) return 'never';
  const hasSoa = authorities.some(({ type }) => type === Type.SOA);
  if (rcode === Rcode.SERVFAIL || rcode === Rcode.NOTIMP) return answers.length === 0 && !hasSoa ? 'failure' : 'never';
  if (rcode === Rcode.NXDOMAIN) return answers.length === 0 && hasSoa ? 'denial' : 'never';
  if (rcode !== Rcode.NOERROR) return 'never';
  if (answers.length === 0) return hasSoa ? 'denial' : 'success';
  if (answersQuestion(question.name, question.type, answers)) return 'success';
  // CNAME records to a name that has no records of this type.
  return hasSoa ? 'denial' : 'never';
}

const truncated = 0x0200;

function answersQuestion(name: string, type: number, answers: readonly ResourceRecord[]): boolean {
  let owner = fqdn(name.toLowerCase());
  const seen = new Set<string>();
  while (!seen.has(owner)) {
    seen.add(owner);
    const own = answers.filter((record) => record.name.toLowerCase() === owner);
    if (own.some((record) => record.type === type || type === Type.ANY)) return true;
    const alias = own.find((record) => record.type === Type.CNAME);
    if (!alias) return false;
    owner = targetOf(alias)?.toLowerCase() ?? '';
  }
  return false;
}

/** Returns the lowest TTL of an answer, at most `max`. */
export function lowestTtl({ answers, authorities, additionals }: Reply, max: number): number {
  const records = [...answers, ...authorities, ...additionals];
  if (records.length === 0) return shortTtl;
  return records.reduce((lowest, { ttl }) => Math.min(lowest, ttl), max);
}

/** For answers without any TTL. */
const shortTtl = 5;

/** Returns the answer with the same TTL in all records. */
export function withTtl(reply: Reply, ttl: number): Reply {
  const set = (records: readonly ResourceRecord[]): readonly ResourceRecord[] =>
    records.map((record) => (record.ttl === ttl ? record : { ...record, ttl }));
  return {
    ...reply,
    answers: set(reply.answers),
    authorities: set(reply.authorities),
    additionals: set(reply.additionals),
  };
}
