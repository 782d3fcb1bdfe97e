export { type AggregatedDiscovery, type Discovery, fromAggregatedDiscovery } from './discovery.ts';
export {
  AmbiguousKindError,
  AmbiguousResourceError,
  isAmbiguousError,
  isNoMatchError,
  NoKindMatchError,
  NoResourceMatchError,
} from './match-errors.ts';
export { RESTMapper, type RESTMapperOptions } from './rest-mapper.ts';
export { guessResource, type RESTMapping, type RESTScope } from './version-table.ts';
