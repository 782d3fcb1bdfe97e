import type { Deployment, ReplicaSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { hasStatusCause } from '@coxswain/apimachinery/errors';
import { labelSelectorAsSelector, Selector } from '@coxswain/apimachinery/labels';
import { getControllerOfNoCopy, newControllerRef } from '@coxswain/apimachinery/meta';
import {
  deletedObject,
  deletionHandlingKey,
  type EventRecorder,
  type ReconcileResult,
  type SharedIndexInformer,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addControllerIndex, controlledBy, orphansIn } from '../framework/ownership/controller-index.ts';
import { ownedObjectHandler } from '../framework/ownership/owned-object-handler.ts';
import { claimObjects } from '../framework/ownership/owned-objects.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { recheckOwner } from '../framework/ownership/recheck-owner.ts';
import { lookForOwnWritesMs, OwnWrites } from '../framework/writes/own-writes.ts';
import { deploymentKind } from './new-replica-set.ts';
import { proceed } from './proceed.ts';
import { Rollout } from './rollout.ts';

/** With the default backoff, the last retry is delayed by more than a minute. */
const maxRetries = 15;

/** Reconciles Deployments: creates and scales their ReplicaSets as the template and the number of replicas change. */
export class DeploymentController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #deployments: SharedIndexInformer<Deployment>;
  readonly #sets: SharedIndexInformer<ReplicaSet>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #owners: OwnerLookup<Deployment>;
  readonly #ownWrites = new OwnWrites();
  readonly #loop: ReconcileLoop;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder('deployment-controller');
    this.#deployments = context.informers.apps.v1.deployments.informer;
    this.#sets = context.informers.apps.v1.replicaSets.informer;
    this.#pods = context.informers.core.v1.pods.informer;
    this.#loop = new ReconcileLoop(context, {
      name: 'deployment',
      synced: [this.#deployments, this.#sets, this.#pods],
      reconcile: (key) => this.#reconcile(key),
      maxRetries,
    });
    this.#owners = new OwnerLookup(this.#deployments, deploymentKind.kind, ({ spec }) =>
      labelSelectorAsSelector(spec?.selector),
    );
    addControllerIndex(this.#sets);
    addControllerIndex(this.#pods);
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (!this.#ownWrites.areSeen(key)) return { requeueAfterMs: lookForOwnWritesMs };
    const deployment = this.#deployments.indexer.getByKey(key);
    if (!deployment) return;
    if (selectsAll(deployment)) return await this.#refuse(deployment);
    // With an invalid selector it would not find its own ReplicaSets and would create new ones endlessly.
    if (this.#owners.selectorOf(deployment) === Selector.nothing) return;
    try {
      const rollout = this.#rolloutOf(key, deployment, await this.#claim(deployment));
      const requeueAfterMs = await proceed(rollout, (set) => this.#podsOf(set));
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    } catch (error) {
      // The namespace is being deleted: a retry is pointless.
      if (!hasStatusCause(error, 'NamespaceTerminating')) throw error;
    }
  }

  #rolloutOf(key: string, deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
    const { clients, clock } = this.#context;
    const { namespace } = deployment.metadata;
    return new Rollout(deployment, sets, {
      clients,
      clock,
      recorder: this.#recorder,
      cachedSet: (name) => this.#sets.indexer.getByKey(`${namespace}/${name}`),
      wrote: (written) => {
        const informer = written.metadata.uid === deployment.metadata.uid ? this.#deployments : this.#sets;
        this.#ownWrites.wrote(key, informer, written.metadata.resourceVersion);
      },
    });
  }

  #claim(deployment: Deployment): Promise<ReplicaSet[]> {
    const { clients } = this.#context;
    const { name = '', namespace = '', uid = '', deletionTimestamp } = deployment.metadata;
    const candidates = [...controlledBy(this.#sets.indexer, uid), ...orphansIn(this.#sets.indexer, namespace)];
    return claimObjects(candidates, {
      owner: {
        uid,
        reference: newControllerRef(deployment, deploymentKind),
        isBeingDeleted: deletionTimestamp !== undefined,
      },
      matches: (set) => this.#owners.matches(deployment, set),
      canAdopt: () =>
        recheckOwner(deployment, deploymentKind.kind, () => clients.apps.v1.deployments(namespace).get(name)),
      patch: (set, patch) =>
        clients.apps.v1.replicaSets(namespace).patch(set.metadata.name ?? '', 'strategic-merge', patch),
    });
  }

  /** Reports a selector that matches all pods of the namespace, which is a user error. */
  async #refuse(deployment: Deployment): Promise<undefined> {
    const { namespace = '', generation = 0 } = deployment.metadata;
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    this.#recorder.event(deployment, 'Warning', 'SelectingAll', message, { kind: deploymentKind });
    if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
    const status = { ...deployment.status, observedGeneration: generation };
    await this.#context.clients.apps.v1.deployments(namespace).updateStatus({ ...deployment, status });
  }

  #watch(): void {
    const loop = this.#loop;
    this.#deployments.addEventHandler({
      onAdd: (deployment) => loop.add(deployment),
      onUpdate: (_, deployment) => loop.add(deployment),
      onDelete: (deleted) => this.#ownWrites.forget(deletionHandlingKey(deleted)),
    });
    this.#sets.addEventHandler(
      ownedObjectHandler<ReplicaSet, Deployment>({
        owners: this.#owners,
        enqueue: (deployment) => loop.add(deployment),
      }),
    );
    // The Recreate strategy waits until the last old pod is deleted. Only pod events report that.
    this.#pods.addEventHandler({
      onDelete: (deleted) => this.#podDeleted(deletedObject(deleted)),
    });
  }

  #podDeleted(pod: Pod): void {
    const controller = getControllerOfNoCopy(pod);
    if (controller?.kind !== 'ReplicaSet') return;
    const set = this.#sets.indexer.getByKey(`${pod.metadata.namespace}/${controller.name}`);
    if (!set || set.metadata.uid !== controller.uid) return;
    const deployment = this.#owners.ownerOf(set);
    if (deployment?.spec?.strategy?.type !== 'Recreate') return;
    const sets = controlledBy(this.#sets.indexer, deployment.metadata.uid ?? '');
    if (sets.every((other) => this.#podsOf(other).length === 0)) this.#loop.add(deployment);
  }

  #podsOf(set: ReplicaSet): Pod[] {
    return controlledBy(this.#pods.indexer, set.metadata.uid ?? '');
  }
}

function selectsAll({ spec }: Deployment): boolean {
  const { matchLabels, matchExpressions } = spec?.selector ?? {};
  return !!spec?.selector && matchLabels === undefined && matchExpressions === undefined;
}
