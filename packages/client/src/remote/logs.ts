import type { PodLogOptions } from '@coxswain/api/core/v1';
import { withContainer } from './container.ts';
import { linesOf } from './lines.ts';
import { type PodTarget, podPath, type RemoteClient } from './pod-target.ts';

/** The container and the options of the log request. */
export interface PodLogsOptions extends PodTarget, Omit<PodLogOptions, 'kind' | 'apiVersion' | 'container'> {}

/**
 * Yields a container's log in chunks; with `follow` until the container ends. Throws an ApiError when the server
 * rejects the request, a TransportError when the connection breaks before the end, and the signal's reason.
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

/**
 * Yields a container's log line by line, without the newlines; throws like `podLogs`. Lines of a megabyte and more are
 * split.
 */
export async function* podLogLines(
  client: RemoteClient,
  options: PodLogsOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const { text } of linesOf(podLogs(client, options))) yield text;
}
