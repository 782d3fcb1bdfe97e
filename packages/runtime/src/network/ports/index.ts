export { type HostPort, hostPortKey, hostPortsOf } from './host-port.ts';
