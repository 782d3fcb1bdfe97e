import { fileURLToPath } from 'node:url';
import { buildUpstream } from '../build.ts';
import { buildCox, cox } from '../cluster.ts';
import { ImageStore } from '../images/image-store.ts';
import { makeImages } from '../images/make-images.ts';
import type { ContainerdKind } from './containerd-kind.ts';
import type { SetUpOptions } from './set-up.ts';

const images = fileURLToPath(new URL('../.cache/images', import.meta.url));

/** Builds and makes everything that nodes need and that is not there yet, which takes a quarter of an hour at first. */
export async function prepareNodes(options: {
  readonly reference: boolean;
  readonly containerd: ContainerdKind;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<Pick<SetUpOptions, 'kubelet' | 'programs'>> {
  const { reference, containerd, say, signal } = options;
  const programs = await buildUpstream(['kubectl', 'kube-proxy'], say);
  if (containerd === 'built') await buildUpstream(['containerd', 'containerd-shim-runc-v2', 'ctr'], say);
  const kubelet: readonly [string, ...string[]] = reference
    ? [(await buildUpstream(['kubelet'], say)).kubelet, '-v=2']
    : [process.execPath, cox, 'kubelet'];
  if (!reference) buildCox(say);
  await makeImages({ store: await ImageStore.open(images), say, signal });
  return { kubelet, programs };
}
