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
  /** What the runtime has the image as. */
  readonly imageRef: string;
  readonly imageUser: ImageUser;
  readonly env: ReadonlyMap<string, string>;
  /** With the values of variables in them. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly setup: ContainerSetup;
  readonly supplementalGroups: readonly number[];
  /** The container whose processes an ephemeral container sees. */
  readonly targetId?: string | undefined;
}

/** Describes a container to the runtime, all but its resources. Throws if its security context makes no sense. */
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

/** Path of a container's log below the log directory of its pod. */
const containerLogPath = (container: string, restartCount: number): string => `${container}/${restartCount}.log`;
