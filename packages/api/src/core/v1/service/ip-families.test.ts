import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { beginService } from './begin.ts';

const context: StrategyContext = { features: FeatureGates.defaults, namespace: 'default', now: () => new Date(0) };
const service = (spec: ServiceSpec): Service => ({ metadata: { name: 'web' }, spec: { type: 'ClusterIP', ...spec } });

function begin(spec: ServiceSpec, old?: ServiceSpec, families?: StrategyContext['serviceIPFamilies']) {
  const object = service(spec);
  const errors = beginService(object, old && service(old), { ...context, serviceIPFamilies: families });
  const { clusterIPs, ipFamilies, ipFamilyPolicy } = object.spec!;
  return { errors: errors.map(String), clusterIPs, ipFamilies, ipFamilyPolicy };
}

const selector = { app: 'web' };

describe('a cluster with IPv4 only', () => {
  it('assigns IPv4 to a service', () => {
    expect(begin({ selector })).toMatchObject({ errors: [], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });

  it('assigns only IPv4 to a service with PreferDualStack', () => {
    expect(begin({ selector, ipFamilyPolicy: 'PreferDualStack' })).toMatchObject({ errors: [], ipFamilies: ['IPv4'] });
  });

  it('refuses a service with RequireDualStack', () => {
    expect(begin({ selector, ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }).errors).toEqual([
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ]);
  });

  it('refuses an IPv6 address', () => {
    expect(begin({ clusterIP: 'fd00::1' }).errors).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    ]);
  });

  it('allows both families for a headless service without a selector', () => {
    expect(begin({ clusterIP: 'None' })).toMatchObject({
      errors: [],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
  });
});

describe('a cluster with both families', () => {
  const both = ['IPv6', 'IPv4'] as const;

  it('assigns its first family by default', () => {
    expect(begin({ selector }, undefined, both)).toMatchObject({ errors: [], ipFamilies: ['IPv6'] });
  });

  it('adds the second family to a service with PreferDualStack', () => {
    const answer = begin({ selector, ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' }, undefined, both);
    expect(answer).toMatchObject({ errors: [], ipFamilies: ['IPv4', 'IPv6'] });
  });

  it('keeps the families of a service with PreferDualStack after the cluster became dual-stack', () => {
    const spec: ServiceSpec = {
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'PreferDualStack',
    };
    expect(begin(spec, spec, both)).toMatchObject({ errors: [], ipFamilies: ['IPv4'] });
  });

  it('restores the old policy on update', () => {
    const old: ServiceSpec = {
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1', 'fd00::1'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    };
    expect(begin({ selector }, old, both)).toEqual({ errors: [], ...old, clusterIP: undefined, selector: undefined });
  });
});
