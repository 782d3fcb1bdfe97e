export { findFirewalls } from './found-chains.ts';
export { NodeFirewall } from './node-firewall.ts';
export { nftablesProblem, PacketTable, tableName } from './packet-table.ts';
