import { type Logger, silentLogger, systemClock } from '@coxswain/client';
import type { ClusterOptions } from '@coxswain/cluster';
import type { MemoryStore } from '@coxswain/storage';
import { Cluster, openMemoryStore } from '#cluster';
import { freshState } from './fresh-state.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { TestCluster } from './test-cluster.ts';
import { StoreHistory } from './time/store-history.ts';
import { TestClock } from './time/test-clock.ts';
import { Traffic } from './traffic/traffic.ts';

export interface StartClusterOptions
  extends Pick<
    ClusterOptions,
    'nodes' | 'components' | 'controllers' | 'scheduler' | 'apiServer' | 'random' | 'intercept' | 'freezeCaches'
  > {
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
  const testClock = pace === 'real' ? undefined : new TestClock(startOf(now, from));
  const clock = testClock ?? systemClock;
  const traffic = new Traffic(clock);
  const history = new StoreHistory();
  const isWhole = options.components === undefined && options.controllers === undefined;
  // Who asks for another server may want none of what servers and controllers make by default.
  const isUsual = isWhole && options.apiServer === undefined;
  // Opened before the cluster is there: who its pods trust is among what it begins with.
  let store!: MemoryStore;
  let cluster: Cluster;
  try {
    cluster = await Cluster.start({
      ...rest,
      // Who does not wait for it wants all of it at once.
      readyFirst: isWhole && ready,
      store: async ({ servingTrust }) => {
        const snapshot = from?.store ?? (isUsual ? freshFor(options, clock.now(), servingTrust) : undefined);
        store = openMemoryStore({ ...(snapshot && { snapshot }), clock });
        await history.follow(store);
        return store;
      },
      clock,
      ...(testClock && { clockOf: (component) => testClock.of(component) }),
      separateNodes: true,
      logger,
      intercept: (transport, caller) => traffic.wrap(intercept?.(transport, caller) ?? transport, caller),
    });
  } catch (error) {
    testClock?.stop();
    throw error;
  }
  const test = new TestCluster({ cluster, store, traffic, history, clock: testClock, isWhole });
  try {
    if (ready) await test.whenReady();
    if (pace === 'frozen') testClock?.freeze();
    return test;
  } catch (error) {
    await test.stop();
    throw error;
  }
}

/** Nodes that somebody describes are none that every cluster has. */
const freshFor = ({ nodes = Infinity }: StartClusterOptions, nowMs: number, rootCA: string) =>
  freshState({ nowMs, rootCA, nodes: typeof nodes === 'number' ? nodes : 0 });

const startOf = (now: StartClusterOptions['now'], from: ClusterSnapshot | undefined): number =>
  now === undefined ? (from?.nowMs ?? Date.now()) : new Date(now).getTime();
