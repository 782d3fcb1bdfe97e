import type { Pod } from '@coxswain/api/core/v1';
import type { NamespaceMode, NamespaceOption } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';

/** Returns which Linux namespaces the pod's containers share, and with whom: the node, the pod, or nobody. */
export function namespaceOptions({ spec }: Pod): Init<NamespaceOption> & { readonly network: NamespaceMode } {
  const { hostPID, hostIPC, hostNetwork, shareProcessNamespace } = spec ?? {};
  return {
    network: hostNetwork ? 'NODE' : 'POD',
    ipc: hostIPC ? 'NODE' : 'POD',
    pid: hostPID ? 'NODE' : shareProcessNamespace ? 'POD' : 'CONTAINER',
  };
}
