import { datedBy } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { type Logger, silentLogger, systemClock, type Transport } from '@coxswain/client';
import type {
  ApiServerSettings,
  ClusterOptions,
  ControllersSettings,
  NodeSpec,
  SchedulerSettings,
} from '@coxswain/cluster';
import type { MemoryStore } from '@coxswain/storage';
import { Cluster, defaultComponents, HollowNodeProvider, openMemoryStore } from '#cluster';
import { type Caller, type Component, callerOf } from './component.ts';
import { freshState } from './fresh-state.ts';
import { LaterStart } from './later-start.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { TestCluster } from './test-cluster.ts';
import { StoreHistory } from './time/store-history.ts';
import { TestClock } from './time/test-clock.ts';
import { Traffic } from './traffic/traffic.ts';

export interface StartClusterOptions
  extends Pick<ClusterOptions, 'random' | 'eventLoop' | 'freezeCaches'>,
    Pick<ControllersSettings, 'controllers'> {
  /** Hollow nodes: how many, or what they are; 2 by default. */
  readonly nodes?: number | readonly NodeSpec[];
  /** Which parts run from the start; all by default. */
  readonly components?: readonly Component[];
  /** Profiles, and plug-ins of one's own. */
  readonly scheduler?: SchedulerSettings;
  /** Further flags of kube-apiserver. */
  readonly apiServer?: NonNullable<ApiServerSettings['flags']>;
  /** Stands between callers and the API server. */
  readonly intercept?: (transport: Transport, caller: Caller) => Transport;
  /**
   * `flowing`, the default: it goes on as the machine's does, and can be turned ahead. `frozen`: it stands still but for
   * turns, once the cluster is ready. `real`: the machine's; nothing can be turned.
   */
  readonly clock?: 'flowing' | 'frozen' | 'real';
  /** When the cluster begins; now by default, or when the snapshot was taken. */
  readonly now?: Date | string | number;
  /** What it begins with; absent: a new cluster. */
  readonly from?: ClusterSnapshot;
  /** False: it resolves when the API server answers; nodes and the default service account come while the test goes on. */
  readonly ready?: boolean;
  /** Hears what goes on; nothing is told by default. */
  readonly logger?: Logger;
}

/**
 * Starts a cluster in this process: API server, controllers, scheduler and hollow nodes, all in memory. It resolves when a pod that
 * is created now would run (where not all of it was started: when that has nothing more to do), and lives until `stop`. Several live beside each other without knowing of each other.
 *
 * ```ts
 * await using cluster = await startCluster();
 * await cluster.apply(await readFile('deployment.yaml', 'utf8'));
 * await cluster.untilPodsRunning('app=web');
 * ```
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { clock: pace = 'flowing', now, from, ready = true, logger = silentLogger, intercept, ...rest } = options;
  const { nodes: asked, components, controllers, scheduler = {}, apiServer: flags, ...surroundings } = rest;
  const { eventLoop = systemEventLoop } = options;
  const testClock = pace === 'real' ? undefined : new TestClock(startOf(now, from));
  const clock = testClock ?? systemClock;
  const traffic = new Traffic(clock);
  const history = new StoreHistory();
  const isWhole = components === undefined && controllers === undefined;
  // Who asks for another server may want none of what servers and controllers make by default.
  const isUsual = isWhole && flags === undefined;
  const nodes = new HollowNodeProvider(asked, { separate: true });
  // Opened before the cluster is there: who its pods trust is among what it begins with.
  let store!: MemoryStore;
  const openStore = async ({ servingTrust }: { readonly servingTrust: string }): Promise<MemoryStore> => {
    const snapshot = from?.store ?? (isUsual ? freshFor(options, clock.now(), servingTrust) : undefined);
    store = openMemoryStore({ ...(snapshot && { snapshot }), clock, eventLoop });
    await history.follow(store);
    return store;
  };
  let cluster: Cluster;
  try {
    cluster = await Cluster.start({
      ...surroundings,
      nodes,
      components: defaultComponents({
        apiServer: { store: openStore, ...(flags && { flags }) },
        controllers: { ...(controllers && { controllers }) },
        scheduler,
      }),
      started: [],
      clock,
      // The clock may stand still, and requests have their limits: the API server's timers are those of the machine.
      ...(testClock && { clockOf: (name) => (name === 'apiserver' ? datedBy(testClock) : testClock.of(name)) }),
      logger,
      intercept: (transport, name) => {
        const caller = callerOf(name);
        return traffic.wrap(intercept?.(transport, caller) ?? transport, caller);
      },
    });
  } catch (error) {
    testClock?.stop();
    throw error;
  }
  const later = new LaterStart(cluster, eventLoop);
  const test = new TestCluster({ cluster, nodes, store, traffic, history, later, clock: testClock, isWhole });
  try {
    const names = startedFrom(components);
    // Who does not wait for the cluster wants all of it at once. No cluster needs its scheduler to become ready.
    const waits = isWhole && ready;
    const last = !waits ? [] : (await cluster.isReadyAsStored()) ? names : ['scheduler'];
    for (const name of names) if (!last.includes(name)) cluster.startComponent(name);
    if (ready) await test.whenReady();
    later.next(last);
    if (pace === 'frozen') testClock?.freeze();
    return test;
  } catch (error) {
    await test.stop();
    throw error;
  }
}

/** The controllers make the volumes of the default class. */
const startedFrom = (components: readonly Component[] = ['controllers', 'scheduler', 'nodes']): readonly string[] =>
  components.includes('controllers') ? ['default-storage-class', ...components] : components;

/** Nodes that somebody describes are none that every cluster has. */
const freshFor = ({ nodes = Infinity, random = systemRandom }: StartClusterOptions, nowMs: number, rootCA: string) =>
  freshState({ nowMs, rootCA, nodes: typeof nodes === 'number' ? nodes : 0, uuid: random.uuid });

const startOf = (now: StartClusterOptions['now'], from: ClusterSnapshot | undefined): number =>
  now === undefined ? (from?.nowMs ?? Date.now()) : new Date(now).getTime();
