import { join } from 'node:path';
import { systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import {
  type ContainerRuntime as CriRuntime,
  type ImageServiceHandlers,
  imageService,
  type RuntimeServiceHandlers,
  runtimeInProcess,
  runtimeService,
} from '@coxswain/cri';
import { type GrpcServer, listen, serve } from '@coxswain/grpc';
import { HelperCommands } from '@coxswain/linux';
import { ContainerRuntime, type ContainerRuntimeOptions } from './container-runtime.ts';
import { imageControl, imageControlHandlers } from './control/index.ts';
import { lockDirectory } from './machinery/index.ts';
import { NodeNetwork, type NodeNetworkOptions } from './network/node-network.ts';
import { type Images, type OpenImagesOptions, openImages } from './open-images.ts';

type ContainerOptions = Pick<
  ContainerRuntimeOptions,
  'version' | 'cgroupDriver' | 'streaming' | 'clock' | 'random' | 'logger'
>;

export interface OpenRuntimeOptions extends ContainerOptions {
  /** What survives a reboot. Default /var/lib/coxswain/runtime. */
  readonly root?: string;
  /** What does not. A short path, because Unix sockets are in it. Default /run/coxswain/runtime. */
  readonly state?: string;
  readonly images?: Omit<OpenImagesOptions, 'root'>;
  readonly network?: Omit<NodeNetworkOptions, 'commands' | 'clock' | 'logger' | 'stateDirectory'>;
}

/** A container runtime with its images and its network. */
export interface Runtime {
  readonly runtime: RuntimeServiceHandlers;
  readonly imageService: ImageServiceHandlers;
  readonly images: Images;
  readonly network: NodeNetwork;
  /** The same interfaces as those of a runtime on a socket, for a kubelet in this process. */
  inProcess(): CriRuntime;
  /** Serves CRI on a Unix socket, such as `unix:///run/coxswain/runtime.sock`. */
  listen(endpoint: string): Promise<GrpcServer>;
  /** Stops looking after the containers, which go on. */
  close(): Promise<void>;
}

/** Helper shells, so that many pods can be made at once. */
const maxShells = 8;

/**
 * Opens the container runtime of this node: finds all sandboxes, containers and images that an earlier process has left. Rejects if another
 * process uses the directories, or a program is missing.
 */
export async function openRuntime(options: OpenRuntimeOptions): Promise<Runtime> {
  const { root = '/var/lib/coxswain/runtime', state = '/run/coxswain/runtime' } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  const lock = await lockDirectory(root);
  const commands = new HelperCommands({ clock, maxShells });
  let images: Images | undefined;
  try {
    const opened = await openImages({ ...options.images, root: join(root, 'images'), clock });
    images = opened;
    const network = new NodeNetwork({
      ...options.network,
      commands,
      clock,
      logger,
      stateDirectory: join(root, 'network'),
    });
    const { store, roots, service } = opened;
    const containers = await ContainerRuntime.start({
      ...options,
      root,
      state,
      images: store,
      rootFileSystems: roots,
      network,
      commands,
    });
    return {
      runtime: containers.handlers,
      imageService: service,
      images: opened,
      network,
      inProcess: () => runtimeInProcess(containers.handlers, service, clock),
      listen: (endpoint) =>
        listen(endpoint, [
          serve(runtimeService, containers.handlers),
          serve(imageService, service),
          serve(imageControl, imageControlHandlers(opened)),
        ]),
      async close() {
        await containers.close();
        await opened.close();
        commands.close();
        await lock.release();
      },
    };
  } catch (error) {
    await images?.close();
    commands.close();
    await lock.release();
    throw error;
  }
}
