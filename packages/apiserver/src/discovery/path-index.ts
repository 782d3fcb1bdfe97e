import type { ApiResponse } from '@coxswain/component-base/http';
import { rawJsonResponse } from './generic-errors.ts';

/** Serves `/`: a sorted list of all paths that are not resources. The sources are called on every request. */
export function pathIndex(...sources: (() => Iterable<string>)[]): () => Promise<ApiResponse> {
  return async () => {
    const paths = new Set(sources.flatMap((source) => [...source()]));
    return rawJsonResponse({ paths: [...paths].sort() });
  };
}
