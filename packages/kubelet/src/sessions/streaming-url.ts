import type { Pod } from '@coxswain/api/core/v1';
import type { CallOptions } from '@coxswain/grpc';
import { allContainers } from '../pods/all-containers.ts';
import { podUidLabel } from '../runtime/labels.ts';
import type { SessionHost, SessionTarget } from './session-host.ts';
import type { StreamOptions } from './stream-options.ts';

/** The runtime's answer should come at once. */
const timeoutMs = 120_000;

/** Returns where the runtime serves the session. Rejects with the runtime's error, or an Error if the container does not run. */
export async function execUrl(
  { runtime }: SessionHost,
  target: SessionTarget,
  cmd: string[],
  streams: StreamOptions,
  signal: AbortSignal,
): Promise<URL> {
  const containerId = await runningContainer(runtime, target, signal);
  if (containerId === undefined) throw containerNotFound(target);
  return urlOf(await runtime.service.exec({ containerId, cmd, ...streams }, { signal, timeoutMs }));
}

/** As `execUrl`. Whether there is a terminal is what the container was created with. */
export async function attachUrl(
  { runtime }: SessionHost,
  target: SessionTarget,
  streams: StreamOptions,
  signal: AbortSignal,
): Promise<URL> {
  const { pod, container } = target;
  const containerId = await runningContainer(runtime, target, signal);
  const spec = allContainers(pod).find(({ name }) => name === container);
  if (containerId === undefined || !spec) {
    throw new Error(`container ${container} not found in pod ${fullName(pod)}`);
  }
  const tty = spec.tty ?? false;
  return urlOf(await runtime.service.attach({ containerId, ...streams, tty }, { signal, timeoutMs }));
}

/** As `execUrl`. `port` is empty if the client names the ports later, in the session. */
export async function portForwardUrl(
  { runtime }: SessionHost,
  pod: Pod,
  port: number[],
  signal: AbortSignal,
): Promise<URL> {
  const call: CallOptions = { signal, timeoutMs };
  const filter = { labelSelector: ofPod(pod), state: { state: 'SANDBOX_READY' as const } };
  const { items } = await runtime.service.listPodSandbox({ filter }, call);
  const [sandbox] = items.toSorted((a, b) => Number(b.createdAt - a.createdAt));
  if (!sandbox) throw new Error(`pod not found (${JSON.stringify(fullName(pod))})`);
  return urlOf(await runtime.service.portForward({ podSandboxId: sandbox.id, port }, call));
}

/** Returns the id of the container of that name that runs. */
export async function runningContainer(
  { service }: SessionHost['runtime'],
  { pod, container }: SessionTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  const filter = { labelSelector: ofPod(pod), state: { state: 'CONTAINER_RUNNING' as const } };
  const { containers } = await service.listContainers({ filter }, { signal, timeoutMs });
  return containers.find(({ metadata }) => metadata?.name === container)?.id;
}

export const containerNotFound = ({ container }: SessionTarget): Error =>
  new Error(`container not found (${JSON.stringify(container)})`);

const ofPod = ({ metadata: { uid = '' } }: Pod) => ({ [podUidLabel]: uid });

const fullName = ({ metadata: { name = '', namespace = '' } }: Pod): string => `${name}_${namespace}`;

function urlOf({ url }: { readonly url: string }): URL {
  if (url === '') throw new Error('URL is not set');
  return new URL(url);
}
