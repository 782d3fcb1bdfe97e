import type { Node, Pod } from '@coxswain/api/core/v1';
import { isPodReady, isPodTerminal, requiredNodeAffinity, untoleratedTaint } from '@coxswain/component-helpers';
import type { TestCluster } from '../test-cluster.ts';
import { unlessOvertaken } from './unless-overtaken.ts';

/** Simulates the scheduler and kubelets, deterministically. */
export class SimulatedNodes {
  readonly #cluster: TestCluster;
  /** Whether each node is alive, by name. */
  readonly #nodes = new Map<string, boolean>();
  #addresses = 0;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  get names(): string[] {
    return [...this.#nodes.keys()];
  }

  async add(name: string): Promise<void> {
    if (this.#nodes.has(name)) return;
    this.#nodes.set(name, true);
    await this.#client.create({ metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
    await this.heartbeat();
  }

  /** Stops all reports of the node and its pods. */
  die(name: string): void {
    if (this.#nodes.has(name)) this.#nodes.set(name, false);
  }

  revive(name: string): void {
    if (this.#nodes.has(name)) this.#nodes.set(name, true);
  }

  /** Deletes the node. */
  async remove(name: string): Promise<void> {
    if (this.#nodes.delete(name)) await unlessOvertaken(this.#client.delete(name));
  }

  /** Renews the leases and statuses of all living nodes. */
  async heartbeat(): Promise<void> {
    const leases = this.#cluster.clients.coordination.v1.leases('kube-node-lease');
    const renewTime = `${this.#time.slice(0, -1)}.000000Z`;
    for (const { metadata, status } of (await this.#client.list()).items) {
      const name = metadata.name!;
      if (!this.#nodes.get(name)) continue;
      const spec = { holderIdentity: name, renewTime, leaseDurationSeconds: 40 };
      await leases.patch(name, 'merge', { spec }).catch(() => leases.create({ metadata: { name }, spec }));
      if (status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) continue;
      const times = { lastHeartbeatTime: this.#time, lastTransitionTime: this.#time };
      const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready', ...times }];
      await this.#client.patch(name, 'strategic-merge', { status: { conditions } }, { subresource: 'status' });
    }
  }

  /**
   * Advances at most `limit` pods by one step: a pod is bound, starts running, succeeds if it is a Job's, or is removed if it is
   * terminating. Returns whether anything was done.
   */
  async work(limit = Number.POSITIVE_INFINITY): Promise<boolean> {
    const nodes = (await this.#client.list()).items;
    let done = 0;
    for (const pod of await this.pods()) {
      if (done === limit) break;
      if (await this.#advance(pod, nodes)) done++;
    }
    return done > 0;
  }

  /** Returns the pods of all namespaces, oldest first. */
  async pods(): Promise<Pod[]> {
    const { items } = await this.#cluster.clients.core.v1.pods().list();
    const age = ({ metadata }: Pod): string => `${metadata.creationTimestamp}${metadata.namespace}${metadata.name}`;
    return items.sort((a, b) => (age(a) < age(b) ? -1 : 1));
  }

  /** Makes the pod fail. */
  async fail(pod: Pod): Promise<void> {
    if (!isPodTerminal(pod)) await this.#report(pod, 'Failed');
  }

  async #advance(pod: Pod, nodes: readonly Node[]): Promise<boolean> {
    const { namespace = '', name = '', deletionTimestamp, labels } = pod.metadata;
    const pods = this.#cluster.clients.core.v1.pods(namespace);
    const nodeName = pod.spec?.nodeName;
    if (!nodeName) {
      if (deletionTimestamp) return false;
      const node = this.#choose(pod, nodes);
      if (!node) return false;
      await unlessOvertaken(pods.bind(name, { metadata: { name }, target: { kind: 'Node', name: node } }));
      return true;
    }
    if (!this.#nodes.get(nodeName)) return false;
    if (deletionTimestamp) {
      await this.fail(pod);
      await unlessOvertaken(pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid! } }));
      return pod.metadata.deletionGracePeriodSeconds !== 0 || !isPodTerminal(pod);
    }
    if (isPodTerminal(pod)) return false;
    if (!isPodReady(pod)) await this.#report(pod, 'Running');
    else if (labels?.['job-name']) await this.#report(pod, 'Succeeded');
    else return false;
    return true;
  }

  /** Returns one of the fitting nodes, in rotation. */
  #choose(pod: Pod, nodes: readonly Node[]): string | undefined {
    const mayBeOn = requiredNodeAffinity(pod.spec!);
    const fitting = nodes.filter(
      (node) =>
        mayBeOn(node) &&
        !node.metadata.deletionTimestamp &&
        !untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ['NoSchedule', 'NoExecute']),
    );
    return fitting[this.#addresses % Math.max(fitting.length, 1)]?.metadata.name;
  }

  async #report(
    { metadata: { namespace = '', name = '', uid = '' }, status }: Pod,
    phase: 'Running' | 'Succeeded' | 'Failed',
  ): Promise<void> {
    const isReady = phase === 'Running';
    const ready = {
      type: 'Ready',
      status: isReady ? ('True' as const) : ('False' as const),
      lastTransitionTime: this.#time,
    };
    const podIP = status?.podIP ?? `10.1.${this.#addresses >> 8}.${++this.#addresses & 255}`;
    const patch = {
      metadata: { uid },
      status: {
        phase,
        podIP,
        podIPs: [{ ip: podIP }],
        startTime: status?.startTime ?? this.#time,
        conditions: [ready],
      },
    };
    await unlessOvertaken(
      this.#cluster.clients.core.v1.pods(namespace).patch(name, 'strategic-merge', patch, { subresource: 'status' }),
    );
  }

  get #client() {
    return this.#cluster.clients.core.v1.nodes();
  }

  get #time(): string {
    return `${new Date(this.#cluster.clock.now()).toISOString().slice(0, 19)}Z`;
  }
}
