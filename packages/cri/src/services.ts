import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import {
  type Calls,
  type Connection,
  type ConnectOptions,
  connect,
  type Handlers,
  InProcessConnection,
  inProcess,
} from '@coxswain/grpc';
import { imageService, runtimeService } from './generated/services.ts';

/**
 * Sandboxes and containers of one node. The semantics are the same for a runtime in this process and behind a socket: requests may omit
 * zero values, responses are complete, failures are RpcErrors, and every call can be cancelled.
 */
export interface RuntimeService extends Calls<typeof runtimeService.methods> {}

/** Images of one node. */
export interface ImageService extends Calls<typeof imageService.methods> {}

/** The methods that a runtime implements. Calls of a missing method fail with Unimplemented. */
export interface RuntimeServiceHandlers extends Handlers<typeof runtimeService.methods> {}

export interface ImageServiceHandlers extends Handlers<typeof imageService.methods> {}

/** A container runtime from the client's side. */
export interface ContainerRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Closes the connection. Containers keep running. */
  close(): void;
}

/** Connects to a runtime's socket: containerd, CRI-O, `cox runtime`. The image service may have its own socket. */
export async function connectRuntime(
  endpoint: string,
  imageEndpoint: string = endpoint,
  options: ConnectOptions = {},
): Promise<ContainerRuntime> {
  const connection = await connect(endpoint, options);
  const images: Connection = imageEndpoint === endpoint ? connection : await connect(imageEndpoint, options);
  return {
    runtime: connection.service(runtimeService),
    images: images.service(imageService),
    close() {
      connection.close();
      if (images !== connection) images.close();
    },
  };
}

/** Returns a runtime whose handlers run in this process. Closing it ends the calls in progress. */
export function runtimeInProcess(
  runtime: RuntimeServiceHandlers,
  images: ImageServiceHandlers,
  clock: Clock = systemClock,
): ContainerRuntime {
  const connection = new InProcessConnection();
  return {
    runtime: inProcess(runtimeService, runtime, clock, connection),
    images: inProcess(imageService, images, clock, connection),
    close: () => connection.close(),
  };
}
