import type {
  ContainerState,
  ContainerStatus,
  Container as ListedContainer,
  PodSandbox,
  PodSandboxState,
  PodSandboxStatus,
} from '@coxswain/cri';
import {
  Container as listedContainer,
  PodSandbox as listedSandbox,
  PodSandboxStatus as sandboxMessage,
  ContainerStatus as statusMessage,
} from '@coxswain/cri';
import { criSignalOf } from '../machinery/index.ts';
import type { Container, Sandbox } from '../model/index.ts';

export const sandboxStateOf = ({ isReady }: Sandbox): PodSandboxState =>
  isReady ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY';

export function sandboxStatus(sandbox: Sandbox): PodSandboxStatus {
  const { id, metadata, createdAt, config, runtimeHandler, state } = sandbox;
  const [ip = '', ...others] = state.ips;
  return sandboxMessage.complete({
    id,
    metadata,
    state: sandboxStateOf(sandbox),
    createdAt,
    network: {
      ip: sandbox.isReady ? ip : '',
      additionalIps: sandbox.isReady ? others.map((other) => ({ ip: other })) : [],
    },
    linux: { namespaces: { options: config.linux?.securityContext?.namespaceOptions ?? {} } },
    labels: config.labels,
    annotations: config.annotations,
    runtimeHandler,
  });
}

export function listedSandboxOf(sandbox: Sandbox): PodSandbox {
  const { id, metadata, createdAt, config, runtimeHandler } = sandbox;
  const { labels, annotations } = config;
  return listedSandbox.complete({
    id,
    metadata,
    state: sandboxStateOf(sandbox),
    createdAt,
    labels,
    annotations,
    runtimeHandler,
  });
}

export function containerStateOf({ state }: Container): ContainerState {
  if (state.phase === 'running') return 'CONTAINER_RUNNING';
  return state.phase === 'created' || state.phase === 'making' ? 'CONTAINER_CREATED' : 'CONTAINER_EXITED';
}

export function containerStatus(container: Container): ContainerStatus {
  const { description, metadata, state, config, resources } = container;
  const { startedAt, finishedAt, exitCode, reason, message, user } = state;
  const { id, createdAt, imageRef, imageId, logPath, stopSignal } = description;
  return statusMessage.complete({
    id,
    metadata,
    state: containerStateOf(container),
    createdAt,
    startedAt,
    finishedAt,
    exitCode,
    image: { ...config.image, image: config.image?.userSpecifiedImage || (config.image?.image ?? '') },
    imageRef,
    imageId,
    reason,
    message,
    labels: config.labels,
    annotations: config.annotations,
    mounts: config.mounts,
    logPath,
    ...(resources && { resources: { linux: resources } }),
    ...(user && { user: { linux: user } }),
    stopSignal: criSignalOf(stopSignal),
  });
}

export function listedContainerOf(container: Container): ListedContainer {
  const { description, metadata, config } = container;
  const { id, sandboxId, imageRef, imageId, createdAt } = description;
  return listedContainer.complete({
    id,
    podSandboxId: sandboxId,
    metadata,
    image: config.image ?? {},
    imageRef,
    imageId,
    state: containerStateOf(container),
    createdAt,
    labels: config.labels,
    annotations: config.annotations,
  });
}
