import { hostname } from 'node:os';
import { ClientSet } from '@coxswain/client';
import { inProcessDialer, type KubeletDialer } from '@coxswain/kubelet';
import type { EmbeddedNode, NodeRuntime } from '@coxswain/kubelet/program';
import type { ComponentContext } from '../component.ts';
import { kubeletOf } from '../identities.ts';
import type { NamedNode, NodeProvider } from './node-provider.ts';

export interface RealNodeOptions {
  /** Its container runtime. A string is a socket, such as `unix:///run/containerd/containerd.sock`. */
  readonly runtime: NodeRuntime | string;
  /** The addresses of all pods of the cluster. Clusters with real nodes on the same machine need different ones. */
  readonly podRange?: string;
  /** The resolver configuration that pods inherit; /etc/resolv.conf by default. */
  readonly resolvConf?: string;
  /** The node's own directory, for pods, volumes and logs. */
  readonly directory: string;
  /** Distinguishes this cluster's pods from those of other clusters in the same runtime. Letters, digits and dashes. */
  readonly owner: string;
  /** The name of the machine by default. */
  readonly name?: string;
}

/** The addresses of pods that kubeadm and others use, too. */
export const defaultPodRange = '10.244.0.0/16';

/** This machine as a node, with real containers. Needs Linux and root. */
export class RealNodeProvider implements NodeProvider {
  readonly specs: readonly NamedNode[];
  readonly podRanges: readonly string[];
  readonly #options: RealNodeOptions;
  #node: EmbeddedNode | undefined;
  #dialer: KubeletDialer | undefined;
  /** Called when the kubelet runs. */
  readonly #onRunning = new Set<() => void>();

  constructor(options: RealNodeOptions) {
    this.#options = options;
    this.podRanges = [options.podRange ?? defaultPodRange];
    this.specs = [{ name: options.name ?? hostname().toLowerCase() }];
  }

  get name(): string {
    return this.specs[0]!.name;
  }

  /** Everything of a real node can be reached. */
  hollowRanges(): readonly string[] {
    return [];
  }

  isAlive(name: string): boolean {
    return name === this.name && this.#node !== undefined;
  }

  dialer(name: string): KubeletDialer | undefined {
    return name === this.name ? this.#dialer : undefined;
  }

  async run({ clientAs, clock, random, logger, signal }: ComponentContext): Promise<void> {
    // Imported here, because most clusters have no real node.
    const { EmbeddedNode, runtimeAtSocket } = await import('@coxswain/kubelet/program');
    const { runtime } = this.#options;
    const clients = new ClientSet(clientAs(kubeletOf(this.name)));
    const node = await EmbeddedNode.start(
      {
        ...this.#options,
        runtime: typeof runtime === 'string' ? runtimeAtSocket(runtime) : runtime,
        ...{ nodeName: this.name, clients, clock, random, logger },
      },
      signal,
    );
    this.#node = node;
    this.#dialer = inProcessDialer(node.kubelet.handler);
    for (const notify of this.#onRunning) notify();
    try {
      await node.run(signal);
    } finally {
      this.#node = undefined;
      this.#dialer = undefined;
    }
  }

  async whenRunning(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#node) return;
    let running = (): void => {};
    let aborted = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        running = resolve;
        aborted = () => reject(signal?.reason);
        this.#onRunning.add(running);
        signal?.addEventListener('abort', aborted, { once: true });
      });
    } finally {
      this.#onRunning.delete(running);
      signal?.removeEventListener('abort', aborted);
    }
  }

  async removeDirectory(path: string, node: string | undefined): Promise<void> {
    if (node !== undefined && node !== this.name) return;
    const { removeDirectory } = await import('@coxswain/kubelet/program');
    await removeDirectory(path);
  }
}

/** Removes all pods of a real node whose cluster does not run, with their volumes. For a cluster that is deleted. */
export async function removeRealNode(options: Pick<RealNodeOptions, 'runtime' | 'owner' | 'directory'>): Promise<void> {
  const { removeEmbeddedNode, runtimeAtSocket } = await import('@coxswain/kubelet/program');
  const { runtime } = options;
  await removeEmbeddedNode({ ...options, runtime: typeof runtime === 'string' ? runtimeAtSocket(runtime) : runtime });
}
