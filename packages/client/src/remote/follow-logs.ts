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
  /** Called before a retry with the error; undefined when the log ended while the container was running. */
  readonly onRetry?: (reason: unknown) => void;
  readonly clock?: Clock;
  /** Returns a number in [0, 1). */
  readonly random?: () => number;
}

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

/**
 * Follows a container's log until the container ends. When a connection breaks or ends too early, it requests the rest,
 * without losing or repeating a line as far as timestamps can tell them apart. Broken connections, server errors (5xx)
 * and 429 are retried without limit, after one second and then with exponential backoff up to half a minute; abort the
 * signal to stop. Throws an ApiError for any other rejection, and the signal's reason.
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
      // A normal end may be the container's, or that of the connection to the node: API servers do not distinguish
      // them.
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

/**
 * Yields the lines that were not seen before. Returns the last one if it has no newline, because it may be incomplete.
 */
async function* readOn(
  client: RemoteClient,
  options: PodLogsOptions,
  position: LogPosition,
): AsyncGenerator<LogLine, LogLine | undefined, undefined> {
  /** The line that a line without a timestamp continues: lines that were too long are cut. */
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

/** Identifies the running instance of the container; undefined when it is not running, or the pod may not be read. */
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

/** Whether the failure is transient. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  const code = error instanceof ApiError ? (error.status.code ?? 0) : 0;
  return code === 429 || code >= 500;
}
