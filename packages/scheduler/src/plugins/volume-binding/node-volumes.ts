import type { Node, PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { Status } from '../../framework/status.ts';
import { annotations } from './annotations.ts';
import { matchOnNode } from './matching-volumes.ts';
import type { PodClaims, VolumeCaches } from './pod-claims.ts';
import { type Provisioning, provisioningOf } from './provisioning.ts';
import type { VolumeAccess } from './volume-access.ts';

interface StaticBinding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** What has to be written for a pod's claims when it is scheduled to a node. */
export interface PodVolumes {
  readonly bindings: readonly StaticBinding[];
  /** Claims to provision volumes for. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** Bits for the reasons why a node is rejected. */
const nodeConflict = 1;
const bindConflict = 2;
const notEnoughSpace = 4;
const volumeMissing = 8;

const reasons: readonly (readonly [bit: number, reason: string])[] = [
  [nodeConflict, "node(s) didn't match PersistentVolume's node affinity"],
  [bindConflict, "node(s) didn't find available persistent volumes to bind"],
  [notEnoughSpace, 'node(s) did not have enough free storage'],
  [volumeMissing, 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'],
];

/** By bits: nodes rejected for the same reasons share a status. */
const statuses = Array.from({ length: 16 }, (_, bits) =>
  Status.unresolvable(...reasons.flatMap(([bit, reason]) => (bits & bit ? [reason] : []))),
);

/** Checks nodes against the claims of one pod. */
export class NodeVolumeCheck {
  readonly #claims: PodClaims;
  readonly #caches: VolumeCaches;
  readonly #access: VolumeAccess;
  /** Cached by claim. */
  readonly #provisionings = new Map<PersistentVolumeClaim, Provisioning>();
  /** By node name: the result for nodes that pass. */
  readonly #found = new Map<string, PodVolumes>();

  constructor(claims: PodClaims, caches: VolumeCaches, access: VolumeAccess) {
    this.#claims = claims;
    this.#caches = caches;
    this.#access = access;
  }

  get isAllBound(): boolean {
    return this.#claims.unbound.length + this.#claims.selected.length === 0;
  }

  /** Returns the result for a node that passed; undefined when nothing has to be done. */
  found(nodeName: string): PodVolumes | undefined {
    return this.#found.get(nodeName);
  }

  /** Throws an Error when the check itself fails. */
  check(node: Node): Status | undefined {
    let wrong = this.#checkBound(node);
    if (!this.isAllBound) {
      const volumes = this.#findVolumes(node);
      if (typeof volumes === 'number') wrong |= volumes;
      else if (wrong === 0) this.#found.set(node.metadata.name ?? '', volumes);
    }
    return wrong === 0 ? undefined : statuses[wrong];
  }

  #checkBound(node: Node): number {
    for (const { spec } of this.#claims.bound) {
      const volume = this.#caches.volumes.get(spec?.volumeName ?? '');
      if (!volume) return volumeMissing;
      if (!this.#access.has(node, volume)) return nodeConflict;
    }
    return 0;
  }

  #findVolumes(node: Node): PodVolumes | number {
    const { selected, unbound } = this.#claims;
    for (const { metadata } of selected) {
      if (metadata.annotations?.[annotations.selectedNode] !== node.metadata.name) return bindConflict;
    }
    const bindings: StaticBinding[] = [];
    const provisions = [...selected];
    const isTaken = (volume: PersistentVolume): boolean => bindings.some((binding) => binding.volume === volume);
    for (const matchable of unbound) {
      const volume = matchOnNode(matchable, node, { access: this.#access, isTaken });
      if (volume) bindings.push({ claim: matchable.claim, volume });
      else provisions.push(matchable.claim);
    }
    for (const claim of provisions) {
      const outcome = this.#provisioning(claim)(node);
      if (outcome === 'Impossible') return bindConflict;
      if (outcome === 'NotEnoughSpace') return notEnoughSpace;
    }
    return { bindings, provisions };
  }

  #provisioning(claim: PersistentVolumeClaim): Provisioning {
    let provisioning = this.#provisionings.get(claim);
    if (!provisioning) {
      provisioning = provisioningOf(claim, this.#caches.informers);
      this.#provisionings.set(claim, provisioning);
    }
    return provisioning;
  }
}
