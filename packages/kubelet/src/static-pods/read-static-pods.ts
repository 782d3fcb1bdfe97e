import { createHash } from 'node:crypto';
import { Catalogue, FeatureGates, judgeCreate, newCodecFactory, newScheme, strategyFor } from '@coxswain/api';
import type { Pod } from '@coxswain/api/core/v1';
import { GroupVersionKind, type KubernetesObject } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/client';
import { apiReferenceOf } from './api-reference.ts';

/** Where a manifest comes from. A static pod's uid depends on it. */
export interface ManifestSource {
  readonly kind: 'file' | 'http';
  /** The path or URL. */
  readonly name: string;
}

export const configHashAnnotation = 'kubernetes.io/config.hash';
const configSourceAnnotation = 'kubernetes.io/config.source';
const configSeenAnnotation = 'kubernetes.io/config.seen';

const podKind = GroupVersionKind.of('', 'v1', 'Pod');

/** Returns whether the pod comes from a manifest of the node and not from the API server. */
export const isStaticPod = ({ metadata: { annotations } }: Pod): boolean => {
  const source = annotations?.[configSourceAnnotation];
  return source !== undefined && source !== 'api';
};

/**
 * Reads the pods of a manifest, which is a Pod or a PodList in YAML or JSON. Defaults are set, and the node's name is appended to each
 * name. Throws if the manifest is of another kind, if a pod is invalid, or if a pod refers to objects of the API server.
 */
export function readStaticPods(text: Uint8Array, source: ManifestSource, nodeName: string, clock: Clock): Pod[] {
  const catalogue = Catalogue.builtIn();
  const { object, gvk } = newCodecFactory(catalogue).decode(text);
  const items = gvk.kind === 'PodList' ? ((object as { items?: KubernetesObject[] }).items ?? []) : [object];
  if (gvk.kind !== 'Pod' && gvk.kind !== 'PodList') throw new Error(`invalid pod: it is a ${gvk.kind}`);
  return items.map((item) => staticPod(item as Pod, source, nodeName, clock));
}

function staticPod(given: Pod, source: ManifestSource, nodeName: string, clock: Clock): Pod {
  const { name, namespace = 'default' } = given.metadata ?? {};
  if (!name) throw new Error('invalid pod: name is needed for the pod');
  const uid = given.metadata.uid ?? uidOf(given, source, nodeName);
  const typed: Pod = { ...given, apiVersion: 'v1', kind: 'Pod' };
  newScheme().default(typed);
  const spec = { ...typed.spec!, nodeName };
  if (source.kind === 'file') {
    // Taints of the node must not evict its static pods.
    spec.tolerations = [...(spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }];
  }
  const pod = { ...typed, metadata: { ...given.metadata, name: `${name}-${nodeName.toLowerCase()}`, namespace }, spec };
  const reference = apiReferenceOf(pod);
  if (reference) throw new Error(`static pods may not reference ${reference}`);
  const context = { features: FeatureGates.defaults, now: () => new Date(clock.now()), namespace };
  const { object, errors } = judgeCreate(strategyFor(podKind)!, pod as KubernetesObject, context);
  if (errors.length > 0) throw new Error(`invalid pod: [${errors.join(', ')}]`);
  const valid = object as Pod;
  const annotations = {
    ...valid.metadata.annotations,
    [configHashAnnotation]: uid,
    [configSourceAnnotation]: source.kind,
    [configSeenAnnotation]: new Date(clock.now()).toISOString(),
  };
  return { ...valid, metadata: { ...valid.metadata, uid, annotations } };
}

/** Returns a uid that depends only on the manifest and its source, so that a static pod stays the same when the kubelet restarts. */
function uidOf(pod: Pod, { kind, name }: ManifestSource, nodeName: string): string {
  const place = kind === 'file' ? `host:${nodeName} file:${name}` : `url:${name}`;
  return createHash('sha256')
    .update(`${JSON.stringify(pod)} ${place}`)
    .digest('hex')
    .slice(0, 32);
}
