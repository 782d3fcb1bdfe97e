/** Addresses and node ports of services: who gets which, and how that survives restarts and crashes. */
export { AddressRange } from './address-range.ts';
export { PortRange } from './port-range.ts';
export {
  newServiceAllocation,
  type ServiceAllocation,
} from './service-allocation.ts';
