/**
 * CRI v1: the protocol between a kubelet and a container runtime.
 *
 * `generated/` has every message, as a type and as a table that encodes and decodes it, and the two services. `services.ts` has the
 * services as interfaces, implemented over a socket (`connectRuntime`) or by handlers in this process (`runtimeInProcess`). To serve a
 * runtime to other processes, use `serve` and `listen` of `@coxswain/grpc`.
 *
 * 64-bit integers are numbers, which are exact up to 2^53; times in nanoseconds are bigints. Values of enumerations are their names.
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
