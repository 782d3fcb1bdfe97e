import type { Pod } from '@coxswain/api/core/v1';
import type { PluginDefinition } from '../../framework/handle.ts';
import type { ImageState, NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';

const name = 'ImageLocality';

const mebibyte = 1024 * 1024;
/** Image sizes below this (per pod) score 0, and sizes above `mostBytesPerContainer` (per container) do not increase the score. */
const leastBytes = 23 * mebibyte;
const mostBytesPerContainer = 1000 * mebibyte;

/**
 * Prefers nodes that already have the pod's images. Images are weighted by the share of nodes that have them, so that a node does not
 * attract all pods.
 */
export const imageLocality: PluginDefinition = {
  name,
  create: (_, handle) => {
    let last: { readonly pod: PodInfo; readonly wanted: Wanted } | undefined;
    return {
      name,
      score: (_state, pod, node) => {
        if (node.imageStates.size === 0) return 0;
        // All nodes are scored for one pod before the next pod.
        if (last?.pod !== pod) last = { pod, wanted: wantedImages(pod.pod) };
        return scoreOf(node, last.wanted, handle.snapshot().nodes.length);
      },
    };
  },
};

interface Wanted {
  readonly images: readonly string[];
  readonly containers: number;
}

function wantedImages({ spec }: Pod): Wanted {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const images = containers.map(({ image }) => normalizedImageName(image ?? ''));
  for (const { image } of spec?.volumes ?? []) if (image) images.push(normalizedImageName(image.reference ?? ''));
  return { images, containers: containers.length };
}

function scoreOf({ imageStates }: NodeInfo, { images, containers }: Wanted, nodes: number): number {
  let bytes = 0;
  for (const image of images) {
    const state = imageStates.get(image);
    if (state) bytes += spreadBytes(state, nodes);
  }
  const most = mostBytesPerContainer * containers;
  const counted = Math.min(Math.max(bytes, leastBytes), most);
  return Math.floor((maxNodeScore * (counted - leastBytes)) / (most - leastBytes));
}

const spreadBytes = ({ size, nodes }: ImageState, allNodes: number): number => Math.trunc(size * (nodes / allNodes));

/** Adds the default tag, since nodes report images with tags. */
function normalizedImageName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
