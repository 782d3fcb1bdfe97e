export type { HugePages } from './huge-pages.ts';
export { type MachineFacts, type MachineRoots, machineFacts } from './machine-facts.ts';
export { type MemoryInfo, memoryInfo } from './memory-info.ts';
