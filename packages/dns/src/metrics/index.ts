/** The metrics of a DNS server. */
export { DnsMetrics } from './dns-metrics.ts';
export { ZoneMetrics } from './zone-metrics.ts';
