import type { FeatureGates } from '@coxswain/api';
import type { PodCertificateRequest } from '@coxswain/api/certificates/v1beta1';
import type { PersistentVolume, Pod } from '@coxswain/api/core/v1';
import type { ResourceSlice } from '@coxswain/api/resource/v1';
import type { VolumeAttachment } from '@coxswain/api/storage/v1';
import type { Listers } from '../registry/lister.ts';
import { type Following, follow } from './follow.ts';
import { type ReferencedKind, visitPodReferences, visitVolumeSecrets } from './pod-references.ts';

export type GraphKind = ReferencedKind | 'pod' | 'pv' | 'volumeattachment' | 'resourceslice' | 'podcertificaterequest';

/** The graph entries of an object with a node name. */
interface Edges {
  readonly node: string;
  readonly keys: readonly string[];
  /** Identifies the data that the edges were made from. Equal origins have equal edges. */
  readonly origin: string;
}

/**
 * Which objects are related to which node: node ← pod ← secret, config map, claim …; claim ← volume ← secret. As the
 * paths are that short, each object has its set of nodes, and only volumes are followed at lookup.
 */
export class NodeGraph {
  readonly synced: Promise<void>;
  /**
   * Object key → node → number of pods (or the object itself) that relate them. No count is zero and no map is empty.
   */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** The entries in `#nodes` of each pod, attachment, slice or request, for their removal. */
  readonly #edges = new Map<string, Edges>();
  readonly #claimOfVolume = new Map<string, string>();
  readonly #secretsOfVolume = new Map<string, readonly string[]>();
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  readonly #followings: readonly Following[];

  constructor(listers: Listers, gates: FeatureGates) {
    this.#followings = [
      follow(listers.lister<Pod>('', 'pods'), (namespace, name, pod) => this.#setPod(namespace, name, pod)),
      follow(listers.lister<PersistentVolume>('', 'persistentvolumes'), (_, name, volume) =>
        this.#setVolume(name, volume),
      ),
      follow(listers.lister<VolumeAttachment>('storage.k8s.io', 'volumeattachments'), (_, name, attachment) =>
        this.#setEdges(keyOf('volumeattachment', '', name), attachment?.spec?.nodeName),
      ),
      follow(listers.lister<ResourceSlice>('resource.k8s.io', 'resourceslices'), (_, name, slice) =>
        this.#setEdges(keyOf('resourceslice', '', name), slice?.spec?.nodeName),
      ),
    ];
    if (gates.enabled('PodCertificateRequest')) {
      const requests = listers.lister<PodCertificateRequest>('certificates.k8s.io', 'podcertificaterequests');
      this.#followings = [
        ...this.#followings,
        follow(requests, (namespace, name, request) =>
          this.#setEdges(keyOf('podcertificaterequest', namespace, name), request?.spec?.nodeName),
        ),
      ];
    }
    this.synced = Promise.all(this.#followings.map(({ synced }) => synced)).then(() => undefined);
  }

  close(): void {
    for (const { stop } of this.#followings) stop();
  }

  /** Whether the object is related to the node. */
  connects(node: string, kind: GraphKind, namespace: string, name: string): boolean {
    if (kind === 'pv') return namespace === '' && this.#volumeConnects(node, name);
    const key = keyOf(kind, namespace, name);
    if (this.#nodes.get(key)?.has(node)) return true;
    if (kind !== 'secret') return false;
    for (const volume of this.#volumesOfSecret.get(key) ?? []) if (this.#volumeConnects(node, volume)) return true;
    return false;
  }

  #volumeConnects(node: string, volume: string): boolean {
    const claim = this.#claimOfVolume.get(volume);
    return claim !== undefined && (this.#nodes.get(claim)?.has(node) ?? false);
  }

  #setPod(namespace: string, name: string, pod: Pod | undefined): void {
    const key = keyOf('pod', namespace, name);
    const origin = pod ? originOf(pod) : '';
    if (this.#edges.get(key)?.origin === origin) return;
    const keys = new Set<string>();
    // A node creates mirror pods itself, so they must not give it access to anything.
    if (pod?.spec?.nodeName && !isMirrorPod(pod)) {
      visitPodReferences(pod, (kind, referenced) => {
        if (referenced) keys.add(keyOf(kind, namespace, referenced));
      });
    }
    this.#setEdges(key, pod?.spec?.nodeName, keys, origin);
  }

  #setEdges(key: string, node: string | undefined, further: Iterable<string> = [], origin = node ?? ''): void {
    const old = this.#edges.get(key);
    if (old) {
      for (const target of old.keys) this.#count(target, old.node, -1);
      this.#edges.delete(key);
    }
    if (!node) return;
    const edges: Edges = { node, keys: [key, ...further], origin };
    for (const target of edges.keys) this.#count(target, node, 1);
    this.#edges.set(key, edges);
  }

  #count(key: string, node: string, by: 1 | -1): void {
    const nodes = this.#nodes.get(key) ?? new Map<string, number>();
    const count = (nodes.get(node) ?? 0) + by;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size > 0) this.#nodes.set(key, nodes);
    else this.#nodes.delete(key);
  }

  #setVolume(name: string, volume: PersistentVolume | undefined): void {
    for (const secret of this.#secretsOfVolume.get(name) ?? []) {
      const volumes = this.#volumesOfSecret.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
    }
    this.#secretsOfVolume.delete(name);
    this.#claimOfVolume.delete(name);
    const claim = volume?.spec?.claimRef;
    if (!volume || !claim) return;
    this.#claimOfVolume.set(name, keyOf('pvc', claim.namespace ?? '', claim.name ?? ''));
    const secrets = new Set<string>();
    visitVolumeSecrets(volume, (namespace, secret) => secrets.add(keyOf('secret', namespace, secret)));
    if (secrets.size === 0) return;
    this.#secretsOfVolume.set(name, [...secrets]);
    for (const secret of secrets) {
      const volumes = this.#volumesOfSecret.get(secret) ?? new Set<string>();
      this.#volumesOfSecret.set(secret, volumes.add(name));
    }
  }
}

/** Everything that can change a pod's references. The rest of its spec is immutable; most updates change the status. */
function originOf({ metadata, spec, status }: Pod): string {
  const claims = status?.resourceClaimStatuses ?? status?.extendedResourceClaimStatus;
  const made = claims && JSON.stringify([status?.resourceClaimStatuses, status?.extendedResourceClaimStatus]);
  return `${spec?.nodeName}/${metadata.uid}/${spec?.ephemeralContainers?.length ?? 0}/${made ?? ''}`;
}

const isMirrorPod = ({ metadata }: Pod): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, 'kubernetes.io/config.mirror');

const keyOf = (kind: GraphKind, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;
