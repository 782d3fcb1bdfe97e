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
  /** The number of hollow nodes, or their specs; 2 by default. */
  readonly nodes?: number | readonly NodeSpec[];
  /** The components that run from the start; all by default. */
  readonly components?: readonly Component[];
  /** The scheduler's configuration with its profiles, and additional plug-ins. */
  readonly scheduler?: SchedulerSettings;
  /** Further flags of kube-apiserver. */
  readonly apiServer?: NonNullable<ApiServerSettings['flags']>;
  /** Wraps the transport between a caller and the API server. */
  readonly intercept?: (transport: Transport, caller: Caller) => Transport;
  /**
   * `flowing`, the default: the clock runs like the system clock, and can be advanced. `frozen`: it stands still as soon as the cluster is
   * ready, and only moves when it is advanced. `real`: the system clock, which cannot be advanced.
   */
  readonly clock?: 'flowing' | 'frozen' | 'real';
  /** The start time of the cluster's clock; by default the current time, or that of the snapshot. */
  readonly now?: Date | string | number;
  /** The initial state; a new cluster when absent. */
  readonly from?: ClusterSnapshot;
  /** When false, `startCluster` resolves when the API server answers; nodes and the default service account become ready later. */
  readonly ready?: boolean;
  /** The logger of the components; silent by default. */
  readonly logger?: Logger;
}

/**
 * Starts a cluster in this process: API server, controllers, scheduler and hollow nodes, all in memory. Resolves when a pod that is created
 * now would run; when only some components were started, resolves when these have no work left. The cluster runs until `stop`. Several
 * clusters can run independently in one process.
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
  // With other flags for the API server, the objects that servers and controllers create by default may not be wanted.
  const isUsual = isWhole && flags === undefined;
  const nodes = new HollowNodeProvider(asked, { separate: true });
  // Opened before the cluster starts, because the initial state contains the CA that its pods trust.
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
      // The API server's timers use the system clock: requests have time limits, and the test clock may stand still.
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
    // Without waiting for readiness, all components are started at once. The scheduler starts last otherwise: no cluster needs it to become
    // ready.
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

/** The default StorageClass is only needed with the controllers, which provision its volumes. */
const startedFrom = (components: readonly Component[] = ['controllers', 'scheduler', 'nodes']): readonly string[] =>
  components.includes('controllers') ? ['default-storage-class', ...components] : components;

/** Nodes with custom specs are not among the objects of every new cluster. */
const freshFor = ({ nodes = Infinity, random = systemRandom }: StartClusterOptions, nowMs: number, rootCA: string) =>
  freshState({ nowMs, rootCA, nodes: typeof nodes === 'number' ? nodes : 0, uuid: random.uuid });

const startOf = (now: StartClusterOptions['now'], from: ClusterSnapshot | undefined): number =>
  now === undefined ? (from?.nowMs ?? Date.now()) : new Date(now).getTime();
