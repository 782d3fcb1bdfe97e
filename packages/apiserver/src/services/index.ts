/** Allocation of cluster IPs and node ports to services, persistent across restarts and crashes. */
export { AddressRange } from './address-range.ts';
export { PortRange } from './port-range.ts';
export {
  newServiceAllocation,
  type ServiceAllocation,
} from './service-allocation.ts';
