import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Calls, type Connection, type ConnectOptions, connect, type Handlers, inProcess } from '@coxswain/grpc';
import { imageService, runtimeService } from './generated/services.ts';

/**
 * Sandboxes and containers of one node. Whether a runtime is in this process or behind a socket makes no difference: requests may leave out
 * what is zero, answers are complete, failures are RpcErrors, and every call can be cancelled.
 */
export interface RuntimeService extends Calls<typeof runtimeService.methods> {}

/** Images of one node. */
export interface ImageService extends Calls<typeof imageService.methods> {}

/** What a runtime implements. A method that is missing is answered with Unimplemented. */
export interface RuntimeServiceHandlers extends Handlers<typeof runtimeService.methods> {}

export interface ImageServiceHandlers extends Handlers<typeof imageService.methods> {}

/** A container runtime as whoever uses it sees it. */
export interface ContainerRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Ends the connection. Containers go on running. */
  close(): void;
}

/** Connects to a runtime's sockets: containerd, CRI-O, `cox runtime`. Images may have a socket of their own. */
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

/** A runtime in this process. */
export function runtimeInProcess(
  runtime: RuntimeServiceHandlers,
  images: ImageServiceHandlers,
  clock: Clock = systemClock,
): ContainerRuntime {
  return {
    runtime: inProcess(runtimeService, runtime, clock),
    images: inProcess(imageService, images, clock),
    close() {},
  };
}
