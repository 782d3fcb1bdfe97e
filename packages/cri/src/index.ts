/**
 * CRI v1: what a kubelet says to a container runtime.
 *
 * `generated/` has every message, as a type and as a table that writes and reads it, and the two services. `services.ts` has them as interfaces, from
 * a socket (`connectRuntime`) or from handlers in this process (`runtimeInProcess`). A runtime is served to others by `serve` and `listen` of
 * `@coxswain/grpc`.
 *
 * Integers of 64 bits are numbers, which are exact up to 2^53; times in nanoseconds are bigints. Names of enumerations are strings.
 */
export * from './generated/messages.ts';
export { imageService, runtimeService } from './generated/services.ts';
export {
  type ContainerRuntime,
  connectRuntime,
  type ImageService,
  type ImageServiceHandlers,
  type RuntimeService,
  type RuntimeServiceHandlers,
  runtimeInProcess,
} from './services.ts';
