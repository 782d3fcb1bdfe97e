/** `@coxswain/kubelet`: the node agent. */
export {};
