/** Sockets, and what happens with a packet before and after the plug-ins. */
export { QueryServer } from './query-server.ts';
export { TcpListener } from './tcp-listener.ts';
export { UdpListener } from './udp-listener.ts';
export { type ServedZone, ZoneTable } from './zone-table.ts';
