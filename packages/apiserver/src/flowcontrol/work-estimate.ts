import type { RequestInfo } from '../http/request-context.ts';
import { isTrue } from '../http/request-info.ts';
import type { FlowRequest } from './flow-request.ts';

/** What is known of the objects of a resource. */
export interface ObjectStats {
  readonly entries: number;
  readonly bytes: number;
}

export interface WorkEstimateOptions {
  /** Undefined for what this server does not store. */
  readonly objectStats: (group: string, resource: string) => ObjectStats | undefined;
  /** How many watches may hear of what a request does. */
  readonly interestedWatches: (info: RequestInfo) => number;
  /** The feature SizeBasedListCostEstimate: lists by their bytes rather than by the number of objects. */
  readonly sizeBasedLists: boolean;
  /** The feature WatchList: a watch that begins with what is there costs as much as a list. */
  readonly watchLists: boolean;
}

const maxMutatingSeats = 10;
const objectsPerSeat = 100;
const bytesPerSeat = 100_000;
/** A list from the cache is sent piece by piece. */
const maxStreamedBytes = 1_000_000;
/** What objects are taken for of which it is not known. */
const largestObjectBytes = 1_500_000;
const watchesPerSeat = 10;
/** So long one watch's part of a seat is taken when something happens. */
const msPerEvent = 5;

export type WorkEstimator = (request: FlowRequest, query: URLSearchParams) => void;

/** Says in a request how many seats it takes, and for how long after its answer. */
export function workEstimator(options: WorkEstimateOptions): WorkEstimator {
  const maxListSeats = options.sizeBasedLists ? 100 : 10;
  const estimateList = (request: FlowRequest, query: URLSearchParams): void => {
    const most = capped(request, maxListSeats);
    const { info } = request;
    if (isMalformed(query)) {
      // It will be refused, but not before it was read.
      request.initialSeats = most;
      return;
    }
    if (info.verb === 'watch' && !beginsWithObjects(query)) return;
    const stats = options.objectStats(info.apiGroup, info.resource);
    // What somebody else serves costs us nothing.
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
    // The same work: fewer seats are taken for longer.
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

/** What upstream has to ask its store for. Ours does not, but what takes turns by it is the same. */
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
