import type { Pod } from '@coxswain/api/core/v1';
import type { NamespaceMode, NamespaceOption } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';

/** Returns for each Linux namespace whether the pod's containers share it with the node, with the pod, or not at all. */
export function namespaceOptions({ spec }: Pod): Init<NamespaceOption> & { readonly network: NamespaceMode } {
  const { hostPID, hostIPC, hostNetwork, shareProcessNamespace } = spec ?? {};
  return {
    network: hostNetwork ? 'NODE' : 'POD',
    ipc: hostIPC ? 'NODE' : 'POD',
    pid: hostPID ? 'NODE' : shareProcessNamespace ? 'POD' : 'CONTAINER',
  };
}
