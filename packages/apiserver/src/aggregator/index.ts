/**
 * Other API servers behind this one: `Aggregator` passes on to them what APIServices say is theirs; `CustomApiServices`
 * writes down which group versions of custom resources are this server's own.
 */
export { Aggregator } from './aggregator.ts';
export { localAvailability, withAvailability } from './available-condition.ts';
export { CustomApiServices } from './custom-api-services.ts';
