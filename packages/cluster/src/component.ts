import type { Random } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ServerAuthority } from '@coxswain/apiserver';
import type { ClientSet, Clock, Logger, RESTClient, WaitOptions } from '@coxswain/client';
import type { ClusterServer } from './components/cluster-server.ts';
import type { Identity } from './identities.ts';
import type { NodeProvider } from './nodes/node-provider.ts';

/**
 * A part of a cluster that runs in the cluster's process: the API server, the scheduler, a kube-proxy. The value has no state: each
 * `start` makes a new instance, as a new process would be.
 *
 * One rule for failures: without its API server there is no cluster, so `Cluster.start` rejects with that error and leaves nothing
 * running. Any other component that fails, at its start or later, fails alone: the error is logged, `status` and `whenReady` tell it, the
 * other components go on, and nobody starts it again but who calls `startComponent`.
 */
export interface Component {
  /** Unique within the cluster: `scheduler`. It is started and stopped by that name. */
  readonly name: string;
  /** How its requests and its log name it, and so the manager of the fields that it sets: `kube-scheduler`. By default its name. */
  readonly userAgent?: string;
  /**
   * Names of the components that are to have started before it, besides the API server; they stop after it. It does not wait for
   * those that the cluster lacks, or that were stopped or have failed.
   */
  readonly after?: readonly string[];
  /** Resolves when those that are `after` it may start. Throws, or rejects with, what stands in its way; nothing of it is left running then. */
  start(context: ComponentContext): RunningComponent | Promise<RunningComponent>;
}

/** A component that has started. */
export interface RunningComponent {
  /** Resolves when nothing of it is under way any more, after its signal was aborted or its work is done. Rejects when it fails. */
  readonly ended: Promise<void>;
  /** Whether it has done all that there is to do at this moment of the clock, as far as it has heard of it. Absent: it cannot tell. */
  readonly isIdle?: boolean;
  /** Resolves when its work shows in the API, where `clients` look as an administrator. Absent: it is ready when it has started. */
  ready?(clients: ClientSet, options: WaitOptions): Promise<void>;
  /** Throws, or rejects with, what is wrong with it. Absent: it is well as long as it runs. */
  check?(): void | Promise<void>;
}

/** The first component of each cluster. */
export interface ApiServerComponent extends Component {
  start(context: ComponentContext): Promise<RunningComponent & { readonly server: ClusterServer }>;
}

/** All that a component is given. */
export interface ComponentContext {
  /** Aborted when it is to stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches: boolean;
  readonly nodes: NodeProvider;
  /** What the API server trusts, to sign with. Throws before the API server has started. */
  readonly authority: ServerAuthority;
  /** A client of the API server as somebody, without a socket. Throws before the API server has started. */
  clientAs(identity: Identity): RESTClient;
  /** Whether a component of the same cluster runs, by its name. */
  isRunning(name: string): boolean;
}

/**
 * `waiting`: for others to start; `starting`; `running`; `ended`: its work is done; `failed`; `stopped`: nobody started it, or somebody
 * stopped it.
 */
export type ComponentPhase = 'waiting' | 'starting' | 'running' | 'ended' | 'failed' | 'stopped';

/** How a component is, for people. */
export interface ComponentStatus {
  readonly name: string;
  readonly phase: ComponentPhase;
  /** Why it has failed, or what its check says is wrong. */
  readonly problem?: string;
}
