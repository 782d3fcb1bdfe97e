import type { Pod } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { TestCluster } from '../../test/test-cluster.ts';

/** Simulates kubelets and the scheduler for the pods of the default namespace. */
export class Pods {
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  /** Returns the pods sorted by name. */
  async list(): Promise<Pod[]> {
    const { items } = await this.#client.list();
    return items.sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  }

  /** Returns the pods without a deletion timestamp. */
  async staying(): Promise<Pod[]> {
    return (await this.list()).filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  /** Makes the pods run, ready or not, and waits for the controllers. */
  async run(pods: readonly Pod[], isReady = true): Promise<void> {
    for (const { metadata } of pods) await this.#setReady(metadata.name!, isReady);
    await this.#cluster.settle();
  }

  /** Makes all pods run and ready, including those that the controllers create meanwhile, until none is left. */
  async runAll(): Promise<void> {
    for (;;) {
      const waiting = (await this.staying()).filter(({ status }) => status?.phase !== 'Running');
      if (waiting.length === 0) return;
      await this.run(waiting);
    }
  }

  /** Binds the pods to a node, so that they are deleted gracefully. */
  async bind(pods: readonly Pod[], node = 'node-1'): Promise<void> {
    for (const { metadata } of pods) {
      const name = metadata.name!;
      await this.#client.bind(name, { metadata: { name }, target: { kind: 'Node', name: node } });
    }
    await this.#cluster.settle();
  }

  /** Completes the deletion of terminating pods, as kubelets do. */
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
      // The controllers may have deleted the pod meanwhile.
      if (!isNotFound(error)) throw error;
    }
  }

  get #client() {
    return this.#cluster.clients.core.v1.pods('default');
  }
}
