import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestState } from './request-state.ts';

export type StateHandler = (state: RequestState) => Promise<ApiResponse>;
/** Does something before the rest of the chain, or after it, or in place of it. */
export type Filter = (next: StateHandler) => StateHandler;
