import type { ApiResponse } from '@coxswain/component-base/http';
import { textResponse } from '@coxswain/component-base/http';
import type { RequestInfo } from '../http/request-context.ts';

export interface InFlightOptions {
  /** `--max-requests-inflight`: reads. 0: no limit. */
  readonly maxReadOnly: number;
  /** `--max-mutating-requests-inflight`. */
  readonly maxMutating: number;
}

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** What may take as long as it likes: watches, and whatever is passed on to a node or a service. */
export const isLongRunning = ({ verb, subresource, path }: RequestInfo): boolean =>
  verb === 'watch' || verb === 'proxy' || longRunningSubresources.has(subresource) || path.startsWith('/debug/pprof/');

/** Counts what is being answered, and refuses what is too much at once. */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly current = { readOnly: 0, mutating: 0 };

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Undefined when there are too many; else to be called when the request is done. */
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

/** What a client gets that has to come again. */
export function tooManyRequests(retryAfterSeconds = 1): ApiResponse {
  const { headers, ...response } = textResponse(429, 'Too many requests, please try again later.\n');
  return { ...response, headers: { ...headers, 'retry-after': String(retryAfterSeconds) } };
}
