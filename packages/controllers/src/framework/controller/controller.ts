import type { MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type {
  CachedDiscoveryInterface,
  ClientSet,
  Clock,
  DeferredRESTMapper,
  DynamicClient,
  EventRecorder,
  Logger,
  MetadataClient,
  Metrics,
  RESTClient,
  SharedInformerFactory,
} from '@coxswain/client';
import type { ResourceMonitors } from '../monitors/resource-monitors.ts';

/**
 * Everything a controller may use: clients, informers, the clock and so on. A controller has no reference to the API server, its
 * storage or other controllers.
 */
export interface ControllerContext {
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly dynamic: DynamicClient;
  readonly metadata: MetadataClient;
  readonly discovery: CachedDiscoveryInterface;
  readonly mapper: DeferredRESTMapper;
  /** One informer per resource, shared by all controllers. They are started after all controllers have been created. */
  readonly informers: SharedInformerFactory;
  /** Watches the metadata of objects of every resource that the server has. Controllers must subscribe before they run. */
  readonly monitors: ResourceMonitors;
  /** Returns a recorder whose events have this component as their source, such as `replicaset-controller`. */
  recorder(component: string): EventRecorder;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Lets workers yield to the event loop while they have much to do. Absent: the event loop of the current thread. */
  readonly eventLoop?: EventLoop;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Changes to an object within this many milliseconds after its last reconciliation began are reconciled together. 0: no delay. */
  readonly coalesceMs: number;
  /** Tracks whether the controllers are busy. Every queue is registered here. */
  readonly activity: Activity;
  /** Whether the server had the resource when the controllers were started. Only for resources that a definition `needs` or `uses`. */
  isServed(resource: MetaGroupVersionResource): boolean;
}

/** A control loop. */
export interface Controller {
  /** Works until the signal is aborted and resolves when all work has ended. Rejects only when it cannot work at all. */
  run(signal: AbortSignal): Promise<void>;
}

/** Describes a controller that `--controllers` can name, and creates it. */
export interface ControllerDefinition {
  /** Upstream's name, such as `deployment-controller`. */
  readonly name: string;
  /** Older names for `--controllers`, such as `deployment`. */
  readonly aliases: readonly string[];
  /** When true, the controller runs only if `--controllers` names it; `*` does not include it. */
  readonly isOffByDefault?: boolean;
  /** Resources that not every server has. The controller does not run when one of them is missing. */
  readonly needs?: readonly MetaGroupVersionResource[];
  /** Optional resources that not every server has. `context.isServed` says whether the server has them. */
  readonly uses?: readonly MetaGroupVersionResource[];
  /** Creates the controller and requests its informers. Sends no request to the server. */
  create(context: ControllerContext): Controller;
}

/** A queue or a periodic task. */
interface Busy {
  readonly isIdle: boolean;
}

/** Tracks whether any member is working or has work queued. Tests wait until it is idle. */
export class Activity {
  readonly #members = new Set<Busy>();

  add(member: Busy): void {
    this.#members.add(member);
  }

  remove(member: Busy): void {
    this.#members.delete(member);
  }

  get isIdle(): boolean {
    for (const { isIdle } of this.#members) if (!isIdle) return false;
    return true;
  }
}
