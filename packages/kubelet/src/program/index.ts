/**
 * `@coxswain/kubelet/program`: real nodes. `runKubelet` is the program (`cox kubelet`), `EmbeddedNode` a node in the process of its cluster, and
 * `LinuxNode` what both do on the machine.
 */
export { LinuxNode, type LinuxNodeOptions } from '../linux-node/linux-node.ts';
export { type KubeletCommandOptions, kubeletFlags } from '../options/kubelet-flags.ts';
export type { NodeConfiguration } from '../options/node-configuration.ts';
export { kubeletHelp, parseKubeletOptions } from '../options/parse-options.ts';
export { removeDirectory } from '../volumes/remove-directory.ts';
export { EmbeddedNode, type EmbeddedNodeOptions, removeEmbeddedNode } from './embedded-node.ts';
export { type NodeRuntime, runtimeAtSocket } from './node-runtime.ts';
export { type KubeletEnvironment, type KubeletMachine, runKubelet } from './run-kubelet.ts';
