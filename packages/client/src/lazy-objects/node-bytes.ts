/** Methods of Node's Buffer that need no subarray. Without them, comparing bytes would cost more than copying them. */
export interface NodeBytes extends Uint8Array {
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array, otherFrom: number, otherTo: number, from: number, to: number): number;
  indexOf(bytes: number | Uint8Array, from?: number): number;
  toString(encoding?: 'utf8', from?: number, to?: number): string;
}

export const isNodeBytes = (bytes: Uint8Array): bytes is NodeBytes => 'compare' in bytes;
