export { AddressPool } from './address-pool.ts';
export { type AddressFamily, AddressRange, addressRanges, familyOf } from './address-range.ts';
