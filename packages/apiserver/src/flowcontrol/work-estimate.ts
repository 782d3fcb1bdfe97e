import type { RequestInfo } from '../http/request-context.ts';
import { isTrue } from '../http/request-info.ts';
import type { FlowRequest } from './flow-request.ts';

/** Statistics of the stored objects of a resource. */
export interface ObjectStats {
  readonly entries: number;
  readonly bytes: number;
}

export interface WorkEstimateOptions {
  /** Returns undefined for resources that this server does not store. */
  readonly objectStats: (group: string, resource: string) => ObjectStats | undefined;
  /** Returns the number of watches that may receive an event for a write. */
  readonly interestedWatches: (info: RequestInfo) => number;
  /** The feature gate SizeBasedListCostEstimate: estimates lists by bytes instead of by the number of objects. */
  readonly sizeBasedLists: boolean;
  /** The feature gate WatchList: a watch with initial events costs as much as a list. */
  readonly watchLists: boolean;
}

const maxMutatingSeats = 10;
const objectsPerSeat = 100;
const bytesPerSeat = 100_000;
/** The size that counts at most for a list from the watch cache, which is streamed. */
const maxStreamedBytes = 1_000_000;
/** The assumed size of objects whose size is not known. */
const largestObjectBytes = 1_500_000;
const watchesPerSeat = 10;
/** The time for which `watchesPerSeat` watches take a seat per event. */
const msPerEvent = 5;

export type WorkEstimator = (request: FlowRequest, query: URLSearchParams) => void;

/** Returns a function that sets `initialSeats`, `finalSeats` and `additionalLatencyMs` of a request. */
export function workEstimator(options: WorkEstimateOptions): WorkEstimator {
  const maxListSeats = options.sizeBasedLists ? 100 : 10;
  const estimateList = (request: FlowRequest, query: URLSearchParams): void => {
    const most = capped(request, maxListSeats);
    const { info } = request;
    if (isMalformed(query)) {
      // As upstream, an invalid request costs the maximum.
      request.initialSeats = most;
      return;
    }
    if (info.verb === 'watch' && !beginsWithObjects(query)) return;
    const stats = options.objectStats(info.apiGroup, info.resource);
    // Resources of aggregated servers cost the minimum.
    if (!stats) return;
    const seats = options.sizeBasedLists ? seatsBySize(stats, info, query) : seatsByCount(stats, info, query);
    request.initialSeats = Math.min(Math.max(seats, 1), most);
  };
  const estimateWrite = (request: FlowRequest): void => {
    const { info, flow } = request;
    if (info.resource === 'serviceaccounts' && info.subresource === 'token') return;
    const watches = options.interestedWatches(info);
    flow.recorder.watchCounts.observe(watches);
    if (watches < watchesPerSeat) return;
    const seats = Math.ceil(watches / watchesPerSeat);
    request.finalSeats = Math.min(seats, capped(request, maxMutatingSeats));
    // The same work with fewer seats takes more time.
    request.additionalLatencyMs = (seats * msPerEvent) / request.finalSeats;
  };
  return (request, query) => {
    switch (request.info.verb) {
      case 'list':
        estimateList(request, query);
        return;
      case 'watch':
        if (options.watchLists) estimateList(request, query);
        return;
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
        estimateWrite(request);
    }
  };
}

function capped({ flow }: FlowRequest, limit: number): number {
  const { maxSeatsPerRequest } = flow.level.limits;
  return maxSeatsPerRequest === 0 ? limit : Math.min(maxSeatsPerRequest, limit);
}

function isMalformed(query: URLSearchParams): boolean {
  for (const name of ['limit', 'timeoutSeconds']) {
    const text = query.get(name);
    if (text !== null && !/^[+-]?\d{1,19}$/.test(text)) return true;
  }
  return false;
}

function beginsWithObjects(query: URLSearchParams): boolean {
  const version = query.get('resourceVersion') ?? '';
  return version === '' || version === '0' || isTrue(query.get('sendInitialEvents'));
}

function limitOf(query: URLSearchParams, count: number): number {
  const limit = Number(query.get('limit') ?? 0);
  return limit > 0 && limit < count ? limit : count;
}

const isSelected = (query: URLSearchParams): boolean =>
  (query.get('fieldSelector') ?? '') !== '' || (query.get('labelSelector') ?? '') !== '';

/** Returns whether upstream reads the list from etcd. Our lists always come from the cache, but estimates are upstream's. */
function isFromStore(info: RequestInfo, query: URLSearchParams): boolean {
  if (info.verb === 'watch') return false;
  const match = query.get('resourceVersionMatch') ?? '';
  if (match !== '') return match !== 'NotOlderThan';
  const version = query.get('resourceVersion') ?? '';
  return (query.get('continue') ?? '') !== '' || (version !== '' && version !== '0' && Number(query.get('limit')) > 0);
}

function seatsBySize({ entries, bytes }: ObjectStats, info: RequestInfo, query: URLSearchParams): number {
  const average = Math.floor(bytes / Math.max(1, entries)) || (entries === 0 ? 0 : largestObjectBytes);
  const fromStore = isFromStore(info, query);
  let objects = info.name !== '' ? 1 : limitOf(query, entries);
  if (info.name === '' && fromStore && isSelected(query)) objects = Math.max(objects, Math.floor(entries / 2));
  const loaded = objects * average;
  return Math.ceil((fromStore ? loaded : Math.min(loaded, maxStreamedBytes)) / bytesPerSeat);
}

function seatsByCount({ entries }: ObjectStats, info: RequestInfo, query: URLSearchParams): number {
  let objects = entries;
  if (info.name !== '') objects = 1;
  else if (isFromStore(info, query))
    objects = isSelected(query) ? entries + limitOf(query, entries) : 2 * limitOf(query, entries);
  return Math.ceil(objects / objectsPerSeat);
}
