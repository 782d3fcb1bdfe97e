import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { readResourceQuotaConfiguration, resourceQuotaConfigurationKind } from './configuration.ts';

const read = (configuration: object) =>
  readResourceQuotaConfiguration(readConfiguration(JSON.stringify(configuration)));

describe('the ResourceQuota configuration', () => {
  it('contains the limited resources', () => {
    const { limitedResources } = read({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ResourceQuotaConfiguration',
      limitedResources: [
        { resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
        { apiGroup: 'apps', resource: 'deployments', matchContains: ['count/'] },
      ],
    });
    expect(limitedResources).toEqual([
      {
        apiGroup: '',
        resource: 'pods',
        matchContains: [],
        matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
      },
      { apiGroup: 'apps', resource: 'deployments', matchContains: ['count/'], matchScopes: [] },
    ]);
  });

  it('has no limited resources by default', () => expect(read({})).toEqual({ limitedResources: [] }));

  it('rejects unknown fields', () => {
    expect(() => read({ limitedResources: [{ resource: '' }], x: 1 })).toThrow(
      new Error('strict decoding error: unknown field "x"'),
    );
  });

  it('rejects limits without a resource', () => {
    expect(() => read({ limitedResources: [{ matchContains: ['a'] }, { resource: '' }] })).toThrow(
      new Error('[limitedResources[0].resource: Required value, limitedResources[1].resource: Required value]'),
    );
  });

  it('has another kind in legacy versions', () => {
    const kindOf = (apiVersion: string): string => resourceQuotaConfigurationKind({ apiVersion }).kind;
    expect(kindOf('apiserver.config.k8s.io/v1')).toBe('ResourceQuotaConfiguration');
    expect(kindOf('resourcequota.admission.k8s.io/v1beta1')).toBe('Configuration');
    expect(kindOf('')).toBe('ResourceQuotaConfiguration');
  });
});
