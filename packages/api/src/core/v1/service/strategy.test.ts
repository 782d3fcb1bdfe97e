import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Service } from '../../../generated/core/v1.ts';
import { setServiceDefaults } from './defaults.ts';
import { serviceStrategy } from './strategy.ts';

const service = (spec: Service['spec']): Service => {
  const object: Service = { metadata: { name: 'web', namespace: 'default' }, spec };
  setServiceDefaults(object);
  return object;
};

describe('a service', () => {
  it('can be selected by type and address', () => {
    const fields = serviceStrategy.selectableFields!;
    const object = service({ clusterIP: '10.0.0.1', ports: [{ port: 80 }] });
    expect(Object.entries(fields).map(([label, value]) => [label, value(object)])).toEqual([
      ['spec.clusterIP', '10.0.0.1'],
      ['spec.type', 'ClusterIP'],
    ]);
  });

  it('must have a name that starts with a letter while RelaxedServiceNameValidation is off', () => {
    const judge = (isRelaxed: boolean) =>
      serviceStrategy.validateName!('0web', false, {
        features: new FeatureGates({ RelaxedServiceNameValidation: isRelaxed }),
        now: () => new Date(0),
      });
    expect([judge(true).length, judge(false).length]).toEqual([0, 1]);
  });

  it('may have addresses with leading zeros while StrictIPCIDRValidation is off', () => {
    const context = {
      features: new FeatureGates({ StrictIPCIDRValidation: false }),
      namespace: 'default',
      now: () => new Date(0),
    };
    const object = service({
      clusterIP: '010.0.0.1',
      clusterIPs: ['010.0.0.1'],
      externalIPs: ['192.0.2.01'],
      ports: [{ port: 80 }],
    });
    expect(serviceStrategy.validate!(object, context)).toEqual([]);
    expect(serviceStrategy.warningsOnCreate!(object, context)).toEqual([
      'spec.clusterIPs[0]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
      'spec.externalIPs[0]: non-standard IP address "192.0.2.01" is invalid: use "192.0.2.1"',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ]);
  });

  it('is not modified when an update clears the new object’s status', () => {
    const old = {
      ...service({ type: 'LoadBalancer', ports: [{ port: 80 }] }),
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    };
    const object = { ...service({ type: 'ClusterIP', ports: [{ port: 80 }] }), status: old.status };
    serviceStrategy.prepareForUpdate!(object, old, { features: FeatureGates.defaults, now: () => new Date(0) });
    expect([object.status, old.status]).toEqual([
      { loadBalancer: {} },
      { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    ]);
  });
});
