import { describe, expect, it } from 'vitest';
import { firstServiceIP, servingNames } from './serving-names.ts';

describe('servingNames', () => {
  it('returns the names of the service, of this machine and the extra names, each once', () => {
    const names = servingNames({
      hostname: 'Node-1',
      addresses: ['0.0.0.0', '::', '192.0.2.7'],
      serviceClusterIPRanges: ['10.96.0.0/16', 'fd00::/108'],
      extraNames: ['api.example', '192.0.2.7', '2001:DB8::7', 'localhost'],
    });
    expect(names).toEqual({
      dnsNames: [
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
        'localhost',
        'node-1',
        'api.example',
      ],
      ipAddresses: ['127.0.0.1', '::1', '10.96.0.1', 'fd00::1', '192.0.2.7', '2001:db8::7'],
    });
  });

  it('uses the cluster domain', () => {
    const { dnsNames } = servingNames({ hostname: 'h', serviceClusterIPRanges: [], clusterDomain: 'corp.example' });
    expect(dnsNames).toContain('kubernetes.default.svc.corp.example');
  });

  it('returns the first address of a range written with another address', () => {
    expect(firstServiceIP('10.0.3.77/24')).toBe('10.0.3.1');
    expect(() => firstServiceIP('10.0.0.0')).toThrow(new Error('invalid CIDR address: 10.0.0.0'));
  });
});
