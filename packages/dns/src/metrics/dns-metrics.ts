import { type Collectable, CounterFamily, GaugeFamily, HistogramFamily } from '@coxswain/component-base/metrics';

const server = ['server', 'zone', 'view'];
const cached = ['server', 'zones', 'view'];
/** 0.25 ms to 8 s. */
const timeBuckets = Array.from({ length: 16 }, (_, power) => 0.00025 * 2 ** power);
const sizeBuckets = [0, 100, 200, 300, 400, 511, 1023, 2047, 4095, 8291, 16e3, 32e3, 48e3, 64e3];

/** The metrics of a DNS server, with the names and labels of CoreDNS. Labels never contain what clients choose, except the type of a query, for which unknown ones are `other`. */
export class DnsMetrics {
  readonly requests = new CounterFamily({
    name: 'coredns_dns_requests_total',
    help: 'Counter of DNS requests made per zone, protocol and family.',
    labels: [...server, 'proto', 'family', 'type'],
  });
  readonly requestDuration = new HistogramFamily({
    name: 'coredns_dns_request_duration_seconds',
    help: 'Histogram of the time (in seconds) each request took per zone.',
    labels: server,
    buckets: timeBuckets,
  });
  readonly requestSize = new HistogramFamily({
    name: 'coredns_dns_request_size_bytes',
    help: 'Size of the EDNS0 UDP buffer in bytes (64K for TCP) per zone and protocol.',
    labels: [...server, 'proto'],
    buckets: sizeBuckets,
  });
  readonly requestsWithDo = new CounterFamily({
    name: 'coredns_dns_do_requests_total',
    help: 'Counter of DNS requests with DO bit set per zone.',
    labels: server,
  });
  readonly responseSize = new HistogramFamily({
    name: 'coredns_dns_response_size_bytes',
    help: 'Size of the returned response in bytes.',
    labels: [...server, 'proto'],
    buckets: sizeBuckets,
  });
  readonly responses = new CounterFamily({
    name: 'coredns_dns_responses_total',
    help: 'Counter of response status codes.',
    labels: [...server, 'rcode', 'plugin'],
  });
  readonly panics = new CounterFamily({
    name: 'coredns_panics_total',
    help: 'A metrics that counts the number of panics.',
  });
  readonly pluginEnabled = new GaugeFamily({
    name: 'coredns_plugin_enabled',
    help: 'A metric that indicates whether a plugin is enabled on per server and zone basis.',
    labels: [...server, 'name'],
  });
  readonly cacheEntries = new GaugeFamily({
    name: 'coredns_cache_entries',
    help: 'The number of elements in the cache.',
    labels: ['server', 'type', 'zones', 'view'],
  });
  readonly cacheRequests = new CounterFamily({
    name: 'coredns_cache_requests_total',
    help: 'The count of cache requests.',
    labels: cached,
  });
  readonly cacheHits = new CounterFamily({
    name: 'coredns_cache_hits_total',
    help: 'The count of cache hits.',
    labels: ['server', 'type', 'zones', 'view'],
  });
  readonly cacheMisses = new CounterFamily({
    name: 'coredns_cache_misses_total',
    help: 'The count of cache misses. Deprecated, derive misses from cache hits/requests counters.',
    labels: cached,
  });
  readonly cachePrefetches = new CounterFamily({
    name: 'coredns_cache_prefetch_total',
    help: 'The number of times the cache has prefetched a cached item.',
    labels: cached,
  });
  readonly cacheDrops = new CounterFamily({
    name: 'coredns_cache_drops_total',
    help: 'The number responses that are not cached, because the reply is malformed.',
    labels: cached,
  });
  readonly cacheServedStale = new CounterFamily({
    name: 'coredns_cache_served_stale_total',
    help: 'The number of requests served from stale cache entries.',
    labels: cached,
  });
  readonly cacheEvictions = new CounterFamily({
    name: 'coredns_cache_evictions_total',
    help: 'The count of cache evictions.',
    labels: ['server', 'type', 'zones', 'view'],
  });
  readonly forwardBroken = new CounterFamily({
    name: 'coredns_forward_healthcheck_broken_total',
    help: 'Counter of the number of complete failures of the healthchecks.',
  });
  readonly forwardRejects = new CounterFamily({
    name: 'coredns_forward_max_concurrent_rejects_total',
    help: 'Counter of the number of queries rejected because the concurrent queries were at maximum.',
  });
  readonly proxyDuration = new HistogramFamily({
    name: 'coredns_proxy_request_duration_seconds',
    help: 'Histogram of the time each request took.',
    labels: ['proxy_name', 'to', 'rcode'],
    buckets: timeBuckets,
  });
  readonly proxyHealthFailures = new CounterFamily({
    name: 'coredns_proxy_healthcheck_failures_total',
    help: 'Counter of the number of failed healthchecks.',
    labels: ['proxy_name', 'to'],
  });
  readonly hostsEntries = new GaugeFamily({
    name: 'coredns_hosts_entries',
    help: 'The combined number of entries in hosts and Corefile.',
  });
  readonly hostsReload = new GaugeFamily({
    name: 'coredns_hosts_reload_timestamp_seconds',
    help: 'The timestamp of the last reload of hosts file.',
  });
  readonly templateMatches = new CounterFamily({
    name: 'coredns_template_matches_total',
    help: 'Counter of template regex matches.',
    labels: ['server', 'zone', 'view', 'class', 'type'],
  });
  readonly reloadFailures = new CounterFamily({
    name: 'coredns_reload_failed_total',
    help: 'Counter of the number of failed reload attempts.',
  });

  families(): Collectable[] {
    return Object.values(this);
  }
}
