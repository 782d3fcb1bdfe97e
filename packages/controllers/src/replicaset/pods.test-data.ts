import type { Pod } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { TestCluster } from '../../test/test-cluster.ts';

/** What kubelets and the scheduler do to the pods of the default namespace. */
export class Pods {
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  /** In order of their names. */
  async list(): Promise<Pod[]> {
    const { items } = await this.#client.list();
    return items.sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  }

  /** Those that nobody has begun to delete. */
  async staying(): Promise<Pod[]> {
    return (await this.list()).filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  /** The pods run, and are ready or not; then the controllers do what follows. */
  async run(pods: readonly Pod[], isReady = true): Promise<void> {
    for (const { metadata } of pods) await this.#setReady(metadata.name!, isReady);
    await this.#cluster.settle();
  }

  /** All pods run and are ready, and what the controllers make then is as well, to the end. */
  async runAll(): Promise<void> {
    for (;;) {
      const waiting = (await this.staying()).filter(({ status }) => status?.phase !== 'Running');
      if (waiting.length === 0) return;
      await this.run(waiting);
    }
  }

  /** A kubelet has them: they do not go before it says so. */
  async bind(pods: readonly Pod[], node = 'node-1'): Promise<void> {
    for (const { metadata } of pods) {
      const name = metadata.name!;
      await this.#client.bind(name, { metadata: { name }, target: { kind: 'Node', name: node } });
    }
    await this.#cluster.settle();
  }

  /** Their kubelets have ended those whose deletion has begun. */
  async reap(): Promise<void> {
    for (const { metadata } of await this.list()) {
      if (metadata.deletionTimestamp) await this.#client.delete(metadata.name!, { gracePeriodSeconds: 0 });
    }
    await this.#cluster.settle();
  }

  async #setReady(name: string, isReady: boolean): Promise<void> {
    const lastTransitionTime = new Date(this.#cluster.clock.now()).toISOString().replace('.000', '');
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }];
    const status = { phase: 'Running' as const, conditions };
    try {
      await this.#client.patch(name, 'strategic-merge', { status }, { subresource: 'status' });
    } catch (error) {
      // The controllers may have deleted it meanwhile.
      if (!isNotFound(error)) throw error;
    }
  }

  get #client() {
    return this.#cluster.clients.core.v1.pods('default');
  }
}
