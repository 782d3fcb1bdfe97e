/**
 * API aggregation. `Aggregator` proxies requests to the API servers that APIServices name; `CustomApiServices`
 * maintains the local APIServices for the group versions of custom resources.
 */
export { Aggregator } from './aggregator.ts';
export { localAvailability, withAvailability } from './available-condition.ts';
export { CustomApiServices } from './custom-api-services.ts';
