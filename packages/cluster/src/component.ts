import type { Random } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ServerAuthority } from '@coxswain/apiserver';
import type { ClientSet, Clock, Logger, RESTClient, WaitOptions } from '@coxswain/client';
import type { ClusterServer } from './components/cluster-server.ts';
import type { Identity } from './identities.ts';
import type { NodeProvider } from './nodes/node-provider.ts';

/**
 * A part of a cluster that runs in the cluster's process: the API server, the scheduler, a kube-proxy. The value has no state: each `start`
 * makes a new instance, like a new process.
 *
 * The rule for failures: without its API server there is no cluster, so `Cluster.start` rejects with that error and leaves nothing running.
 * Any other component that fails, at its start or later, fails alone: the error is logged, `status` and `whenReady` report it, the other
 * components keep running, and only a call of `startComponent` starts it again.
 */
export interface Component {
  /** The component's name, such as `scheduler`. Unique within the cluster. */
  readonly name: string;
  /**
   * The user agent of its requests and the name of its logger, such as `kube-scheduler`; so it is also the manager of the fields it sets.
   * By default its name.
   */
  readonly userAgent?: string;
  /**
   * Names of the components that must start before it, besides the API server. They stop after it. Components that are missing in the
   * cluster, were stopped or have failed are not waited for.
   */
  readonly after?: readonly string[];
  /**
   * Starts the component. Resolves when the components that are `after` it may start. Throws or rejects when it cannot start; it must leave
   * nothing running then.
   */
  start(context: ComponentContext): RunningComponent | Promise<RunningComponent>;
}

/** A component that has started. */
export interface RunningComponent {
  /** Resolves when none of its work is in progress any more, after its signal was aborted or its work is done. Rejects when it fails. */
  readonly ended: Promise<void>;
  /** True when it has no work left at this time of the clock, as far as it knows of changes. Absent when it cannot tell. */
  readonly isIdle?: boolean;
  /** Resolves when the results of its work are in the API; `clients` have all rights. When absent, it is ready when it has started. */
  ready?(clients: ClientSet, options: WaitOptions): Promise<void>;
  /** Throws or rejects when it is unhealthy. When absent, it is healthy while it runs. */
  check?(): void | Promise<void>;
}

/** The first component of each cluster. */
export interface ApiServerComponent extends Component {
  start(context: ComponentContext): Promise<RunningComponent & { readonly server: ClusterServer }>;
}

/** The arguments for a component. */
export interface ComponentContext {
  /** Aborted to stop the component. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches: boolean;
  readonly nodes: NodeProvider;
  /** The CA and keys that the API server trusts, to sign with. Throws before the API server has started. */
  readonly authority: ServerAuthority;
  /** Returns a client of the API server with an identity, without a socket. Throws before the API server has started. */
  clientAs(identity: Identity): RESTClient;
  /** Returns whether a component of the same cluster runs, by its name. */
  isRunning(name: string): boolean;
}

/**
 * `waiting`: for other components to start; `starting`; `running`; `ended`: its work is done; `failed`; `stopped`: it was never started, or
 * was stopped.
 */
export type ComponentPhase = 'waiting' | 'starting' | 'running' | 'ended' | 'failed' | 'stopped';

/** The status of a component, for display. */
export interface ComponentStatus {
  readonly name: string;
  readonly phase: ComponentPhase;
  /** The error with which it failed, or that of its check. */
  readonly problem?: string;
}
