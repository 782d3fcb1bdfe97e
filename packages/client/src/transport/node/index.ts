export { NodeTransport, type NodeTransportOptions } from './node-transport.ts';
