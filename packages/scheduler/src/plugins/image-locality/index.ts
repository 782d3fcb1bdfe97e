import type { Pod } from '@coxswain/api/core/v1';
import type { PluginDefinition } from '../../framework/handle.ts';
import type { ImageState, NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';

const name = 'ImageLocality';

const mebibyte = 1024 * 1024;
/** Images below this (all of a pod together) are no reason, and those above the other (each) no better one. */
const leastBytes = 23 * mebibyte;
const mostBytesPerContainer = 1000 * mebibyte;

/** Rather on nodes that have the pod's images already; images that many nodes have count more, lest one node gets all. */
export const imageLocality: PluginDefinition = {
  name,
  create: (_, handle) => {
    let last: { readonly pod: PodInfo; readonly wanted: Wanted } | undefined;
    return {
      name,
      score: (_state, pod, node) => {
        if (node.imageStates.size === 0) return 0;
        // Every node is asked for one pod before the next pod comes.
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

/** As nodes report their images: with a tag. */
function normalizedImageName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
