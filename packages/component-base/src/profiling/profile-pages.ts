import { setTimeout as delay } from 'node:timers/promises';
import { type ApiRequest, type ApiResponse, textResponse } from '../http/index.ts';
import { cpuProfiler } from './cpu-profiler.ts';
import { heapDifference, heapProfile, heapSampler } from './heap-sampler.ts';
import { heapText, indexText } from './profile-texts.ts';
import type { PprofProfile } from './pprof-profile.ts';

/** The part of a request that `profilePages` uses. */
export type ProfileRequest = Pick<ApiRequest, 'method' | 'search' | 'signal'> & {
  /** Percent-decoded. */
  readonly path: string;
};

const folder = '/debug/pprof';
const defaultSeconds = 30;
/** Differs from upstream, which has no limit: samples are kept in memory until the profile ends. */
const mostSeconds = 3600;

/** Returns whether `profilePages` serves the path. */
export const isProfilePath = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/**
 * Serves `/debug/pprof/…` like Go's programs, as far as it applies to Node: `profile` shows how this thread spends its time, `heap` which
 * functions allocated live memory, both for `go tool pprof`. Profiles that only Go has are answered like any unknown profile: goroutines,
 * threads, locks, execution traces. So is `allocs`, because V8 would have to keep a record of all freed objects for it.
 */
export async function profilePages(request: ProfileRequest): Promise<ApiResponse> {
  const { path, method } = request;
  if (path === folder) return redirectToIndex(method);
  const page = pages.get(path.slice(folder.length + 1));
  return page ? page(request, new URLSearchParams(request.search)) : refusal(404, 'Unknown profile');
}

type Page = (request: ProfileRequest, query: URLSearchParams) => Promise<ApiResponse>;

const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['', async () => ({ status: 200, headers: typed('text/html; charset=utf-8'), body: Buffer.from(indexText(folder)) })],
  ['heap', heapPage],
  ['profile', cpuPage],
  // For tools that look up symbols by address. These profiles contain names instead of addresses.
  ['symbol', async () => textResponse(200, 'num_symbols: 0\n')],
]);

async function cpuPage({ signal }: ProfileRequest, query: URLSearchParams): Promise<ApiResponse> {
  const wanted = integerOf(query.get('seconds'));
  const seconds = wanted !== undefined && wanted > 0 ? wanted : defaultSeconds;
  if (seconds > mostSeconds) return tooLong();
  try {
    return await download('profile', await cpuProfiler.record(seconds * 1000, signal));
  } catch (error) {
    return refusal(500, `Could not enable CPU profiling: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function heapPage(request: ProfileRequest, query: URLSearchParams): Promise<ApiResponse> {
  const seconds = query.get('seconds') ?? '';
  const asText = (integerOf(query.get('debug')) ?? 0) !== 0;
  if (seconds !== '') return heapDeltaPage(integerOf(seconds), asText, request.signal);
  const timeMs = Date.now();
  const stacks = await heapSampler.stacks();
  return asText ? textResponse(200, heapText(stacks)) : download('heap', heapProfile(stacks, { timeMs }));
}

/** Serves the difference of the live memory between the start and the end of a period. */
async function heapDeltaPage(seconds: number | undefined, asText: boolean, signal: AbortSignal): Promise<ApiResponse> {
  if (seconds === undefined || seconds <= 0)
    return refusal(400, 'invalid value for "seconds" - must be a positive integer');
  if (asText) return refusal(400, 'seconds and debug params are incompatible');
  if (seconds > mostSeconds) return tooLong();
  const startMs = Date.now();
  const before = await heapSampler.stacks();
  try {
    await delay(seconds * 1000, undefined, { signal, ref: false });
  } catch {
    return refusal(500, 'context canceled');
  }
  const timeMs = Date.now();
  const difference = heapDifference(before, await heapSampler.stacks());
  return download('heap-delta', heapProfile(difference, { timeMs, durationMs: timeMs - startMs }));
}

const integerOf = (text: string | null): number | undefined =>
  text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;

const typed = (type: string): ApiResponse['headers'] => ({ 'content-type': type, 'x-content-type-options': 'nosniff' });

const download = async (name: string, profile: PprofProfile): Promise<ApiResponse> => ({
  status: 200,
  headers: { ...typed('application/octet-stream'), 'content-disposition': `attachment; filename="${name}"` },
  body: await profile.encode(),
});

/** Sets the header of Go's profile errors, which tools look for. */
function refusal(status: number, message: string): ApiResponse {
  const response = textResponse(status, `${message}\n`);
  return { ...response, headers: { ...response.headers, 'x-go-pprof': '1' } };
}

const tooLong = (): ApiResponse => refusal(400, `invalid value for "seconds" - must be at most ${mostSeconds}`);

/** As in Go: only responses to GET and HEAD have a body that names the new location. */
function redirectToIndex(method: string): ApiResponse {
  const location = `${folder}/`;
  if (method !== 'GET' && method !== 'HEAD') return { status: 302, headers: { location } };
  return {
    status: 302,
    headers: { location, 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(`<a href="${location}">Found</a>.\n\n`),
  };
}
