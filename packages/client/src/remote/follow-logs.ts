import type { Pod } from '@coxswain/api/core/v1';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { ApiError, isForbidden, isNotFound } from '@coxswain/apimachinery/errors';
import { systemRandom } from '@coxswain/apimachinery/random';
import { TransportError } from '../transport/transport.ts';
import { withContainer } from './container.ts';
import { linesOf } from './lines.ts';
import { type LogLine, LogPosition, readLogLine } from './log-position.ts';
import { type PodLogsOptions, podLogs } from './logs.ts';
import { type PodTarget, podPath, type RemoteClient } from './pod-target.ts';

export interface FollowLogsOptions
  extends Omit<PodLogsOptions, 'follow' | 'timestamps' | 'previous' | 'limitBytes' | 'insecureSkipTLSVerifyBackend'> {
  /** Told why the log is asked for again; undefined when it ended although the container runs. */
  readonly onRetry?: (reason: unknown) => void;
  readonly clock?: Clock;
  /** From 0 up to but not including 1. */
  readonly random?: () => number;
}

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

/**
 * Follows a container's log until that container ends, over connections that break or end too early: asks for the rest again, without
 * losing or repeating a line as far as timestamps can tell them apart. A connection that breaks, a server that fails (5xx)
 * or is busy (429) are tried again without end, after a second and more each time up to half a minute; abort the signal to
 * give up. Throws an ApiError for anything else that the server refuses, and the signal's reason.
 */
export async function* followLogs(
  client: RemoteClient,
  options: FollowLogsOptions,
): AsyncGenerator<LogLine, void, undefined> {
  const { onRetry, clock = systemClock, random = systemRandom.number, ...asked } = options;
  const { signal } = options;
  const target = await withContainer(client, asked);
  const { tailLines: _lines, sinceSeconds: _seconds, ...rest } = target;
  const instance = await runningInstance(client, target);
  const position = new LogPosition();
  let failures = 0;
  for (;;) {
    const since = position.sinceTime;
    const before = position.lines;
    position.resume();
    let reason: unknown;
    try {
      const half = yield* readOn(client, since ? { ...rest, sinceTime: since } : target, position);
      // A proper end may be the container's, or that of something on the way: API servers know no other.
      if (instance === undefined || (await runningInstance(client, target)) !== instance) {
        if (half) yield half;
        return;
      }
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      reason = error;
    }
    onRetry?.(reason);
    if (position.lines > before) failures = 0;
    const delayMs = Math.min(firstDelayMs * 2 ** failures++, maxDelayMs) * (1 + random() / 2);
    await sleep(clock, delayMs, signal);
  }
}

/** The lines that were not seen before. Returns the last one when it has no end: there may be more of it. */
async function* readOn(
  client: RemoteClient,
  options: PodLogsOptions,
  position: LogPosition,
): AsyncGenerator<LogLine, LogLine | undefined, undefined> {
  /** What a line without a time belongs to, which is the rest of one that was too long. */
  let last: LogLine | undefined;
  let half: string | undefined;
  const read = (text: string): LogLine | undefined => {
    const line = readLogLine(text);
    if (!line) return last && { timestamp: last.timestamp, text };
    last = position.isNew(line.at) ? { timestamp: line.timestamp, text: line.text } : undefined;
    return last;
  };
  for await (const { text, isWhole } of linesOf(podLogs(client, { ...options, follow: true, timestamps: true }))) {
    const whole = [half, isWhole ? text : undefined].flatMap((one) => (one === undefined ? [] : (read(one) ?? [])));
    half = isWhole ? undefined : text;
    yield* whole;
  }
  return half === undefined ? undefined : read(half);
}

/** Which run of the container is under way; undefined when none is, or nobody may know. */
async function runningInstance(client: RemoteClient, target: PodTarget): Promise<string | undefined> {
  const { signal } = target;
  try {
    const pod = await client.request<Pod>({ method: 'GET', path: podPath(target), ...(signal && { signal }) });
    const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
    const status = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
      ({ name }) => name === target.container,
    );
    return status?.state?.running && `${pod.metadata?.uid} ${status.restartCount} ${status.containerID}`;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

/** Whether it may be over when asked again. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  const code = error instanceof ApiError ? (error.status.code ?? 0) : 0;
  return code === 429 || code >= 500;
}
