import type { Clock } from '@coxswain/client';
import type { ContainerRuntime, ImageService, RuntimeService } from '@coxswain/cri';
import type { KubeletMetrics } from './kubelet-metrics.ts';

/** The calls with the names that metrics have for them. Calls without one are not counted. */
const runtimeOperations: Readonly<Partial<Record<keyof RuntimeService, string>>> = {
  version: 'version',
  status: 'status',
  runPodSandbox: 'run_podsandbox',
  stopPodSandbox: 'stop_podsandbox',
  removePodSandbox: 'remove_podsandbox',
  podSandboxStatus: 'podsandbox_status',
  listPodSandbox: 'list_podsandbox',
  createContainer: 'create_container',
  startContainer: 'start_container',
  stopContainer: 'stop_container',
  removeContainer: 'remove_container',
  listContainers: 'list_containers',
  containerStatus: 'container_status',
  updateContainerResources: 'update_container',
  reopenContainerLog: 'reopen_container_log',
  execSync: 'exec_sync',
  exec: 'exec',
  attach: 'attach',
  portForward: 'port_forward',
  containerStats: 'container_stats',
  listContainerStats: 'list_container_stats',
  podSandboxStats: 'podsandbox_stats',
  listPodSandboxStats: 'list_podsandbox_stats',
  updateRuntimeConfig: 'update_runtime_config',
  checkpointContainer: 'checkpoint_container',
  listMetricDescriptors: 'list_metric_descriptors',
  listPodSandboxMetrics: 'list_podsandbox_metrics',
  runtimeConfig: 'runtime_config',
};

const imageOperations: Readonly<Partial<Record<keyof ImageService, string>>> = {
  listImages: 'list_images',
  imageStatus: 'image_status',
  pullImage: 'pull_image',
  removeImage: 'remove_image',
  imageFsInfo: 'image_fs_info',
};

type Observe = (operation: string, seconds: number, failed: boolean, request: unknown) => void;

/** Returns the runtime with its calls counted and timed. */
export function countedRuntime(
  runtime: ContainerRuntime,
  metrics: Pick<KubeletMetrics, 'runtimeOperation' | 'sandboxRun'>,
  clock: Clock,
): ContainerRuntime {
  const observe: Observe = (operation, seconds, failed, request) => {
    metrics.runtimeOperation(operation, seconds, failed);
    if (operation === 'run_podsandbox') metrics.sandboxRun(handlerOf(request), seconds, failed);
  };
  return {
    runtime: counted(runtime.runtime, runtimeOperations, observe, clock),
    images: counted(runtime.images, imageOperations, observe, clock),
    close: () => runtime.close(),
  };
}

function handlerOf(request: unknown): string {
  const handler: unknown =
    typeof request === 'object' && request !== null && 'runtimeHandler' in request ? request.runtimeHandler : '';
  return typeof handler === 'string' ? handler : '';
}

function counted<T extends object>(
  service: T,
  operations: Readonly<Partial<Record<keyof T, string>>>,
  observe: Observe,
  clock: Clock,
): T {
  /** Each call is wrapped once. */
  const wrapped = new Map<PropertyKey, unknown>();
  return new Proxy(service, {
    get(target, name, receiver) {
      const known = wrapped.get(name);
      if (known) return known;
      const method: unknown = Reflect.get(target, name, receiver);
      const operation: unknown = Reflect.get(operations, name);
      if (typeof method !== 'function' || typeof operation !== 'string') return method;
      const call = async (...args: unknown[]): Promise<unknown> => {
        const begunMs = clock.monotonic();
        const done = (failed: boolean): void =>
          observe(operation, (clock.monotonic() - begunMs) / 1000, failed, args[0]);
        try {
          const answer: unknown = await Reflect.apply(method, target, args);
          done(false);
          return answer;
        } catch (error) {
          done(true);
          throw error;
        }
      };
      wrapped.set(name, call);
      return call;
    },
  });
}
