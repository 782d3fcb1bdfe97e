import type { Query, Reply } from '../../chain/index.ts';
import {
  addressBytes,
  addressRecord,
  fqdn,
  isInZone,
  nameRecord,
  type ResourceRecord,
  srvRecord,
  Type,
} from '../../wire/index.ts';
import type { Backend } from './backend.ts';

/** CNAME records that are followed inside of the cluster. */
const maxChain = 10;

/** A or AAAA records of the addresses, each once. */
export function addressRecords(
  name: string,
  type: number,
  backends: readonly Backend[],
  ttl: number,
): ResourceRecord[] {
  const length = type === Type.A ? 4 : 16;
  const seen = new Set<string>();
  const records: ResourceRecord[] = [];
  for (const { host, isAddress } of backends) {
    if (!isAddress || seen.has(host) || addressBytes(host)?.length !== length) continue;
    seen.add(host);
    records.push(addressRecord(name, ttl, host));
  }
  return records;
}

/** SRV records, and the addresses of their targets. Each backend has the same weight. */
export function srvRecords(
  name: string,
  backends: readonly Backend[],
  ttl: number,
): { readonly answers: ResourceRecord[]; readonly additionals: ResourceRecord[] } {
  const answers: ResourceRecord[] = [];
  const additionals: ResourceRecord[] = [];
  const seen = new Set<string>();
  const weight = Math.max(1, Math.floor(100 / backends.length));
  for (const { host, isAddress, port, target } of backends) {
    if (!isAddress || port === -1) continue;
    if (!seen.has(`${target} ${port}`)) answers.push(srvRecord(name, ttl, { priority: 0, weight, port, target }));
    if (!seen.has(`${target} ${host}`)) additionals.push(addressRecord(target, ttl, host));
    seen.add(`${target} ${port}`).add(`${target} ${host}`);
  }
  return { answers, additionals };
}

/** The rest of the answer of an ExternalName Service: the CNAME record, and what its target has. */
export interface ExternalAnswer {
  readonly records: readonly ResourceRecord[];
  readonly isTruncated: boolean;
}

/**
 * Follows an ExternalName. A target in the zone is looked up with `find`; without records there, the whole answer is empty. Other targets are looked up like the
 * client's own queries.
 */
export async function externalRecords(
  query: Query,
  { name, zone, ttl, find }: { name: string; zone: string; ttl: number; find: (name: string) => readonly Backend[] },
  backend: Backend,
  depth = 0,
): Promise<ExternalAnswer> {
  const target = fqdn(backend.host.toLowerCase());
  const { type } = query.question;
  const alias = nameRecord(name, Type.CNAME, ttl, target);
  if (target === name.toLowerCase() || depth > maxChain) return { records: [], isTruncated: false };
  if (!isInZone(target, zone)) return outside(await query.lookup(target, type), alias);
  const behind = find(target);
  const [first] = behind;
  const next =
    first && !first.isAddress
      ? await externalRecords(query, { name: target, zone, ttl, find }, first, depth + 1)
      : { records: addressRecords(target, type, behind, ttl), isTruncated: false };
  return { ...next, records: next.records.length > 0 ? [alias, ...next.records] : [] };
}

const outside = ({ answers }: Reply, alias: ResourceRecord): ExternalAnswer => ({
  records: [alias, ...answers],
  isTruncated: false,
});
