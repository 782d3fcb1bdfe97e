import type { KubeletDialer, NodeSpec } from '@coxswain/kubelet';
import type { ComponentContext } from '../component.ts';

/** The name of a node, and the labels that it is to have. */
export type NamedNode = Pick<NodeSpec, 'name' | 'labels'>;

/** The nodes of one cluster, as far as the cluster runs them. */
export interface NodeProvider {
  /** The cluster is ready when all of these are. */
  readonly specs: readonly NamedNode[];
  /** Pods have addresses of these ranges, of which the controllers give each node a part. */
  readonly podRanges: readonly string[];
  /**
   * Ranges of addresses at which nobody listens, though nodes, pods and services have them: the API server refuses to connect there,
   * whatever network the machine is in. Empty for nodes with a network. `serviceRanges` are those of the services.
   */
  hollowRanges(serviceRanges: readonly string[]): readonly string[];
  /** The way to the kubelet of a node without a socket; undefined for nodes that are reached at their address, or do not run. */
  dialer(name: string): KubeletDialer | undefined;
  /** Runs the nodes until `context.signal` is aborted; resolves when nothing is under way any more. Rejects when it cannot. */
  run(context: ComponentContext): Promise<void>;
  /** Whether its kubelet runs. */
  isAlive(name: string): boolean;
  /** Ends a node at once, with all that runs there, and tells nobody; where a provider can. Rejects when there is no such node. */
  kill?(name: string): Promise<void>;
  /** Brings a node back, with nothing running on it. Throws when there is no such node. */
  revive?(name: string): void;
}
