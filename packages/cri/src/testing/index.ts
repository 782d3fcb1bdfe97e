/** A real containerd for tests: `containerdProblem()` returns why none can run here, `startContainerd` starts it with its own images and network. */
export {
  busyboxFiles,
  busyboxImage,
  type Containerd,
  type ContainerdOptions,
  startContainerd,
} from './containerd.ts';
export { containerdHasEvents, containerdProblem } from './containerd-problem.ts';
export { type OciImage, ociArchive } from './oci-image.ts';
