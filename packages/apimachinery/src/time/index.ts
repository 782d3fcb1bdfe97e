export { canonicalDuration, durationToMs, formatDuration, parseDuration } from './duration.ts';
export type { Timestamp } from './parse.ts';
export {
  canonicalMicroTime,
  canonicalTime,
  dateFromTime,
  formatMicroTime,
  formatTime,
  microTimeFromDate,
  parseMicroTime,
  parseTime,
  timeFromDate,
} from './time.ts';
