import { formatDuration } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import type { FlowController } from './flow-controller.ts';
import type { FlowQueue } from './flow-queue.ts';
import type { FlowRequest } from './flow-request.ts';
import type { QueueSet } from './queue-set.ts';
import { printSeatSeconds } from './seat-seconds.ts';

type Cell = string | number | boolean;
type Row = readonly Cell[];

/** For levels with more queues, only used queues are shown. */
const maxQueuesShown = 10_000;

/** Serves `/debug/api_priority_and_fairness/…`: tables of priority levels, queues and requests. */
export function flowControlDebugPages(controller: FlowController, now: () => Date) {
  const pages = new Map<string, (query: URLSearchParams) => Row[]>([
    ['dump_priority_levels', () => priorityLevels(controller)],
    ['dump_queues', () => queues(controller)],
    [
      'dump_requests',
      (query) => {
        const offset = now().getTime() - controller.clock.monotonic();
        const at = (ms: number): string => goTime(new Date(ms + offset));
        return requests(controller, at, (query.get('includeRequestDetails') ?? '') !== '');
      },
    ],
  ]);
  return async ({ info, query }: RequestContext): Promise<ApiResponse> => {
    const [, , folder, page = '', ...more] = info.path.split('/');
    const rows = folder === 'api_priority_and_fairness' && more.length === 0 ? pages.get(page) : undefined;
    if (!rows) return notFoundResponse();
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: Buffer.from(aligned(rows(query))),
    };
  };
}

const goZeroTime = '0001-01-01T00:00:00Z';
const goTime = (time: Date): string => time.toISOString().replace(/\.?0*Z$/, 'Z');

function priorityLevels(controller: FlowController): Row[] {
  const head = [
    'PriorityLevelName',
    'ActiveQueues',
    'IsIdle',
    'IsQuiescing',
    'WaitingRequests',
    'ExecutingRequests',
    'DispatchedRequests',
    'RejectedRequests',
    'TimedoutRequests',
    'CancelledRequests',
  ];
  const rows = controller.levels.map(({ name, quiescing, queueSet }) => {
    const { isIdle, usedQueues, waiting, executing, totals } = queueSet;
    const active = usedQueues.filter((queue) => queue.waiting.length > 0).length;
    const { dispatched, rejected, timedOut, cancelled } = totals;
    return [name, active, isIdle, quiescing, waiting, executing.length, dispatched, rejected, timedOut, cancelled];
  });
  return [head, ...rows];
}

function queues(controller: FlowController): Row[] {
  const head = [
    'PriorityLevelName',
    'Index',
    'PendingRequests',
    'ExecutingRequests',
    'SeatsInUse',
    'NextDispatchR',
    'InitialSeatsSum',
    'MaxSeatsSum',
    'TotalWorkSum',
  ];
  const rows = controller.levels.flatMap(({ name, queueSet }) =>
    shownQueues(queueSet).map(([index, queue]) => [
      name,
      index,
      queue?.waiting.length ?? 0,
      queue?.executing ?? 0,
      queue?.seatsInUse ?? 0,
      printSeatSeconds(queue?.nextDispatchR ?? 0),
      queue?.initialSeatsWaiting ?? 0,
      queue?.seatsWaiting ?? 0,
      printSeatSeconds(queue?.workWaiting ?? 0),
    ]),
  );
  return [head, ...rows];
}

/** Returns the configured queues with their indexes; undefined for queues that were never used. */
function shownQueues({ queuing, usedQueues }: QueueSet): [number, FlowQueue | undefined][] {
  const byIndex = new Map<number, FlowQueue | undefined>();
  const configured = queuing.type === 'queue' && queuing.queues <= maxQueuesShown ? queuing.queues : 0;
  for (let index = 0; index < configured; index++) byIndex.set(index, undefined);
  for (const queue of usedQueues) byIndex.set(queue.index, queue);
  return [...byIndex];
}

const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const detailColumns = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function requests(controller: FlowController, at: (ms: number) => string, withDetails: boolean): Row[] {
  const rows: Row[] = [withDetails ? [...requestColumns, ...detailColumns] : requestColumns];
  const add = (request: FlowRequest, level: string, place: number): void => {
    const { flow, queue, distinguisher, arrivedMs, startedMs, initialSeats, finalSeats, additionalLatencyMs } = request;
    rows.push([
      level,
      flow.name,
      queue?.index ?? -1,
      place,
      distinguisher,
      at(arrivedMs),
      initialSeats,
      finalSeats,
      formatDuration(Math.round(additionalLatencyMs * 1e6)),
      request.phase === 'waiting' ? goZeroTime : at(startedMs),
      ...(withDetails ? detailsOf(request) : []),
    ]);
  };
  for (const { name, queueSet } of controller.levels) {
    for (const queue of queueSet.usedQueues) {
      let place = 0;
      for (const request of queue.waiting) add(request, name, place++);
    }
    for (const request of queueSet.executing) add(request, name, -1);
  }
  return rows;
}

function detailsOf({ user, info }: FlowRequest): Row {
  const { verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = info;
  const groupVersion = apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`;
  return [user.username, verb, path, namespace, name, groupVersion, resource, subresource];
}

/** Formats rows as aligned columns of at least eight characters. All but the last end with a comma. */
function aligned(rows: readonly Row[]): string {
  // Control characters in user and object names must not break lines.
  const cells = rows.map((row) => row.map((cell) => String(cell).replace(/[\t\n\v\f\r]/g, ' ')));
  const widths: number[] = [];
  for (const row of cells)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 8, cell.length + 2);
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : `${cell},`.padEnd(widths[column] ?? 0))).join('');
  return cells.map((row) => `${line(row)}\n`).join('');
}
