import type { ApiResponse } from '@coxswain/component-base/http';
import { textResponse } from '@coxswain/component-base/http';
import type { RequestInfo } from '../http/request-context.ts';

export interface InFlightOptions {
  /** `--max-requests-inflight`: the limit for get, list and watch. 0 means no limit. */
  readonly maxReadOnly: number;
  /** `--max-mutating-requests-inflight`: the limit for all other verbs. 0 means no limit. */
  readonly maxMutating: number;
}

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Returns whether a request has no time limit: watches, logs, profiles, and requests proxied to a node, pod or service. */
export const isLongRunning = ({ verb, subresource, path }: RequestInfo): boolean =>
  verb === 'watch' || verb === 'proxy' || longRunningSubresources.has(subresource) || path.startsWith('/debug/pprof/');

/** Counts the requests in flight and limits their number. */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly current = { readOnly: 0, mutating: 0 };

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Returns a function to call when the request is done, or undefined when the limit is reached. */
  enter(verb: string): (() => void) | undefined {
    const { maxReadOnly, maxMutating } = this.#options;
    const kind = readOnlyVerbs.has(verb) ? 'readOnly' : 'mutating';
    const max = kind === 'readOnly' ? maxReadOnly : maxMutating;
    if (max > 0 && this.current[kind] >= max) return undefined;
    this.current[kind]++;
    return () => {
      this.current[kind]--;
    };
  }
}

/** Returns the 429 response, with Retry-After. */
export function tooManyRequests(retryAfterSeconds = 1): ApiResponse {
  const { headers, ...response } = textResponse(429, 'Too many requests, please try again later.\n');
  return { ...response, headers: { ...headers, 'retry-after': String(retryAfterSeconds) } };
}
