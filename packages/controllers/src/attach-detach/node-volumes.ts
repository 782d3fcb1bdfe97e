import type { AttachedVolume, Node } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { LatestObjects } from '../framework/writes/latest-objects.ts';
import { isCsiVolumeName } from './csi-volume.ts';

/** Writes `status.volumesAttached` of nodes. Writes to the same node are serialized. */
export class NodeVolumes {
  readonly nodes: LatestObjects<Node>;
  readonly #clients: ControllerContext['clients'];
  readonly #attachedTo: (nodeName: string) => readonly string[];
  /** The last write to each node that has writes in progress. */
  readonly #writes = new Map<string, Promise<void>>();

  /** `attachedTo` returns the names of all CSI volumes that are attached to the node. */
  constructor({ clients, informers }: ControllerContext, attachedTo: (nodeName: string) => readonly string[]) {
    this.#clients = clients;
    this.#attachedTo = attachedTo;
    this.nodes = new LatestObjects(informers.core.v1.nodes.informer);
  }

  /** Resolves when the node's status lists the attached volumes. */
  async report(nodeName: string): Promise<void> {
    const before = this.#writes.get(nodeName) ?? Promise.resolve();
    const write = before.catch(() => {}).then(() => this.#write(nodeName));
    this.#writes.set(nodeName, write);
    try {
      await write;
    } finally {
      if (this.#writes.get(nodeName) === write) this.#writes.delete(nodeName);
    }
  }

  async #write(nodeName: string): Promise<void> {
    const node = this.nodes.get(nodeName);
    if (!node) return;
    const reported = node.status?.volumesAttached ?? [];
    const volumesAttached = reportedVolumes(reported, this.#attachedTo(nodeName));
    if (semanticEqual(reported, volumesAttached)) return;
    try {
      const patch = { status: { volumesAttached } };
      this.nodes.wrote(await this.#clients.core.v1.nodes().patchStatus(nodeName, 'strategic-merge', patch));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Keeps the order of the reported volumes. Volumes that are not CSI are reported by others and kept. */
function reportedVolumes(reported: readonly AttachedVolume[], attached: readonly string[]): readonly AttachedVolume[] {
  const known = new Set(reported.map(({ name }) => name));
  return [
    ...reported.filter(({ name }) => !isCsiVolumeName(name) || attached.includes(name)),
    ...attached.filter((name) => !known.has(name)).map((name) => ({ name, devicePath: '' })),
  ];
}
