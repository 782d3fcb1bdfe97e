/**
 * `@coxswain/kubelet`: the node agent of Kubernetes, which runs the pods that are bound to its node.
 *
 * `Kubelet` works with two interfaces: `ContainerRuntime` (`@coxswain/cri`) runs containers, and `Machine` is everything else on the machine,
 * such as volumes and cgroups. Everything above them, from the order of init containers to the messages of events, is the same for all nodes.
 * Real nodes are in `@coxswain/kubelet/program`, which is large: they connect to a container runtime such as containerd and have a `LinuxNode`.
 * `HollowNodes` is a fleet of nodes for tests and simulations, with a runtime and a machine that run nothing.
 *
 * Not here: scheduling, Service addresses, cluster DNS, and the container runtime itself. A kubelet stores its state in the API server, in the
 * container runtime and in its own directory, and is a client of the API server like others (`@coxswain/client`).
 *
 * Where to start: `kubelet.ts`, then `pod-workers/pod-worker.ts`, `containers/pod-syncer.ts` and `machine/machine.ts`.
 */
export { HollowNodes, type HollowNodesOptions } from './fleet/hollow-nodes.ts';
export { FATE_PREFIX } from './hollow/fate.ts';
export { HollowMachine, type HollowMachineOptions } from './hollow/hollow-machine.ts';
export { HollowRuntime, type HollowRuntimeOptions } from './hollow/hollow-runtime.ts';
export type { Hook, HookRunner } from './hooks/hook-runner.ts';
export { Kubelet, type KubeletOptions } from './kubelet.ts';
export type { ContainerLogs, LoggedContainer, LogOptions } from './logs/container-logs.ts';
export type * from './machine/machine.ts';
export { InformerNodeSource, type NodeSource } from './node/node-source.ts';
export { KUBELET_VERSION, type NodeSpec } from './node/node-spec.ts';
export { InformerPodSource } from './pods/informer-pod-source.ts';
export type { PodHandler, PodSource } from './pods/pod-source.ts';
export type { ProbeKind, ProbeRequest, ProbeResult, Prober } from './probes/prober.ts';
export type * from './runtime/container-setup.ts';
export type * from './runtime/pod-setup.ts';
export type { RuntimeSettings } from './runtime/runtime-settings.ts';
export { inProcessDialer, type KubeletDialer } from './server/in-process-dialer.ts';
export { kubeletHandler } from './server/kubelet-handler.ts';
export type { KubeletHost } from './server/kubelet-host.ts';
