import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestState } from './request-state.ts';

export type StateHandler = (state: RequestState) => Promise<ApiResponse>;
/** Wraps the rest of the handler chain. It may act before or after it, or respond without calling it. */
export type Filter = (next: StateHandler) => StateHandler;
