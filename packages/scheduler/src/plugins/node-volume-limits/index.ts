import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { CSINode, VolumeAttachment } from '@coxswain/api/storage/v1';
import type { SharedInformerFactory } from '@coxswain/client';
import { Action, type ClusterEventWithHint } from '../../framework/cluster-event.ts';
import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status, skip } from '../../framework/status.ts';
import { usesClaim } from '../../volumes/claims.ts';
import { inlinePlugin } from '../../volumes/migrated-volumes.ts';
import { ClaimError, CSIVolumes, type DriversByVolume, mayUseCSI, volumeKey } from './csi-volumes.ts';

const name = 'NodeVolumeLimits';

/** The volumes that the pod needs attached, or the failure to determine them. */
interface WantedVolumes {
  readonly failure: Status | undefined;
  /** Computed on first use: on a node with a limit. */
  volumes: DriversByVolume | undefined;
}

const wanted = new StateKey<WantedVolumes>(`PreFilter${name}`);

/** Restricts pods to nodes whose CSI drivers can attach the additional volumes they need. */
export const nodeVolumeLimits: PluginDefinition = {
  name,
  create: (_, { informers, random }) => {
    const csi = new CSIVolumes(informers, Math.trunc(random() * 2 ** 52).toString(36));
    const attachments = new Attachments(informers);
    const csiNodes = informers.storage.v1.csiNodes.informer.indexer;
    const rejected = Status.unschedulable('node(s) exceed max volume count');

    function fits(newVolumes: DriversByVolume, node: NodeInfo, csiNode: CSINode): boolean {
      const limits = limitsOf(csiNode, new Set(newVolumes.values()));
      // Differs from upstream: without a limit for any of the pod's drivers, the volumes of other pods are not examined, so invalid ones
      // cause no error.
      if (limits.size === 0) return true;
      const attached: DriversByVolume = new Map();
      for (const { pod } of node.pods) csi.addVolumes(pod, attached);
      const counts = new Map<string, number>();
      const count = (driver: string): unknown => counts.set(driver, (counts.get(driver) ?? 0) + 1);
      for (const driver of attached.values()) count(driver);
      for (const [volume, driver] of attachments.of(node.name)) if (!attached.has(volume)) count(driver);
      const isNeeded = new Set<string>();
      for (const [volume, driver] of newVolumes) {
        if (attached.has(volume)) continue;
        isNeeded.add(driver);
        count(driver);
      }
      return [...limits].every(([driver, limit]) => !isNeeded.has(driver) || (counts.get(driver) ?? 0) <= limit);
    }

    return {
      name,
      preFilter: (state, { pod }) => {
        if (!mayUseCSI(pod)) return skip;
        state.set(wanted, { failure: failureOf(() => csi.checkClaims(pod)), volumes: undefined });
        return undefined;
      },
      filter: (state, { pod }, node) => {
        const needs = state.get(wanted);
        if (needs.failure) return needs.failure;
        const csiNode = csiNodes.getByKey(node.name);
        if (!csiNode) return undefined;
        let isEnough = true;
        const failure = failureOf(() => {
          if (!needs.volumes) {
            const volumes: DriversByVolume = new Map();
            csi.addVolumes(pod, volumes);
            needs.volumes = volumes;
          }
          isEnough = needs.volumes.size === 0 || fits(needs.volumes, node, csiNode);
        });
        return failure ?? (isEnough ? undefined : rejected);
      },
      eventsToRegister: () => events,
    };
  },
};

function failureOf(check: () => void): Status | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    // Unresolvable until the claim is created.
    return error instanceof ClaimError ? Status.unresolvable(error.message) : Status.failed(error);
  }
}

/** The attach limits of the drivers on the node; drivers without a limit are omitted. */
function limitsOf({ spec }: CSINode, drivers: ReadonlySet<string>): Map<string, number> {
  const limits = new Map<string, number>();
  for (const { name: driver, allocatable } of spec.drivers ?? []) {
    if (allocatable?.count !== undefined && drivers.has(driver)) limits.set(driver, allocatable.count);
  }
  return limits;
}

/** The volumes attached to nodes, whether or not a known pod on the node uses them. */
class Attachments {
  static readonly #index = 'nodeName';
  readonly #informers: SharedInformerFactory;

  constructor(informers: SharedInformerFactory) {
    this.#informers = informers;
    const { informer } = informers.storage.v1.volumeAttachments;
    // Another profile may have added the index already.
    if (!informer.indexer.hasIndex(Attachments.#index)) {
      informer.addIndexers({ [Attachments.#index]: ({ spec }) => [spec.nodeName] });
    }
  }

  of(nodeName: string): DriversByVolume {
    const volumes = this.#informers.core.v1.persistentVolumes.informer.indexer;
    const found: DriversByVolume = new Map();
    for (const { spec } of this.#informers.storage.v1.volumeAttachments.informer.indexer.byIndex(
      Attachments.#index,
      nodeName,
    )) {
      const { attacher: driver, source } = spec;
      const csi = source.persistentVolumeName && volumes.getByKey(source.persistentVolumeName)?.spec?.csi;
      if (driver && csi) found.set(volumeKey({ driver, volumeHandle: csi.volumeHandle }), driver);
    }
    return found;
  }
}

const events: readonly ClusterEventWithHint[] = [
  { event: { resource: 'storage.k8s.io/CSINode', action: Action.Add } },
  {
    event: { resource: 'storage.k8s.io/CSINode', action: Action.Update },
    hint: hintAbout<CSINode>((_pod, before, after) => queueIf(!before || !after || isLimitRaised(before, after))),
  },
  {
    event: { resource: 'Pod', action: Action.Delete },
    hint: hintAbout<Pod>((_pod, deleted) => {
      const hadPlace = deleted?.spec?.nodeName || deleted?.status?.nominatedNodeName;
      return queueIf(!!deleted && !!hadPlace && mayUseCSI(deleted));
    }),
  },
  {
    event: { resource: 'PersistentVolumeClaim', action: Action.Add },
    hint: hintAbout<PersistentVolumeClaim>((pod, _before, claim) => queueIf(!!claim && usesClaim(pod, claim))),
  },
  {
    event: { resource: 'storage.k8s.io/VolumeAttachment', action: Action.Delete },
    hint: hintAbout<VolumeAttachment>((pod, deleted) => queueIf(!!deleted && mayNeed(pod, deleted))),
  },
];

function isLimitRaised(before: CSINode, after: CSINode): boolean {
  const limits = new Map(before.spec.drivers?.map((driver) => [driver.name, driver.allocatable?.count ?? 0]));
  return (after.spec.drivers ?? []).some((driver) => (driver.allocatable?.count ?? 0) > (limits.get(driver.name) ?? 0));
}

const mayNeed = ({ spec }: Pod, { spec: { attacher } }: VolumeAttachment): boolean =>
  spec?.volumes?.some((volume) => volume.persistentVolumeClaim || inlinePlugin(volume)?.driver === attacher) ?? false;
