/** CoreDNS' configuration file: its syntax, without the meaning of the directives. */
export { argumentError, CorefileError, errorAt, type Place } from './corefile-error.ts';
export {
  type CorefileFiles,
  type Directive,
  noFiles,
  parseCorefile,
  type ServerBlock,
} from './parse-corefile.ts';
export { type ZoneKey, zoneKeys, zonesOf } from './server-keys.ts';
