import type { Node, Pod, Toleration } from '@coxswain/api/core/v1';
import type { TestCluster } from '../../test/test-cluster.ts';

/** Simulates kubelets and users. */
export class TestNodes {
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  get #time(): string {
    return `${new Date(this.#cluster.clock.now()).toISOString().slice(0, 19)}Z`;
  }

  async create(name: string, labels: Record<string, string> = {}, spec: Node['spec'] = {}): Promise<void> {
    await this.#cluster.clients.core.v1.nodes().create({ metadata: { name, labels }, spec });
  }

  /** Reports the kubelet's status with these conditions. */
  async report(name: string, conditions: Record<string, 'True' | 'False'> = { Ready: 'True' }): Promise<void> {
    const { status } = await this.get(name);
    const reported = Object.entries(conditions).map(([type, value]) => {
      const known = status?.conditions?.find((condition) => condition.type === type);
      const lastTransitionTime = known?.status === value ? known.lastTransitionTime! : this.#time;
      const words = { reason: 'KubeletSays', message: `kubelet says ${value}` };
      return { type, status: value, ...words, lastHeartbeatTime: this.#time, lastTransitionTime };
    });
    const patch = { status: { conditions: reported } };
    const nodes = this.#cluster.clients.core.v1.nodes();
    await nodes.patch(name, 'strategic-merge', patch, { subresource: 'status' });
  }

  /** Renews the kubelet's lease. */
  async renew(name: string): Promise<void> {
    const leases = this.#cluster.clients.coordination.v1.leases('kube-node-lease');
    const renewTime = `${this.#time.slice(0, -1)}.000000Z`;
    const spec = { holderIdentity: name, renewTime, leaseDurationSeconds: 40 };
    await leases.patch(name, 'merge', { spec }).catch(() => leases.create({ metadata: { name }, spec }));
  }

  get(name: string): Promise<Node> {
    return this.#cluster.clients.core.v1.nodes().get(name);
  }

  /** Returns the sorted taints as `key:effect`. */
  async taints(name: string): Promise<string[]> {
    const { spec } = await this.get(name);
    return (spec?.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`).sort();
  }

  async conditions(name: string): Promise<string[]> {
    const { status } = await this.get(name);
    return (status?.conditions ?? []).map(
      ({ type, status: value, reason, message }) => `${type}=${value} ${reason}: ${message}`,
    );
  }

  /** Creates a pod that is running and ready on the node. */
  async runPod(name: string, nodeName: string, tolerations: Toleration[] = []): Promise<void> {
    const pods = this.#cluster.clients.core.v1.pods('default');
    await pods.create({
      metadata: { name },
      spec: { nodeName, tolerations, containers: [{ name: 'c', image: 'i' }] },
    });
    const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime: this.#time };
    const status = { phase: 'Running' as const, conditions: [ready] };
    await pods.patch(name, 'merge', { status }, { subresource: 'status' });
  }

  pod(name: string): Promise<Pod> {
    return this.#cluster.clients.core.v1.pods('default').get(name);
  }
}
