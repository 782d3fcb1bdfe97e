import type { Container, Pod } from '@coxswain/api/core/v1';
import type { ContainerConfig, Signal } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import type { ContainerSetup } from './container-setup.ts';
import { containerAnnotations, containerLabels } from './labels.ts';
import type { RuntimeSettings } from './runtime-settings.ts';
import { containerSecurityContext, type ImageUser } from './security-context.ts';

export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly restartCount: number;
  /** The runtime's id of the image. */
  readonly imageRef: string;
  readonly imageUser: ImageUser;
  readonly env: ReadonlyMap<string, string>;
  /** With references to variables expanded, as are `args`. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly setup: ContainerSetup;
  readonly supplementalGroups: readonly number[];
  /** The container whose process namespace an ephemeral container joins. */
  readonly targetId?: string | undefined;
}

/** Returns the configuration of a container for the runtime, without its resources. Throws if its security context is invalid. */
export function containerConfig(input: ContainerConfigInput, settings: RuntimeSettings): Init<ContainerConfig> {
  const { pod, container, restartCount, imageRef, imageUser, env, command, args, setup, targetId } = input;
  const { name, image = '', workingDir = '', stdin = false, stdinOnce = false, tty = false, lifecycle } = container;
  const security = containerSecurityContext(pod, container, imageUser, input.supplementalGroups, settings);
  const targets = targetId !== undefined && security.namespaceOptions?.pid === 'CONTAINER';
  return {
    metadata: { name, attempt: restartCount },
    image: { image: imageRef, userSpecifiedImage: image },
    command,
    args,
    workingDir,
    envs: Array.from(env, ([key, value]) => ({ key, value: Buffer.from(value) })),
    mounts: setup.mounts,
    devices: setup.devices,
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, restartCount, setup.annotations),
    logPath: containerLogPath(name, restartCount),
    stdin,
    stdinOnce,
    tty,
    ...(lifecycle?.stopSignal && { stopSignal: lifecycle.stopSignal as Signal }),
    linux: {
      securityContext: {
        ...security,
        ...(targets && { namespaceOptions: { ...security.namespaceOptions, pid: 'TARGET', targetId } }),
      },
    },
  };
}

/** Returns the path of a container's log, relative to the log directory of its pod. */
const containerLogPath = (container: string, restartCount: number): string => `${container}/${restartCount}.log`;
