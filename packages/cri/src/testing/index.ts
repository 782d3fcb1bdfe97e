/** A real containerd for tests: `containerdProblem()` returns why none can run here, `startContainerd` starts it with its own images and network. */
export {
  busyboxFiles,
  busyboxImage,
  type Containerd,
  type ContainerdOptions,
  containerdProblem,
  startContainerd,
} from './containerd.ts';
export { type OciImage, ociArchive } from './oci-image.ts';
export { timeFactor } from './time-factor.ts';
