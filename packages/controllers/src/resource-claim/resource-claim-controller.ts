import type { Pod, PodResourceClaim } from '@coxswain/api/core/v1';
import type { ResourceClaim, ResourceClaimConsumerReference } from '@coxswain/api/resource/v1';
import { LruCache } from '@coxswain/apimachinery/cache';
import { isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { deletedObject, type EventRecorder, splitKey } from '@coxswain/client';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { claimKeysOf, isClaimForPod, lookUpClaim } from '../framework/devices/pod-resource-claims.ts';
import { hasFinalizer, withoutFinalizer } from '../framework/finalizers/finalizers.ts';
import { LatestObjects } from '../framework/writes/latest-objects.ts';
import { claimFromTemplate, isPodDone, owningPod, podClaimAnnotation, templateKeysOf } from './pod-claims.ts';

const finalizer = 'resource.kubernetes.io/delete-protection';
const fieldManager = 'ResourceClaimController';
const claimIndex = 'resourceClaim';
const templateIndex = 'resourceClaimTemplate';
const ownerIndex = 'podOwner';

/** Reconciles pods (`pod:namespace/name`), which need claims, and claims (`claim:namespace/name`), which have to be released. */
export class ResourceClaimController implements Controller {
  readonly #context: ControllerContext;
  readonly #loop: ReconcileLoop;
  readonly #recorder: EventRecorder;
  readonly #claims: LatestObjects<ResourceClaim>;
  /** The uids of deleted pods, which avoids asking the server. */
  readonly #deletedPods = new LruCache<string, true>(500);

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder('resource_claim');
    const { pods } = context.informers.core.v1;
    const { resourceClaims, resourceClaimTemplates } = context.informers.resource.v1;
    this.#claims = new LatestObjects(resourceClaims.informer);
    this.#loop = new ReconcileLoop(context, {
      name: 'resource_claim',
      workers: 50,
      synced: [pods.informer, resourceClaims.informer, resourceClaimTemplates.informer],
      reconcile: (key) => (key.startsWith('pod:') ? this.#syncPod(key.slice(4)) : this.#syncClaim(key.slice(6))),
    });
    pods.informer.addIndexers({ [claimIndex]: claimKeysOf, [templateIndex]: templateKeysOf });
    resourceClaims.informer.addIndexers({ [ownerIndex]: (claim) => [owningPod(claim)?.uid ?? ''] });
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const { pods } = this.#context.informers.core.v1;
    const { resourceClaims, resourceClaimTemplates } = this.#context.informers.resource.v1;
    const podsBy = (index: string, { metadata }: { metadata: { namespace?: string; name?: string } }): void => {
      const key = `${metadata.namespace}/${metadata.name}`;
      for (const pod of pods.informer.indexer.byIndex(index, key)) this.#podChanged(pod, false);
    };
    const onClaim = (claim: ResourceClaim): void => {
      this.#enqueueClaim(`${claim.metadata.namespace}/${claim.metadata.name}`);
      podsBy(claimIndex, claim);
    };
    pods.informer.addEventHandler({
      onAdd: (pod) => this.#podChanged(pod, false),
      onUpdate: (_, pod) => this.#podChanged(pod, false),
      onDelete: (deleted) => this.#podChanged(deletedObject(deleted), true),
    });
    resourceClaims.informer.addEventHandler({
      onAdd: onClaim,
      onUpdate: (_, claim) => onClaim(claim),
      onDelete: (deleted) => podsBy(claimIndex, deletedObject(deleted)),
    });
    resourceClaimTemplates.informer.addEventHandler({
      onAdd: (template) => podsBy(templateIndex, template),
      onUpdate: (_, template) => podsBy(templateIndex, template),
    });
  }

  #enqueueClaim(key: string): void {
    this.#loop.queue.add(`claim:${key}`);
  }

  #podChanged(pod: Pod, isDeleted: boolean): void {
    const extended = pod.status?.extendedResourceClaimStatus;
    if (!pod.spec?.resourceClaims?.length && !extended) return;
    if (isDeleted) this.#deletedPods.set(pod.metadata.uid ?? '', true);
    if (isDeleted || isPodDone(pod)) {
      for (const key of claimKeysOf(pod)) this.#enqueueClaim(key);
      if (extended) this.#enqueueClaim(`${pod.metadata.namespace}/${extended.resourceClaimName}`);
    }
    if (!isDeleted && this.#needsWork(pod)) this.#loop.queue.add(`pod:${pod.metadata.namespace}/${pod.metadata.name}`);
  }

  /** Whether a claim has to be created or reserved for the pod. */
  #needsWork(pod: Pod): boolean {
    if (pod.metadata.deletionTimestamp || isPodTerminal(pod)) return false;
    return (pod.spec?.resourceClaims ?? []).some((reference) => {
      const found = lookUpClaim(pod, reference);
      if (found.is !== 'named') return found.is !== 'not needed';
      const claim = this.#claims.get(`${pod.metadata.namespace}/${found.name}`);
      if (!claim) return reference.resourceClaimTemplateName !== undefined;
      if (found.isGenerated && !isClaimForPod(claim, pod)) return false;
      return isToBeReserved(claim, pod);
    });
  }

  async #syncPod(key: string): Promise<void> {
    const { clients, informers } = this.#context;
    const pod = informers.core.v1.pods.informer.indexer.getByKey(key);
    if (!pod || pod.metadata.deletionTimestamp || isPodTerminal(pod)) return;
    const { namespace = '', name = '' } = pod.metadata;
    const made = new Map<string, string>();
    for (const reference of pod.spec?.resourceClaims ?? []) {
      try {
        const claim = await this.#ensureClaim(pod, reference);
        if (claim) made.set(reference.name, claim.metadata.name ?? '');
      } catch (error) {
        const message = `PodResourceClaim ${reference.name}: ${messageOf(error)}`;
        const { resource } = clients.core.v1.pods(namespace);
        this.#recorder.event(pod, 'Warning', 'FailedResourceClaimCreation', message, { kind: resource });
        throw new Error(`pod ${key}, ${message}`, { cause: error });
      }
    }
    if (made.size > 0) {
      for (const { name, resourceClaimName } of pod.status?.resourceClaimStatuses ?? [])
        if (resourceClaimName !== undefined && !made.has(name)) made.set(name, resourceClaimName);
      const resourceClaimStatuses = [...made].map(([name, resourceClaimName]) => ({ name, resourceClaimName }));
      await clients.core.v1
        .pods(namespace)
        .applyStatus(
          { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, status: { resourceClaimStatuses } },
          { fieldManager, force: true },
        );
    }
    // A pod that was bound without the scheduler has no reservations yet.
    if (pod.spec?.nodeName) await this.#reserveClaims(pod);
  }

  /** Returns the claim to record in the pod's status, or undefined when it is recorded already or not generated. */
  async #ensureClaim(pod: Pod, reference: PodResourceClaim): Promise<ResourceClaim | undefined> {
    const { namespace = '', name } = pod.metadata;
    const found = lookUpClaim(pod, reference);
    if (found.is === 'not needed') return undefined;
    if (found.is === 'unsupported') {
      const quoted = JSON.stringify(reference.name);
      throw new Error(
        `checking for claim before creating it: pod "${namespace}/${name}", spec.resourceClaim ${quoted}: none of the supported fields are set`,
      );
    }
    if (found.is === 'named') {
      const claim = this.#claims.get(`${namespace}/${found.name}`);
      if (claim && (!found.isGenerated || isClaimForPod(claim, pod))) return undefined;
    }
    const { resourceClaimTemplateName: templateName } = reference;
    if (templateName === undefined) return undefined;
    return this.#existingClaim(pod, reference) ?? (await this.#createClaim(pod, reference, templateName));
  }

  /** Returns a claim that was generated earlier for this entry but is not in the pod's status. */
  #existingClaim(pod: Pod, { name }: PodResourceClaim): ResourceClaim | undefined {
    const uid = pod.metadata.uid ?? '';
    const own = [
      ...this.#claims.byIndex(ownerIndex, uid),
      ...this.#claims.unseen().filter((claim) => owningPod(claim)?.uid === uid),
    ];
    return own.find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === name);
  }

  async #createClaim(pod: Pod, { name }: PodResourceClaim, templateName: string): Promise<ResourceClaim> {
    const { clients, informers } = this.#context;
    const { namespace = '' } = pod.metadata;
    const template = informers.resource.v1.resourceClaimTemplates.informer.indexer.getByKey(
      `${namespace}/${templateName}`,
    );
    if (!template) {
      const quoted = JSON.stringify(templateName);
      throw new Error(`resource claim template ${quoted}: resourceclaimtemplate.resource.k8s.io ${quoted} not found`);
    }
    try {
      const claim = await clients.resource.v1.resourceClaims(namespace).create(claimFromTemplate(pod, name, template));
      return this.#claims.wrote(claim);
    } catch (error) {
      throw new Error(`create ResourceClaim : ${messageOf(error)}`, { cause: error });
    }
  }

  async #reserveClaims(pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    for (const reference of pod.spec?.resourceClaims ?? []) {
      const found = lookUpClaim(pod, reference);
      if (found.is === 'not needed') continue;
      // A new claim is reserved after the pod's status contains it, which causes another reconcile.
      if (found.is !== 'named') return;
      const claim = this.#claims.get(`${namespace}/${found.name}`);
      if (!claim) return;
      if (found.isGenerated && !isClaimForPod(claim, pod)) {
        throw new Error(
          `ResourceClaim ${namespace}/${found.name} was not created for Pod ${namespace}/${name} (Pod is not owner)`,
        );
      }
      if (!isToBeReserved(claim, pod)) continue;
      const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: 'pods', name, uid }];
      await this.#updateStatus({ ...claim, status: { ...claim.status, reservedFor } });
    }
  }

  async #updateStatus(claim: ResourceClaim): Promise<ResourceClaim> {
    const claims = this.#context.clients.resource.v1.resourceClaims(claim.metadata.namespace ?? '');
    return this.#claims.wrote(await claims.updateStatus(claim));
  }

  async #syncClaim(key: string): Promise<void> {
    const claim = this.#claims.get(key);
    if (!claim) return;
    const reservedFor = claim.status?.reservedFor ?? [];
    const remaining: ResourceClaimConsumerReference[] = [];
    for (const consumer of reservedFor) if (await this.#isInUse(key, consumer)) remaining.push(consumer);
    const isFree = remaining.length === 0;
    const isOurs = hasFinalizer(claim, finalizer);
    if (remaining.length < reservedFor.length) {
      const { allocation, ...status } = claim.status ?? {};
      // The claim has no users any more, so its devices are deallocated.
      const kept = allocation && !(isFree && isOurs) ? { allocation } : {};
      const freed = await this.#updateStatus({ ...claim, status: { ...status, ...kept, reservedFor: remaining } });
      if (hasFinalizer(freed, finalizer) && !freed.status?.allocation) await this.#removeFinalizer(freed);
    } else if (isOurs && isFree && claim.metadata.deletionTimestamp) {
      const { allocation, ...status } = claim.status ?? {};
      await this.#removeFinalizer(allocation ? await this.#updateStatus({ ...claim, status }) : claim);
    }
    if (isFree) await this.#deleteOrphan(key, claim);
  }

  /** Whether the consumer exists. Consumers that are not pods are managed by others and count as existing. */
  async #isInUse(
    key: string,
    { apiGroup = '', resource, name, uid }: ResourceClaimConsumerReference,
  ): Promise<boolean> {
    if (apiGroup !== '' || resource !== 'pods') return true;
    if (this.#deletedPods.get(uid)) return false;
    const { clients, informers } = this.#context;
    const { namespace } = splitKey(key);
    const known = informers.core.v1.pods.informer.indexer.getByKey(`${namespace}/${name}`);
    if (known) return known.metadata.uid === uid && !isPodDone(known);
    // The scheduler may have reserved the claim for a pod that the cache does not contain yet.
    try {
      return (await clients.core.v1.pods(namespace).get(name)).metadata.uid === uid;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #removeFinalizer(claim: ResourceClaim): Promise<void> {
    const claims = this.#context.clients.resource.v1.resourceClaims(claim.metadata.namespace ?? '');
    this.#claims.wrote(await claims.update(withoutFinalizer(claim, finalizer)));
  }

  /** Deletes the generated claim of a terminated pod. The garbage collector deletes claims of deleted pods. */
  async #deleteOrphan(key: string, claim: ResourceClaim): Promise<void> {
    const { clients, informers } = this.#context;
    const owner = owningPod(claim);
    if (!owner || claim.metadata.deletionTimestamp) return;
    const { namespace, name } = splitKey(key);
    const pod = informers.core.v1.pods.informer.indexer.getByKey(`${namespace}/${owner.name}`);
    if (!pod || (pod.metadata.uid === owner.uid && !isPodDone(pod))) return;
    await clients.resource.v1
      .resourceClaims(namespace)
      .delete(name)
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

/** Whether the claim is allocated and not yet reserved for the pod, which was bound without the scheduler. */
function isToBeReserved({ status }: ResourceClaim, { metadata, spec }: Pod): boolean {
  return (
    spec?.nodeName !== undefined &&
    status?.allocation !== undefined &&
    !status.reservedFor?.some(({ uid }) => uid === metadata.uid)
  );
}
