import { addressBytes } from './addresses.ts';
import { fqdn } from './domain-name.ts';
import type { ResourceRecord } from './message.ts';
import { classIn, Type } from './numbers.ts';
import { WireError } from './wire-error.ts';

export {
  addressBytes,
  addressOfReverse,
  canonicalAddress,
  isReverseName,
} from './addresses.ts';

const uint16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2);
  return bytes;
};

const uint32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
};

/** An A or AAAA record, by the kind of the address. Throws a WireError when the text is no address. */
export function addressRecord(name: string, ttl: number, address: string): ResourceRecord {
  const bytes = addressBytes(address);
  if (!bytes) throw new WireError(`${JSON.stringify(address)} is no IP address`);
  return { name, type: bytes.length === 4 ? Type.A : Type.AAAA, class: classIn, ttl, rdata: [bytes] };
}

/** A record whose data are a name: CNAME, NS, PTR. */
export const nameRecord = (name: string, type: number, ttl: number, target: string): ResourceRecord => ({
  name,
  type,
  class: classIn,
  ttl,
  rdata: [fqdn(target)],
});

export interface SrvFields {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

export const srvRecord = (
  name: string,
  ttl: number,
  { priority, weight, port, target }: SrvFields,
): ResourceRecord => ({
  name,
  type: Type.SRV,
  class: classIn,
  ttl,
  rdata: [uint16(priority, weight, port), fqdn(target)],
});

export const mxRecord = (name: string, ttl: number, preference: number, target: string): ResourceRecord => ({
  name,
  type: Type.MX,
  class: classIn,
  ttl,
  rdata: [uint16(preference), fqdn(target)],
});

/** A TXT record. Longer texts are split into strings of 255 bytes. */
export function txtRecord(name: string, ttl: number, texts: readonly string[]): ResourceRecord {
  const strings: Buffer[] = [];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    for (let at = 0; at === 0 || at < bytes.length; at += 255) {
      const part = bytes.subarray(at, at + 255);
      strings.push(Buffer.from([part.length]), part);
    }
  }
  return { name, type: Type.TXT, class: classIn, ttl, rdata: [Buffer.concat(strings)] };
}

export interface SoaFields {
  readonly primary: string;
  readonly mailbox: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  /** The TTL of negative answers. */
  readonly minimum: number;
}

export const soaRecord = (name: string, ttl: number, soa: SoaFields): ResourceRecord => ({
  name,
  type: Type.SOA,
  class: classIn,
  ttl,
  rdata: [fqdn(soa.primary), fqdn(soa.mailbox), uint32(soa.serial, soa.refresh, soa.retry, soa.expire, soa.minimum)],
});

/** Returns the name in a CNAME, NS or PTR record. */
export function targetOf({ rdata }: ResourceRecord): string | undefined {
  const [target] = rdata;
  return typeof target === 'string' ? target : undefined;
}
