/**
 * For tests and benches of the kubelet as a program, ours or upstream's: `ScratchNode` is a node on this machine whose files are in a directory
 * of its own, and what the kubelet changes elsewhere is taken back at the end.
 */
export { ScratchNode, type ScratchNodeOptions } from './scratch-node.ts';
