import type { ApiResponse } from '@coxswain/component-base/http';
import { rawJsonResponse } from './generic-errors.ts';

/** `/`: every path that the server has outside of resources, sorted. Sources are asked each time. */
export function pathIndex(...sources: (() => Iterable<string>)[]): () => Promise<ApiResponse> {
  return async () => {
    const paths = new Set(sources.flatMap((source) => [...source()]));
    return rawJsonResponse({ paths: [...paths].sort() });
  };
}
