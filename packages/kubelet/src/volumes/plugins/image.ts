import type { VolumePlugin } from './volume-plugin.ts';

/** `image`: the files of an image. The container runtime mounts it. */
export const image = (): VolumePlugin => ({
  name: 'kubernetes.io/image',
  isRefreshed: false,
  usage: undefined,
  supports: ({ volume }) => volume?.image !== undefined,
  async setUp() {
    return { path: '', readOnly: true };
  },
  async tearDown() {},
});
