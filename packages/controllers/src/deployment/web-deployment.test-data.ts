import type { Deployment, DeploymentSpec, ReplicaSet } from '@coxswain/api/apps/v1';
import type { ResourceInterface } from '@coxswain/client';
import { TestCluster } from '../../test/test-cluster.ts';
import { replicaSetController } from '../replicaset/index.ts';
import { Pods } from '../replicaset/pods.test-data.ts';
import { deploymentController } from './index.ts';

export const minutes = (count: number): number => count * 60_000;

export const template = (image = 'web:1') => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});

/** A patch of the template's image. */
export const image = (image: string) => ({ template: { spec: { containers: [{ name: 'web', image }] } } });

interface SpecPatch {
  replicas?: number;
  paused?: boolean;
  minReadySeconds?: number;
  template?: { spec: { containers: { name: string; image: string }[] } };
}

const imageOf = ({ spec }: ReplicaSet): string => spec!.template!.spec!.containers[0]!.image!;

/** A test cluster with the deployment `web`. Its ReplicaSets are identified by their images. */
export class WebDeployment {
  readonly cluster: TestCluster;
  readonly pods: Pods;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.pods = new Pods(cluster);
  }

  static async start(): Promise<WebDeployment> {
    return new WebDeployment(await TestCluster.start({ controllers: [replicaSetController, deploymentController] }));
  }

  get client(): ResourceInterface<Deployment> {
    return this.cluster.clients.apps.v1.deployments('default');
  }

  get replicaSets(): ResourceInterface<ReplicaSet> {
    return this.cluster.clients.apps.v1.replicaSets('default');
  }

  async create(spec: Partial<DeploymentSpec> = {}, annotations: Record<string, string> = {}): Promise<void> {
    const selector = { matchLabels: { app: 'web' } };
    await this.client.create({
      metadata: { name: 'web', annotations },
      spec: { replicas: 4, selector, template: template(), ...spec },
    });
    await this.cluster.settle();
  }

  async patch(spec: SpecPatch): Promise<void> {
    await this.client.patch('web', 'strategic-merge', { spec });
    await this.cluster.settle();
  }

  read(): Promise<Deployment> {
    return this.client.get('web');
  }

  /** Returns the ReplicaSets by image. */
  async sets(): Promise<Record<string, ReplicaSet>> {
    const { items } = await this.replicaSets.list();
    return Object.fromEntries(items.map((set) => [imageOf(set), set]));
  }

  /** Returns the desired sizes of the ReplicaSets by image. */
  async sizes(): Promise<Record<string, number>> {
    return Object.fromEntries(Object.entries(await this.sets()).map(([image, { spec }]) => [image, spec!.replicas!]));
  }

  /** Formats the conditions as `Progressing True ReplicaSetUpdated: …`, with images instead of ReplicaSet names. */
  async conditions(): Promise<string[]> {
    const { status } = await this.read();
    const conditions = status?.conditions ?? [];
    return await this.#named(conditions.map((it) => `${it.type} ${it.status} ${it.reason}: ${it.message}`));
  }

  /** Returns the deployment's events, with images instead of ReplicaSet names. */
  async story(): Promise<string[]> {
    const events = (await this.cluster.events()).filter((event) => event.includes('Deployment/web'));
    return await this.#named(events.map((event) => event.replace(' Deployment/web:', '')));
  }

  /** The number of pods that the controllers have created so far. */
  podsCreated(): number {
    return this.cluster.spy.writes.filter(({ method, url }) => method === 'POST' && url.endsWith('/pods')).length;
  }

  /** Returns the writes during a time without changes. */
  async writesWhenIdle(): Promise<unknown[]> {
    const before = this.cluster.spy.writes.length;
    await this.cluster.advance(minutes(30), minutes(5));
    return this.cluster.spy.writes.slice(before);
  }

  async #named(texts: readonly string[]): Promise<string[]> {
    const all = Object.values(await this.sets());
    return texts.map((text) => all.reduce((result, set) => result.replace(set.metadata.name!, imageOf(set)), text));
  }
}

export const minimumAvailability = 'Available True MinimumReplicasAvailable: Deployment has minimum availability.';
export const noMinimumAvailability =
  'Available False MinimumReplicasUnavailable: Deployment does not have minimum availability.';
export const isProgressing = (image: string): string =>
  `Progressing True ReplicaSetUpdated: ReplicaSet "${image}" is progressing.`;
export const hasProgressed = (image: string): string =>
  `Progressing True NewReplicaSetAvailable: ReplicaSet "${image}" has successfully progressed.`;
