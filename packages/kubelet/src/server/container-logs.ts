import { validatePodLogOptions } from '@coxswain/api';
import type { ContainerStatus, Pod, PodLogOptions } from '@coxswain/api/core/v1';
import { type ApiResponse, type ResponseSink, readQuery, textResponse } from '@coxswain/component-base/http';
import type { LoggedContainer, LogOptions } from '../logs/container-logs.ts';
import { allContainers } from '../pods/all-containers.ts';
import { findPod, type KubeletHost } from './kubelet-host.ts';
import { readLogOptions } from './log-options.ts';

export interface LogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The query. */
  readonly search: string;
  readonly signal: AbortSignal;
}

/** What a container said, as much of it as is asked for; on and on, where it is followed. */
export async function containerLogs(host: KubeletHost, request: LogRequest): Promise<ApiResponse> {
  for (const [name, value] of [
    ['podID', request.pod],
    ['container name', request.container],
    ['podNamespace', request.namespace],
  ]) {
    if (value === '') return textResponse(400, `{"message": "Missing ${name}."}`);
  }
  const options = readLogOptions(readQuery(request.search));
  if (!options) return textResponse(400, '{"message": "Unable to decode query."}');
  if (validatePodLogOptions(options, true).length > 0) return textResponse(422, '{"message": "Invalid request."}');
  const pod = findPod(host, request.namespace, request.pod);
  if (!pod) return textResponse(404, `pod "${request.pod}" does not exist`);
  if (!allContainers(pod).some(({ name }) => name === request.container)) {
    return textResponse(404, `container "${request.container}" not found in pod "${request.pod}"`);
  }
  const found = containerIdOf(pod, request.container, options.previous === true);
  if ('problem' in found) return textResponse(400, found.problem);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const chunks = host.logs.read(await loggedContainer(host, found.id), {
    ...runtimeOptions(options, host.clock.now()),
    signal,
  });
  return {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: {
      stream: (sink) => {
        sink.onClose(() => stop.abort());
        void pipe(chunks, sink);
      },
    },
  };
}

/** Asks the runtime where the log is. */
async function loggedContainer({ runtime }: KubeletHost, containerId: string): Promise<LoggedContainer> {
  const { status } = await runtime.service.containerStatus({ containerId });
  return { id: containerId, logPath: status?.logPath ?? '' };
}

async function pipe(chunks: AsyncIterable<Uint8Array>, sink: ResponseSink): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!sink.write(chunk)) await new Promise<void>((resolve) => sink.onDrain(resolve));
    }
    sink.end();
  } catch {
    sink.destroy();
  }
}

function runtimeOptions(options: PodLogOptions, nowMs: number): LogOptions {
  const { stream = 'All' } = options;
  const { follow, tailLines, limitBytes, timestamps, sinceSeconds, sinceTime } = options;
  const sinceMs = sinceTime === undefined ? undefined : Date.parse(sinceTime);
  const since = sinceSeconds === undefined ? sinceMs : nowMs - Number(sinceSeconds) * 1000;
  return {
    ...(stream !== 'All' && { stream: stream === 'Stderr' ? 'stderr' : 'stdout' }),
    ...(follow && { follow }),
    ...(timestamps && { timestamps }),
    ...(tailLines !== undefined && { tailLines: Number(tailLines) }),
    ...(limitBytes !== undefined && { limitBytes: Number(limitBytes) }),
    ...(since !== undefined && { sinceMs: since }),
  };
}

/** Which of its runs is meant, or why there is nothing to read. */
function containerIdOf(
  { metadata, status }: Pod,
  name: string,
  previous: boolean,
): { id: string } | { problem: string } {
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const of = statuses.find((candidate) => candidate.name === name);
  const where = `container "${name}" in pod "${metadata.name}"`;
  if (!of) return { problem: `${where} is not available` };
  const last = of.lastState?.terminated?.containerID;
  if (previous) return last ? idOf(last) : { problem: `previous terminated ${where} not found` };
  const { running, terminated, waiting } = of.state ?? {};
  if (running) return idOf(of.containerID ?? '');
  if (terminated || of.lastState?.terminated) {
    const id = terminated?.containerID ?? last;
    return id ? idOf(id) : { problem: `${where} is terminated` };
  }
  return { problem: `${where} is waiting to start${waiting ? `: ${waitingText(of)}` : ' - no logs yet'}` };
}

const idOf = (containerID: string): { id: string } => ({ id: containerID.slice(containerID.indexOf('://') + 3) });

function waitingText({ state }: ContainerStatus): string {
  const reason = state?.waiting?.reason ?? '';
  if (reason === 'ErrImagePull') return "image can't be pulled";
  return reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : reason;
}
