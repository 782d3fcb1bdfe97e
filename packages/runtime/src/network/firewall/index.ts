export { acceptRuleChanges } from './accept-rules.ts';
export { type Firewalls, findFirewalls } from './found-chains.ts';
export { NodeFirewall } from './node-firewall.ts';
export { nftablesProblem, PacketTable, tableName } from './packet-table.ts';
export type { TableContents } from './table-text.ts';
