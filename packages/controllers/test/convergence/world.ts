import type { Pod } from '@coxswain/api/core/v1';
import { getControllerOf } from '@coxswain/apimachinery/meta';
import { allControllers, chosenControllers } from '../../src/all-controllers.ts';
import { TestCluster } from '../test-cluster.ts';
import { Faults } from './faults.ts';
import { Limits } from './limits.ts';
import { SimulatedNodes } from './simulated-nodes.ts';
import type { Step } from './steps.ts';
import { unlessOvertaken } from './unless-overtaken.ts';
import { doUserEdit, releaseAll, type UserEdit, userEdits } from './user-edits.ts';

const second = 1000;
const minute = 60 * second;
/** Several heartbeats, so that delayed reports do not make a node unhealthy. */
const nodeMonitorGracePeriodMs = 6 * minute;

const isUserEdit = (name: string): name is UserEdit => name in userEdits;

/** A cluster with all controllers, simulated nodes, users and faults. */
export class World {
  readonly cluster: TestCluster;
  readonly nodes: SimulatedNodes;
  readonly faults: Faults;
  readonly limits: Limits;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.nodes = new SimulatedNodes(cluster);
    this.faults = new Faults(cluster.spy);
    this.limits = new Limits(cluster.clients, this.faults);
  }

  static async start(): Promise<World> {
    const all = allControllers({ rootCA: 'a certificate', nodeLifecycle: { nodeMonitorGracePeriodMs } });
    const controllers = chosenControllers(all, ['*']);
    const cluster = await TestCluster.start({ controllers, server: { disableAdmissionPlugins: [] } });
    const world = new World(cluster);
    for (const name of ['n1', 'n2', 'n3']) await world.nodes.add(name);
    for (const name of ['one', 'two']) await cluster.clients.core.v1.namespaces().create({ metadata: { name } });
    await cluster.settle();
    await world.limits.start();
    return world;
  }

  async stop(): Promise<void> {
    this.faults.end();
    await this.limits.stop();
    await this.#stopControllers();
    await this.cluster.stop();
  }

  /** Advances the clock meanwhile, because stopping waits for recorded events to be sent. */
  async #stopControllers(): Promise<void> {
    let isStopped = false;
    const stopping = this.cluster.stopControllers().finally(() => {
      isStopped = true;
    });
    while (!isStopped) await this.cluster.clock.advance(second);
    await stopping;
  }

  async take({ do: what, in: namespace, n, pause }: Step): Promise<void> {
    if (isUserEdit(what)) await this.#edit(what, namespace, n);
    else await this.#happen(what, namespace, n);
    if (pause === 'settle') await this.#settle();
    else if (pause === 'a second') await this.pass(second);
    else if (pause === 'a minute') await this.pass(minute);
  }

  /** Advances the clock. With `isAtWork` the nodes work meanwhile. */
  async pass(byMs: number, { isAtWork = true }: { isAtWork?: boolean } = {}): Promise<void> {
    const beatMs = isAtWork ? minute / 2 : minute;
    for (let [left, beats] = [byMs, 1]; left > 0; left -= beatMs, beats++) {
      await this.cluster.clock.advance(Math.min(left, beatMs));
      await this.nodes.heartbeat();
      if (isAtWork) {
        await this.#settle();
        await this.nodes.work();
      } else if (beats % 5 === 0) await this.#rest();
    }
    await this.#settle();
  }

  /**
   * Ends all faults and delays, and advances the clock by more than the longest backoff, until controllers and nodes have nothing
   * left to do.
   */
  async comeToRest(): Promise<void> {
    this.faults.end();
    for (const name of this.nodes.names) this.nodes.revive(name);
    await this.nodes.add('n1');
    for (const namespace of ['one', 'two']) await this.limits.willEdit('widen Job', namespace, 2);
    await releaseAll(this.cluster.clients);
    await this.#settle();
    for (let round = 0; round < 12; round++) {
      await this.#workToTheEnd();
      const before = this.cluster.spy.writes.length;
      await this.pass(20 * minute, { isAtWork: false });
      if (this.cluster.spy.writes.length === before && !(await this.nodes.work())) return;
    }
    throw new Error(`the cluster does not become idle: ${describe(this.cluster.spy.writes.slice(-20))}`);
  }

  /** Returns the writes during a time without changes. */
  async writesIn(byMs: number): Promise<string[]> {
    const before = this.cluster.spy.writes.length;
    await this.pass(byMs, { isAtWork: false });
    return describe(this.cluster.spy.writes.slice(before));
  }

  async #workToTheEnd(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      const wasBusy = await this.nodes.work();
      await this.#settle();
      if (!wasBusy) return;
      if (round % 10 === 9) {
        await this.cluster.clock.advance(second);
        await this.nodes.heartbeat();
      }
    }
  }

  async #settle(): Promise<void> {
    await this.#rest();
    await this.limits.settled();
  }

  /** Like `cluster.settle`, but advances the clock a little for work that waits, for example to retry after a conflict. */
  async #rest(): Promise<void> {
    let isAtRest = false;
    const settling = this.cluster.settle().finally(() => {
      isAtRest = true;
    });
    for (let [before, quiet] = [0, 0]; !isAtRest; ) {
      await new Promise<void>((resolve) => setTimeout(resolve, 5));
      const { length } = this.cluster.spy.requests;
      quiet = length === before ? quiet + 1 : 0;
      before = length;
      if (quiet > 0 && quiet % 40 === 0) await this.cluster.clock.advance(20);
    }
    await settling;
  }

  async #edit(what: UserEdit, namespace: string, n: number): Promise<void> {
    await this.limits.willEdit(what, namespace, n);
    await doUserEdit(what, this.cluster.clients, namespace, n);
  }

  async #happen(what: Exclude<Step['do'], UserEdit>, namespace: string, n: number): Promise<void> {
    const node = `n${1 + (n % 3)}`;
    switch (what) {
      case 'restart':
        // New controllers start with new caches.
        this.faults.letGo();
        await this.#stopControllers();
        return this.cluster.startControllers();
      case 'work':
        return void (await this.nodes.work(1 + n));
      case 'time':
        return await this.pass((1 + n) * minute);
      case 'kill node':
        this.nodes.die(node);
        // Sometimes long enough for the node to become unhealthy.
        if (n > 3) await this.pass(nodeMonitorGracePeriodMs + 2 * minute, { isAtWork: n > 5 });
        return;
      case 'revive node':
        return this.nodes.revive(node);
      case 'remove node':
        if (this.nodes.names.length <= 1) return;
        this.limits.willDisturb();
        return await this.nodes.remove(node);
      case 'add node':
        return await this.nodes.add(node);
      case 'faults end':
        return this.faults.end();
      case 'cut off':
        return this.faults.cutOff();
      case 'hold':
        // Caches must have synced, or the controllers would not start.
        if (this.faults.isCutOff) return;
        await this.#settle();
        return this.faults.hold((['pods', 'replicasets', 'jobs', 'deployments'] as const)[n % 4]!);
      case 'refuse':
      case 'conflict':
      case 'lose':
        return this.faults.add(what, 1 + n);
      default:
        await this.#disturbPod(what, namespace, n);
    }
  }

  async #disturbPod(
    what: 'delete pod' | 'fail pod' | 'evict pod' | 'relabel pod',
    namespace: string,
    n: number,
  ): Promise<void> {
    const inNamespace = (await this.nodes.pods()).filter(({ metadata }) => metadata.namespace === namespace);
    const pod: Pod | undefined = inNamespace[n % Math.max(inNamespace.length, 1)];
    // A pod released by a StatefulSet keeps its name, so the set could never create its own pod.
    if (!pod || (what === 'relabel pod' && getControllerOf(pod)?.kind === 'StatefulSet')) return;
    this.limits.willDisturb();
    const name = pod.metadata.name!;
    const pods = this.cluster.clients.core.v1.pods(namespace);
    if (what === 'fail pod') await this.nodes.fail(pod);
    else if (what === 'delete pod') await unlessOvertaken<unknown>(pods.delete(name));
    else if (what === 'evict pod') await unlessOvertaken<unknown>(pods.evict(name, { metadata: { name } }));
    else await unlessOvertaken<unknown>(pods.patch(name, 'merge', { metadata: { labels: { app: 'released' } } }));
  }
}

const describe = (writes: readonly { readonly method: string; readonly url: string }[]): string[] =>
  writes.map(({ method, url }) => `${method} ${url}`);
