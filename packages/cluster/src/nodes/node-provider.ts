import type { KubeletDialer, NodeSpec } from '@coxswain/kubelet';
import type { ComponentContext } from '../component.ts';

/** The name of a node, and its expected labels. */
export type NamedNode = Pick<NodeSpec, 'name' | 'labels'>;

/** Runs the nodes of one cluster. */
export interface NodeProvider {
  /** The nodes. The cluster is ready when all of these are. */
  readonly specs: readonly NamedNode[];
  /** The ranges of pod addresses. The controllers assign a part of them to each node. */
  readonly podRanges: readonly string[];
  /**
   * Returns the ranges of addresses where nothing listens, though nodes, pods and services have them. The API server refuses to connect
   * there, whatever network the machine is in. Empty for nodes with a network. `serviceRanges` are the ranges of service addresses.
   */
  hollowRanges(serviceRanges: readonly string[]): readonly string[];
  /** Returns a dialer to the node's kubelet that needs no socket; undefined for nodes that are reached at their address, or do not run. */
  dialer(name: string): KubeletDialer | undefined;
  /**
   * Runs the nodes until `context.signal` is aborted. Resolves when none of their work is in progress any more. Rejects when they cannot
   * run.
   */
  run(context: ComponentContext): Promise<void>;
  /** Returns whether the node's kubelet runs. */
  isAlive(name: string): boolean;
  /**
   * Resolves when all kubelets run. Rejects when the signal is aborted. Absent if they run as soon as `run` is called. Node objects of an
   * earlier run may say that a node is ready before its kubelet runs.
   */
  whenRunning?(signal: AbortSignal | undefined): Promise<void>;
  /** Removes a directory of a node, or of all nodes if `node` is undefined. Absent for nodes without a disk. */
  removeDirectory?(path: string, node: string | undefined): Promise<void>;
  /**
   * Ends a node at once, with everything that runs there, without notice to the API. Absent when a provider cannot do it. Rejects when
   * there is no such node.
   */
  kill?(name: string): Promise<void>;
  /** Starts a killed node again, with nothing running on it. Throws when there is no such node. */
  revive?(name: string): void;
}
