export { nftablesProblem, PacketTable } from './packet-table.ts';
export type { TableContents } from './table-text.ts';
