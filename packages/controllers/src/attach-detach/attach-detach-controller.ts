import type { Node, PersistentVolume, Pod } from '@coxswain/api/core/v1';
import type { VolumeAttachment } from '@coxswain/api/storage/v1';
import { isAlreadyExists, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { deletedObject, type EventRecorder, type EventType, ItemExponentialFailureRateLimiter } from '@coxswain/client';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { addNodeIndex, podsOnNode } from '../framework/nodes/pod-node-index.ts';
import { addClaimIndex, claimKeys, claimNameOf, isClaimOfPod, podsWithClaim } from '../framework/volumes/claim-pods.ts';
import { LatestObjects } from '../framework/writes/latest-objects.ts';
import { attachmentName, isManaged, isOutOfService, isReady, mayMultiAttach, uniqueVolumeName } from './csi-volume.ts';
import { decideDetach } from './detach-decision.ts';
import { multiAttachMessage } from './multi-attach-message.ts';
import { NodeVolumes } from './node-volumes.ts';

export interface AttachDetachOptions {
  /**
   * `--disable-force-detach-on-timeout`: volumes stay attached to a node that is not ready, until the node has the out-of-service
   * taint.
   */
  readonly disableForceDetachOnTimeout?: boolean;
}

export function attachDetachController(options: AttachDetachOptions = {}): ControllerDefinition {
  return {
    name: 'persistentvolume-attach-detach-controller',
    aliases: ['attachdetach'],
    create: (context) => new AttachDetach(context, options),
  };
}

const minuteMs = 60_000;
/** How long a node that is not ready may keep a volume that no pod on it uses. */
const maxWaitForUnmountMs = 6 * minuteMs;
/** How long attaching may take before a FailedAttachVolume event is recorded. */
const attachTimeoutMs = 2 * minuteMs;
const volumeIndex = 'persistentVolume';
const nodeIndex = 'node';

/**
 * Reconciles volumes (`volume:name`): compares the nodes that need the volume with its VolumeAttachments, which are the only
 * record of the actual state. In memory it keeps only start times of waits and which notifications were sent. Also reconciles
 * nodes (`node:name`), whose status must list their attached volumes.
 */
class AttachDetach implements Controller {
  readonly #context: ControllerContext;
  readonly #loop: ReconcileLoop;
  readonly #recorder: EventRecorder;
  readonly #attachments: LatestObjects<VolumeAttachment>;
  readonly #nodes: NodeVolumes;
  readonly #maxWaitMs: number | undefined;
  /** By the names of VolumeAttachments. An entry is removed when its attachment is deleted. */
  readonly #waits = new Map<
    string,
    { detachSince?: number; attachSince?: number; isDetaching?: boolean; isAnnounced?: boolean }
  >();
  /** The volumes in use of deleted nodes, for as long as they have attachments. */
  readonly #lastMounted = new Map<string, readonly string[]>();
  /** For each volume, the nodes whose pods were notified that the volume is attached elsewhere. */
  readonly #told = new Map<string, Set<string>>();

  constructor(context: ControllerContext, { disableForceDetachOnTimeout = false }: AttachDetachOptions) {
    this.#context = context;
    this.#recorder = context.recorder('attachdetach-controller');
    this.#maxWaitMs = disableForceDetachOnTimeout ? undefined : maxWaitForUnmountMs;
    const { pods, nodes, persistentVolumes, persistentVolumeClaims } = context.informers.core.v1;
    const { volumeAttachments, csiDrivers } = context.informers.storage.v1;
    this.#attachments = new LatestObjects(volumeAttachments.informer);
    this.#nodes = new NodeVolumes(context, (nodeName) => this.#attachedTo(nodeName));
    this.#loop = new ReconcileLoop(context, {
      name: 'attachdetach',
      workers: 10,
      synced: [pods, nodes, persistentVolumes, persistentVolumeClaims, volumeAttachments, csiDrivers].map(
        (it) => it.informer,
      ),
      rateLimiter: new ItemExponentialFailureRateLimiter(500, 122_000),
      reconcile: (item) => {
        const [kind, name = ''] = item.split(/:(.*)/, 2);
        return kind === 'node' ? this.#nodes.report(name) : this.#syncVolume(name);
      },
    });
    addClaimIndex(pods.informer);
    addNodeIndex(pods.informer);
    volumeAttachments.informer.addIndexers({
      [volumeIndex]: ({ spec }) => [spec.source.persistentVolumeName ?? ''],
      [nodeIndex]: ({ spec }) => [spec.nodeName],
    });
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const { pods, nodes, persistentVolumes, persistentVolumeClaims } = this.#context.informers.core.v1;
    const { volumeAttachments, csiDrivers } = this.#context.informers.storage.v1;
    const enqueueVolume = (name: string | undefined): void => {
      if (name) this.#loop.queue.add(`volume:${name}`);
    };
    const enqueuePod = (pod: Pod): void => {
      if (!pod.spec?.nodeName) return;
      for (const key of claimKeys(pod))
        enqueueVolume(persistentVolumeClaims.informer.indexer.getByKey(key)?.spec?.volumeName);
    };
    const enqueueNode = ({ metadata: { name = '' } }: Node): void => {
      this.#loop.queue.add(`node:${name}`);
      for (const { spec } of this.#attachments.byIndex(nodeIndex, name))
        enqueueVolume(spec.source.persistentVolumeName);
    };
    const enqueueAttachment = ({ spec }: VolumeAttachment): void => {
      enqueueVolume(spec.source.persistentVolumeName);
      this.#loop.queue.add(`node:${spec.nodeName}`);
    };
    pods.informer.addEventHandler({
      onAdd: enqueuePod,
      onUpdate: (old, pod) => {
        const isSettled = old.spec?.nodeName === pod.spec?.nodeName && isPodTerminal(old) === isPodTerminal(pod);
        if (!isSettled) enqueuePod(pod);
      },
      onDelete: (deleted) => enqueuePod(deletedObject(deleted)),
    });
    nodes.informer.addEventHandler({
      onAdd: (node) => {
        this.#lastMounted.delete(node.metadata.name ?? '');
        enqueueNode(node);
        for (const pod of pods.informer.indexer.values())
          if (pod.spec?.nodeName === node.metadata.name) enqueuePod(pod);
      },
      onUpdate: (old, node) => {
        if (!hasSameUse(old, node)) enqueueNode(node);
        // Volumes are not queued here: that would bypass their backoff after a failure.
        else this.#loop.queue.add(`node:${node.metadata.name}`);
        if (isManaged(old) !== isManaged(node))
          podsOnNode(pods.informer.indexer, node.metadata.name ?? '').forEach(enqueuePod);
      },
      onDelete: (deleted) => {
        const node = deletedObject(deleted);
        const { name = '' } = node.metadata;
        if (this.#attachments.byIndex(nodeIndex, name).length > 0)
          this.#lastMounted.set(name, node.status?.volumesInUse ?? []);
        enqueueNode(node);
      },
    });
    persistentVolumeClaims.informer.addEventHandler({
      onAdd: ({ spec }) => enqueueVolume(spec?.volumeName),
      onUpdate: (_, { spec }) => enqueueVolume(spec?.volumeName),
    });
    persistentVolumes.informer.addEventHandler({
      onAdd: ({ metadata }) => enqueueVolume(metadata.name),
      onUpdate: (_, { metadata }) => enqueueVolume(metadata.name),
    });
    const enqueueDriver = (driver: string | undefined): void => {
      for (const { metadata, spec } of persistentVolumes.informer.indexer.values())
        if (spec?.csi && spec.csi.driver === driver) enqueueVolume(metadata.name);
    };
    csiDrivers.informer.addEventHandler({
      onAdd: ({ metadata }) => enqueueDriver(metadata.name),
      onUpdate: (_, { metadata }) => enqueueDriver(metadata.name),
    });
    volumeAttachments.informer.addEventHandler({
      onAdd: enqueueAttachment,
      onUpdate: (_, attachment) => enqueueAttachment(attachment),
      onDelete: (deleted) => {
        const attachment = deletedObject(deleted);
        const { nodeName } = attachment.spec;
        this.#waits.delete(attachment.metadata.name ?? '');
        if (this.#attachments.byIndex(nodeIndex, nodeName).length === 0) this.#lastMounted.delete(nodeName);
        enqueueAttachment(attachment);
      },
    });
  }

  async #syncVolume(name: string): Promise<ReconcileResult> {
    const volume = this.#context.informers.core.v1.persistentVolumes.informer.indexer.getByKey(name);
    const wanted = volume ? this.#wantedBy(volume) : new Map<string, Pod[]>();
    const attachments = this.#attachmentsOf(name);
    const delays: number[] = [];
    const failures: unknown[] = [];
    const note = async (work: Promise<number | undefined>): Promise<void> => {
      await work.then(
        (delayMs) => delayMs !== undefined && delays.push(delayMs),
        (error: unknown) => failures.push(error),
      );
    };
    // Detach first: attaching to another node may depend on it.
    for (const attachment of attachments)
      if (!wanted.has(attachment.spec.nodeName) && this.#isOurs(attachment, volume))
        await note(this.#detach(attachment, volume));
    for (const [nodeName, pods] of wanted) if (volume) await note(this.#attach(volume, nodeName, pods));
    if (wanted.size === 0) this.#told.delete(name);
    if (failures.length > 0) throw failures[0];
    return delays.length > 0 ? { requeueAfterMs: Math.min(...delays) } : {};
  }

  /** Returns the nodes that the volume must be attached to, each with its pods that use the volume. */
  #wantedBy(volume: PersistentVolume): Map<string, Pod[]> {
    const { pods, persistentVolumeClaims } = this.#context.informers.core.v1;
    const { csiDrivers } = this.#context.informers.storage.v1;
    const { csi, claimRef } = volume.spec ?? {};
    const wanted = new Map<string, Pod[]>();
    if (!csi || !claimRef) return wanted;
    if (csiDrivers.informer.indexer.getByKey(csi.driver)?.spec.attachRequired === false) return wanted;
    const key = `${claimRef.namespace}/${claimRef.name}`;
    const claim = persistentVolumeClaims.informer.indexer.getByKey(key);
    const isBound = claim?.status?.phase === 'Bound' && claim.spec?.volumeName === volume.metadata.name;
    if (!isBound || claim.metadata.uid !== claimRef.uid) return wanted;
    for (const pod of podsWithClaim(pods.informer.indexer, key)) {
      const { nodeName } = pod.spec ?? {};
      const node = nodeName ? this.#nodes.nodes.get(nodeName) : undefined;
      if (!nodeName || !node || !isManaged(node) || isPodTerminal(pod)) continue;
      const isOwn = pod.spec?.volumes?.some(
        (each) => claimNameOf(pod, each) === claim.metadata.name && (!each.ephemeral || isClaimOfPod(pod, claim)),
      );
      if (isOwn) wanted.set(nodeName, [...(wanted.get(nodeName) ?? []), pod]);
    }
    return wanted;
  }

  #attachmentsOf(volumeName: string): VolumeAttachment[] {
    const unseen = this.#attachments.unseen().filter(({ spec }) => spec.source.persistentVolumeName === volumeName);
    const known = this.#attachments.byIndex(volumeIndex, volumeName);
    const names = new Set(known.map(({ metadata }) => metadata.name));
    return [...known, ...unseen.filter(({ metadata }) => !names.has(metadata.name))];
  }

  /**
   * Whether this controller created the attachment, possibly in an earlier run: the attachment's name is derived from the volume
   * and the node. If the volume is deleted, its possible names are taken from the node's status.
   */
  #isOurs({ metadata, spec: { nodeName } }: VolumeAttachment, volume: PersistentVolume | undefined): boolean {
    const { name: id = '' } = metadata;
    if (this.#waits.has(id)) return true;
    const uniqueName = volume && uniqueVolumeName(volume);
    if (uniqueName !== undefined) return attachmentName(uniqueName, nodeName) === id;
    const status = this.#nodes.nodes.get(nodeName)?.status;
    const known = [
      ...(status?.volumesAttached ?? []).map(({ name }) => name),
      ...(status?.volumesInUse ?? []),
      ...(this.#lastMounted.get(nodeName) ?? []),
    ];
    return known.some((name) => attachmentName(name, nodeName) === id);
  }

  /** Returns the names of the volumes that are attached to the node and not about to be detached. */
  #attachedTo(nodeName: string): string[] {
    const reported = this.#nodes.nodes.get(nodeName)?.status?.volumesAttached ?? [];
    return this.#attachments.byIndex(nodeIndex, nodeName).flatMap(({ metadata, spec, status }) => {
      const { name: id = '', deletionTimestamp } = metadata;
      if (!status?.attached || deletionTimestamp || this.#waits.get(id)?.isDetaching) return [];
      const { indexer } = this.#context.informers.core.v1.persistentVolumes.informer;
      const volume = indexer.getByKey(spec.source.persistentVolumeName ?? '');
      if (volume) return uniqueVolumeName(volume) ?? [];
      // The name of a deleted volume is known only from the node's status.
      return reported.map(({ name }) => name).filter((name) => attachmentName(name, nodeName) === id);
    });
  }

  #waitFor(attachment: string) {
    const wait = this.#waits.get(attachment) ?? {};
    this.#waits.set(attachment, wait);
    return wait;
  }

  /** Returns the delay until the volume must be checked again, or undefined when an event will trigger that. */
  async #attach(volume: PersistentVolume, nodeName: string, pods: readonly Pod[]): Promise<number | undefined> {
    const uniqueName = uniqueVolumeName(volume) ?? '';
    const id = attachmentName(uniqueName, nodeName);
    const attachment = this.#attachments.get(id);
    const { name = '' } = volume.metadata;
    // It is being detached. Its deletion triggers a new attachment.
    if (attachment?.metadata.deletionTimestamp) return undefined;
    if (!attachment) {
      const others = this.#attachmentsOf(name).filter(({ spec }) => spec.nodeName !== nodeName);
      if (others.length > 0 && !mayMultiAttach(volume)) {
        this.#tellMultiAttach(
          volume,
          nodeName,
          pods,
          others.map(({ spec }) => spec.nodeName),
        );
        return undefined;
      }
      await this.#createAttachment(volume, nodeName, pods, id);
    }
    const wait = this.#waitFor(id);
    delete wait.detachSince;
    wait.isDetaching = false;
    const now = this.#context.clock.now();
    if (attachment?.status?.attached) {
      delete wait.attachSince;
      const isReported = this.#nodes.nodes.get(nodeName)?.status?.volumesAttached?.some((it) => it.name === uniqueName);
      if (!wait.isAnnounced && !isReported)
        this.#tell(
          pods,
          'Normal',
          'SuccessfulAttachVolume',
          `AttachVolume.Attach succeeded for volume ${JSON.stringify(name)} `,
        );
      wait.isAnnounced = true;
      this.#loop.queue.add(`node:${nodeName}`);
      return undefined;
    }
    const problem = attachment?.status?.attachError?.message;
    if (problem !== undefined) throw this.#attachFailure(volume, pods, problem);
    wait.attachSince ??= now;
    const leftMs = wait.attachSince + attachTimeoutMs - now;
    if (leftMs > 0) return leftMs;
    delete wait.attachSince;
    const { driver, volumeHandle } = volume.spec?.csi ?? {};
    throw this.#attachFailure(
      volume,
      pods,
      `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${volumeHandle}`,
    );
  }

  async #createAttachment(volume: PersistentVolume, nodeName: string, pods: readonly Pod[], id: string): Promise<void> {
    const source = { persistentVolumeName: volume.metadata.name ?? '' };
    const attacher = volume.spec?.csi?.driver ?? '';
    try {
      const attachments = this.#context.clients.storage.v1.volumeAttachments();
      this.#attachments.wrote(
        await attachments.create({ metadata: { name: id }, spec: { attacher, nodeName, source } }),
      );
    } catch (error) {
      if (isAlreadyExists(error)) return;
      const reason = messageOf(error);
      throw this.#attachFailure(volume, pods, `attacher.Attach failed: ${reason}`);
    }
  }

  #attachFailure({ metadata }: PersistentVolume, pods: readonly Pod[], reason: string): Error {
    const message = `AttachVolume.Attach failed for volume ${JSON.stringify(metadata.name)} : ${reason}`;
    this.#tell(pods, 'Warning', 'FailedAttachVolume', message);
    return new Error(message);
  }

  #tellMultiAttach(volume: PersistentVolume, nodeName: string, pods: readonly Pod[], others: readonly string[]): void {
    const { name = '' } = volume.metadata;
    const told = this.#told.get(name) ?? new Set();
    this.#told.set(name, told);
    if (told.has(nodeName)) return;
    told.add(nodeName);
    const users = [...this.#wantedBy(volume)].flatMap(([node, its]) => (others.includes(node) ? its : []));
    for (const pod of pods) this.#tell([pod], 'Warning', 'FailedAttachVolume', multiAttachMessage(name, pod, users));
  }

  #tell(pods: readonly Pod[], type: EventType, reason: string, message: string): void {
    const { resource } = this.#context.clients.core.v1.pods();
    for (const pod of pods) this.#recorder.event(pod, type, reason, message, { kind: resource });
  }

  /** Returns the same as `#attach`. */
  async #detach(attachment: VolumeAttachment, volume: PersistentVolume | undefined): Promise<number | undefined> {
    const { name: id = '', uid = '', deletionTimestamp } = attachment.metadata;
    const { nodeName } = attachment.spec;
    const wait = this.#waitFor(id);
    const now = this.#context.clock.now();
    wait.detachSince ??= now;
    delete wait.attachSince;
    if (deletionTimestamp) return undefined;
    const node = this.#nodes.nodes.get(nodeName);
    const isThis = (name: string): boolean => attachmentName(name, nodeName) === id;
    const mounted = node ? (node.status?.volumesInUse ?? []) : this.#lastMounted.get(nodeName);
    const decision = decideDetach({
      node,
      isMounted: mounted ? mounted.some(isThis) : true,
      waitedMs: now - wait.detachSince,
      maxWaitMs: this.#maxWaitMs,
    });
    if (decision.is === 'wait') return decision.againInMs;
    // From here on the node's status must not list the volume, even if detaching fails. It is listed again only after a new
    // attach.
    wait.isDetaching = true;
    try {
      await this.#nodes.report(nodeName);
    } catch (error) {
      wait.isDetaching = false;
      throw error;
    }
    if (decision.verify) await this.#verifyNotInUse(nodeName, volume, isThis);
    const attachments = this.#context.clients.storage.v1.volumeAttachments();
    await attachments.delete(id, { preconditions: { uid } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    wait.isAnnounced = false;
    return undefined;
  }

  /** Throws when the server's current node status lists the volume as in use. The cached node may be stale. */
  async #verifyNotInUse(
    nodeName: string,
    volume: PersistentVolume | undefined,
    isThis: (name: string) => boolean,
  ): Promise<void> {
    const node = await this.#context.clients.core.v1
      .nodes()
      .get(nodeName)
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    const inUse = node?.status?.volumesInUse?.find(isThis);
    if (inUse === undefined) return;
    const name = JSON.stringify(volume?.metadata.name ?? inUse);
    throw new Error(
      `DetachVolume failed for volume ${name} (UniqueName: ${JSON.stringify(inUse)}) on node ${JSON.stringify(nodeName)} : volume is still in use by node, according to Node status`,
    );
  }
}

/** Whether nothing has changed on the node that attaching or detaching volumes depends on. */
function hasSameUse(old: Node, node: Node): boolean {
  return (
    isReady(old) === isReady(node) &&
    isOutOfService(old) === isOutOfService(node) &&
    semanticEqual(old.status?.volumesInUse, node.status?.volumesInUse)
  );
}
