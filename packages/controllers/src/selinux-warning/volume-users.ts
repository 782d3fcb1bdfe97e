import { splitKey } from '@coxswain/client';
import type { MountedVolume } from './mounted-volume.ts';
import { labelsConflict } from './selinux-label.ts';

/** How a pod mounts a volume. */
export interface VolumeUse {
  /** The label that the volume is mounted with; empty for none. */
  readonly label: string;
  readonly changePolicy: string;
}

/** An event for a pod about its conflict with another pod. */
export interface VolumeConflict {
  readonly podKey: string;
  readonly reason: 'SELinuxChangePolicyConflict' | 'SELinuxLabelConflict';
  readonly message: string;
}

interface Users {
  readonly csiDriver: string | undefined;
  readonly uses: Map<string, VolumeUse>;
}

/** Records which pods use which volumes, and how. */
export class VolumeUsers {
  /** By unique name. Volumes without users are removed. */
  readonly #volumes = new Map<string, Users>();
  /** The unique names of the volumes of each pod. */
  readonly #volumesOfPods = new Map<string, Set<string>>();

  /**
   * Records the use of a volume by a pod. Returns its conflicts with other pods, as events for both pods. Returns nothing when
   * the use is unchanged.
   */
  set({ uniqueName, csiDriver }: MountedVolume, podKey: string, use: VolumeUse): VolumeConflict[] {
    const { uses } = this.#volumes.get(uniqueName) ?? { uses: new Map<string, VolumeUse>() };
    this.#volumes.set(uniqueName, { csiDriver, uses });
    const known = uses.get(podKey);
    if (known?.label === use.label && known.changePolicy === use.changePolicy) return [];
    uses.set(podKey, use);
    this.#volumesOfPods.set(podKey, (this.#volumesOfPods.get(podKey) ?? new Set()).add(uniqueName));
    return [...uses].flatMap(([otherKey, other]) => conflicts(podKey, use, otherKey, other));
  }

  deletePod(podKey: string): void {
    for (const uniqueName of this.#volumesOfPods.get(podKey) ?? []) {
      const uses = this.#volumes.get(uniqueName)?.uses;
      if (uses?.delete(podKey) && uses.size === 0) this.#volumes.delete(uniqueName);
    }
    this.#volumesOfPods.delete(podKey);
  }

  podsOfDriver(csiDriver: string): string[] {
    const volumes = [...this.#volumes.values()].filter((volume) => volume.csiDriver === csiDriver);
    return volumes.flatMap(({ uses }) => [...uses.keys()]);
  }
}

function conflicts(podKey: string, use: VolumeUse, otherKey: string, other: VolumeUse): VolumeConflict[] {
  const found: VolumeConflict[] = [];
  if (use.changePolicy !== other.changePolicy) {
    const [property, reason] = ['SELinuxChangePolicy', 'SELinuxChangePolicyConflict'] as const;
    found.push(
      { podKey, reason, message: message(property, podKey, use.changePolicy, otherKey, other.changePolicy) },
      { podKey: otherKey, reason, message: message(property, otherKey, other.changePolicy, podKey, use.changePolicy) },
    );
  }
  if (labelsConflict(use.label, other.label)) {
    const [property, reason] = ['SELinuxLabel', 'SELinuxLabelConflict'] as const;
    found.push(
      { podKey, reason, message: message(property, podKey, use.label, otherKey, other.label) },
      { podKey: otherKey, reason, message: message(property, otherKey, other.label, podKey, use.label) },
    );
  }
  return found;
}

const consequence = 'If both pods land on the same node, only one of them may access the volume.';

/** Pods in other namespaces are not named. The missing space in that message is upstream's. */
function message(property: string, podKey: string, value: string, otherKey: string, otherValue: string): string {
  const other = splitKey(otherKey);
  if (other.namespace !== splitKey(podKey).namespace) {
    return `${property}"${value}" conflicts with another pod that uses the same volume as this pod with a different ${property}. ${consequence}`;
  }
  return `${property} "${value}" conflicts with pod ${other.name} that uses the same volume as this pod with ${property} "${otherValue}". ${consequence}`;
}
