import type { RdataPart } from './message.ts';
import { type Cursor, readName } from './name-codec.ts';
import { Type } from './numbers.ts';
import { WireError } from './wire-error.ts';

/** The parts of a type's data: a number of bytes, or a name. What follows the last part is bytes. */
type Layout = readonly (number | 'name')[];

/**
 * The types whose data contain names that may be compressed in a received message. The data of all other types are passed on as they are: RFC 3597 forbids
 * compression in them.
 */
const layouts: ReadonlyMap<number, Layout> = new Map<number, Layout>([
  [Type.NS, ['name']],
  [3, ['name']],
  [4, ['name']],
  [Type.CNAME, ['name']],
  [Type.SOA, ['name', 'name']],
  [7, ['name']],
  [8, ['name']],
  [9, ['name']],
  [Type.PTR, ['name']],
  [14, ['name', 'name']],
  [Type.MX, [2, 'name']],
  [17, ['name', 'name']],
  [18, [2, 'name']],
  [26, [2, 'name', 'name']],
  [Type.SRV, [6, 'name']],
  [36, [2, 'name']],
  [39, ['name']],
]);

/** The types of RFC 1035, in which names may be compressed when a message is written. */
const compressible: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15]);

export const mayCompress = (type: number): boolean => compressible.has(type);

/** Reads the data of a record. Throws a WireError when the names do not end where the data end. */
export function readRdata(bytes: Buffer, type: number, start: number, end: number): RdataPart[] {
  const layout = layouts.get(type);
  // An empty rdata is allowed for every type: dynamic updates have them.
  if (!layout || start === end) return start === end ? [] : [Buffer.from(bytes.subarray(start, end))];
  const cursor: Cursor = { offset: start };
  const parts: RdataPart[] = [];
  for (const part of layout) {
    if (part === 'name') parts.push(readName(bytes, cursor));
    else {
      parts.push(Buffer.from(bytes.subarray(cursor.offset, cursor.offset + part)));
      cursor.offset += part;
    }
    if (cursor.offset > end) throw new WireError('the data of a record are cut off');
  }
  if (cursor.offset < end) parts.push(Buffer.from(bytes.subarray(cursor.offset, end)));
  return parts;
}
