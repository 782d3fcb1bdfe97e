/**
 * What Node's buffers can do and other bytes cannot, and quickly: without making parts of themselves first. To compare other bytes takes
 * longer than to copy them.
 */
export interface NodeBytes extends Uint8Array {
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array, otherFrom: number, otherTo: number, from: number, to: number): number;
  indexOf(bytes: number | Uint8Array, from?: number): number;
  toString(encoding?: 'utf8', from?: number, to?: number): string;
}

export const isNodeBytes = (bytes: Uint8Array): bytes is NodeBytes => 'compare' in bytes;
