/**
 * The wire format of DNS: names, records, messages (RFC 1035, 6891). No I/O. Everything that reads bytes throws a `WireError` for what is not well-formed, and
 * takes time and memory that are bounded by the number of bytes.
 */
export { decodeMessage, headerLength } from './decode-message.ts';
export { fqdn, isInZone, joinNames, labelsOf, longestZone } from './domain-name.ts';
export { encodeMessage, maxMessageLength, minUdpSize } from './encode-message.ts';
export {
  dnssecOk,
  type Edns,
  type Message,
  opcodeOf,
  type Question,
  type ResourceRecord,
  rcodeOf,
} from './message.ts';
export { isDomainName } from './name-codec.ts';
export {
  classByName,
  classIn,
  className,
  Flag,
  Rcode,
  rcodeByName,
  rcodeName,
  Type,
  typeByName,
  typeName,
} from './numbers.ts';
export { QueryScanner } from './query-scanner.ts';
export * from './records.ts';
export { parseRecord, recordText } from './record-text.ts';
