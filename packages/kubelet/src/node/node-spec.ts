import type { Node, NodeAddress, Taint } from '@coxswain/api/core/v1';

/** The Kubernetes version that nodes say they are of. */
export const KUBELET_VERSION = 'v1.36.4';

/** What a node is. */
export interface NodeSpec {
  readonly name: string;
  /** Beside those that every node has. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** 4 CPUs, 16 GiB of memory, 100 GiB of storage and 110 pods by default. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** What pods may have of it; all by default. */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** Where it is to be reached. The first InternalIP is the address of the host. */
  readonly addresses?: readonly NodeAddress[];
  /** Where its kubelet listens; none for one that does not. */
  readonly port?: number;
  readonly providerID?: string;
  readonly operatingSystem?: string;
  readonly architecture?: string;
  /** Whether the kubelet creates the node; true by default. Otherwise it reports about it once somebody else has created it. */
  readonly register?: boolean;
  /**
   * Whether labels of a node that was known before stay as people have changed them, except those of its name, place, type and platform.
   * False by default: all are set again.
   */
  readonly keepLabels?: boolean;
  /** Whether volumes are attached by the attach/detach controller; true by default. */
  readonly controllerAttachDetach?: boolean;
  readonly reporting?: Partial<NodeReporting>;
  /** Finds out, before each report, what may have changed on the machine. Must not reject. */
  readonly changes?: (known: Node | undefined) => Promise<NodeChanges>;
}

/** How often and how much a kubelet reports. */
export interface NodeReporting {
  /** How often the status is computed, and written if it has changed. */
  readonly updateEveryMs: number;
  /** How often it is written even if it has not. */
  readonly reportEveryMs: number;
  /** How many images the status lists; -1 for all. */
  readonly maxImages: number;
  readonly leaseDurationSeconds: number;
}

export const defaultNodeReporting: NodeReporting = {
  updateEveryMs: 10_000,
  reportEveryMs: 300_000,
  maxImages: 50,
  leaseDurationSeconds: 40,
};

/** What may change while a kubelet runs. */
export type NodeChanges = Partial<Pick<NodeSpec, 'addresses' | 'capacity' | 'allocatable' | 'annotations'>>;

const defaultCapacity: Readonly<Record<string, string>> = {
  cpu: '4',
  'ephemeral-storage': '100Gi',
  memory: '16Gi',
  pods: '110',
};

/** With everything that there is a default for. */
export interface CompleteNodeSpec extends NodeSpec {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly addresses: readonly NodeAddress[];
  readonly operatingSystem: string;
  readonly architecture: string;
}

export function completeNodeSpec(spec: NodeSpec): CompleteNodeSpec {
  const capacity = { ...defaultCapacity, ...spec.capacity };
  return {
    ...spec,
    capacity,
    allocatable: { ...capacity, ...spec.allocatable },
    addresses: spec.addresses ?? [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: spec.name },
    ],
    operatingSystem: spec.operatingSystem ?? 'linux',
    architecture: spec.architecture ?? goArchitecture(process.arch),
  };
}

/** Go's names for what Node has its own for. */
function goArchitecture(arch: string): string {
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
  return names[arch] ?? arch;
}
