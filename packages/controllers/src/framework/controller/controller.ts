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

/** What a controller has to work with. It knows of nothing else: no server, no store, no other controller. */
export interface ControllerContext {
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly dynamic: DynamicClient;
  readonly metadata: MetadataClient;
  readonly discovery: CachedDiscoveryInterface;
  readonly mapper: DeferredRESTMapper;
  /** One informer for each resource, shared by all controllers; started once all of them have been made. */
  readonly informers: SharedInformerFactory;
  /** Objects of every resource that the server has, for those who subscribe before they run. */
  readonly monitors: ResourceMonitors;
  /** Records events as the component of that name, such as `replicaset-controller`. */
  recorder(component: string): EventRecorder;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Where others get their turn while there is much to do; the thread's own where it is absent. */
  readonly eventLoop?: EventLoop;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Changes that come within so many milliseconds of work on the same object are worked on together; 0: each on its own. */
  readonly coalesceMs: number;
  /** How busy the controllers are: every queue is known here. */
  readonly activity: Activity;
  /** Whether the server had a resource when the controllers were started, one that a definition `needs` or `uses`. */
  isServed(resource: MetaGroupVersionResource): boolean;
}

/** A control loop. */
export interface Controller {
  /** Works until the signal is aborted; resolves when nothing is under way any more. Rejects only when it cannot work at all. */
  run(signal: AbortSignal): Promise<void>;
}

/** A controller before it runs: what `--controllers` names. */
export interface ControllerDefinition {
  /** As upstream has it: `deployment-controller`. */
  readonly name: string;
  /** Older names that still mean it: `deployment`. */
  readonly aliases: readonly string[];
  /** Only those that are asked for by name run when this is true. */
  readonly isOffByDefault?: boolean;
  /** Resources that not every server has. Where one is missing, the controller does not run. */
  readonly needs?: readonly MetaGroupVersionResource[];
  /** Those that it can do without; `context.isServed` tells. */
  readonly uses?: readonly MetaGroupVersionResource[];
  /** Makes it, with the informers it needs; nothing is asked of the server yet. */
  create(context: ControllerContext): Controller;
}

/** What may be busy: a queue. */
interface Busy {
  readonly isIdle: boolean;
}

/** Whether anything is being done or waits to be. Tests wait for the end of it. */
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
