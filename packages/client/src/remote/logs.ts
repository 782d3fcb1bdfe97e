import type { PodLogOptions } from '@coxswain/api/core/v1';
import { withContainer } from './container.ts';
import { linesOf } from './lines.ts';
import { type PodTarget, podPath, type RemoteClient } from './pod-target.ts';

/** Which log, and what of it. */
export interface PodLogsOptions extends PodTarget, Omit<PodLogOptions, 'kind' | 'apiVersion' | 'container'> {}

/**
 * A container's log, piece by piece as it comes; with `follow` until the container ends. Throws an ApiError when the
 * server refuses, a TransportError when the connection breaks before the end, and the signal's reason.
 */
export async function* podLogs(
  client: RemoteClient,
  options: PodLogsOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { namespace, pod, signal, ...query } = await withContainer(client, options);
  const body = await client.stream({
    method: 'GET',
    path: podPath({ namespace, pod }, 'log'),
    query,
    headers: { accept: '*/*' },
    ...(signal && { signal }),
  });
  yield* body.chunks();
}

/** A container's log line by line, without the newlines; throws as `podLogs`. A line of a megabyte and more is cut. */
export async function* podLogLines(
  client: RemoteClient,
  options: PodLogsOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const { text } of linesOf(podLogs(client, options))) yield text;
}
