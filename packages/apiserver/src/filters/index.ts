/** The filters that every request passes before its endpoint. `handler-chain.ts` lists them in order. */
export { attributesOf } from './attributes-of.ts';
export type { Filter, StateHandler } from './filter.ts';
export { handlerChain } from './handler-chain.ts';
export { InFlight, isLongRunning, tooManyRequests } from './in-flight.ts';
export type { RequestState } from './request-state.ts';
export { UnderWay } from './under-way.ts';
export { withMetrics } from './with-metrics.ts';
export { withRequestLog } from './with-request-log.ts';
