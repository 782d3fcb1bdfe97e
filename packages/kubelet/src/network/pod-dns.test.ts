import type { PodSpec } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { type DnsSettings, podDns } from './pod-dns.ts';
import { parseResolvConf } from './resolv-conf.ts';

const settings: DnsSettings = {
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  node: { servers: ['192.0.2.1'], searches: ['example.com'], options: ['timeout:1'] },
  nodeIPs: ['192.0.2.9'],
};
const podWith = (spec: Partial<PodSpec>) => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [], ...spec },
});
const clusterSearches = ['ns.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'];
const cluster = { servers: ['10.96.0.10'], searches: clusterSearches, options: ['ndots:5'] };

const cases: Record<string, [Partial<PodSpec>, object]> = {
  'ClusterFirst has the cluster DNS server and searches the cluster domain first': [
    { dnsPolicy: 'ClusterFirst' },
    cluster,
  ],
  "ClusterFirst in the node's network is the node's configuration": [
    { dnsPolicy: 'ClusterFirst', hostNetwork: true },
    settings.node!,
  ],
  'ClusterFirstWithHostNet has the cluster DNS server': [
    { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true },
    cluster,
  ],
  "Default is the node's configuration": [{ dnsPolicy: 'Default' }, settings.node!],
  "None has only the pod's dnsConfig": [
    { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'edns0' }] } },
    { servers: ['1.1.1.1'], searches: ['a.b'], options: ['edns0'] },
  ],
  'dnsConfig is added, and its options take precedence': [
    {
      dnsPolicy: 'ClusterFirst',
      dnsConfig: { searches: ['x.y', 'cluster.local'], options: [{ name: 'ndots', value: '2' }] },
    },
    { servers: ['10.96.0.10'], searches: [...clusterSearches, 'x.y'], options: ['ndots:2'] },
  ],
};

describe('the resolver configuration of a pod', () => {
  it.each(Object.entries(cases))('with %s', (_, [spec, expected]) => {
    expect(podDns(podWith(spec), settings)).toEqual({ config: expected, warnings: [] });
  });

  it('has at most three servers and 32 searches, with warnings about the rest', () => {
    const nameservers = ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'];
    const searches = [...Array.from({ length: 40 }, (_, i) => `d${i}`)];
    const { config, warnings } = podDns(podWith({ dnsPolicy: 'None', dnsConfig: { nameservers, searches } }), settings);
    expect(config.servers).toEqual(nameservers.slice(0, 3));
    expect(config.searches).toEqual(searches.slice(0, 32));
    expect(warnings.map(({ message }) => message)).toEqual([
      'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 1.1.1.1 1.1.1.2 1.1.1.3',
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.slice(0, 32).join(' ')}`,
    ]);
  });

  it('leaves out search domains that are too long', () => {
    const searches = ['a'.repeat(254), 'short'];
    const { config, warnings } = podDns(podWith({ dnsPolicy: 'None', dnsConfig: { searches } }), settings);
    expect(config.searches).toEqual(['short']);
    expect(warnings).toHaveLength(1);
  });

  it('falls back to the configuration of the node if there is no cluster DNS', () => {
    const { config, warnings } = podDns(podWith({ dnsPolicy: 'ClusterFirst' }), { ...settings, clusterDNS: [] });
    expect(config).toEqual(settings.node);
    expect(warnings).toMatchObject(
      [{ reason: 'MissingClusterDNS', message: /^pod: "p_ns\(u\)"\. kubelet does not/ }].map(({ reason }) => ({
        reason,
      })),
    );
  });

  it('has the loopback address as server if the node has no configuration', () => {
    const { config } = podDns(podWith({ dnsPolicy: 'Default' }), { ...settings, node: undefined });
    expect(config).toEqual({ servers: ['127.0.0.1'], searches: ['.'], options: [] });
  });
});

describe('a resolv.conf', () => {
  it('has the searches of its last search line and the last value of each option', () => {
    const text =
      '# comment\nnameserver 1.1.1.1\nnameserver 1.1.1.2\nsearch old.com\nsearch a.com. b.com .\noptions ndots:1 edns0\noptions ndots:3\n';
    expect(parseResolvConf(text)).toEqual({
      servers: ['1.1.1.1', '1.1.1.2'],
      searches: ['a.com', 'b.com'],
      options: ['ndots:3', 'edns0'],
    });
  });

  it('is invalid if a nameserver line has no address', () => {
    expect(() => parseResolvConf('nameserver\n')).toThrow('nameserver list is empty');
  });
});
