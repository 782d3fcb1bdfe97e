import { describe, expect, it } from 'vitest';
import { behaviour } from './index.ts';

const setDefaults = (kind: string, object: object): object => {
  behaviour.defaults![kind]!(object as never);
  return object;
};

describe('webhooks of v1beta1', () => {
  const shared = {
    failurePolicy: 'Ignore',
    matchPolicy: 'Exact',
    sideEffects: 'Unknown',
    timeoutSeconds: 30,
    admissionReviewVersions: ['v1beta1'],
    namespaceSelector: {},
    objectSelector: {},
    rules: [{ scope: '*' }],
    clientConfig: { service: { port: 443 } },
  };
  const given = () => ({ webhooks: [{ rules: [{}], clientConfig: { service: {} } }] });

  it('default to lenient values in ValidatingWebhookConfigurations', () => {
    expect(setDefaults('ValidatingWebhookConfiguration', given())).toEqual({ webhooks: [shared] });
  });

  it('default to lenient values and no reinvocation in MutatingWebhookConfigurations', () => {
    const expected = { webhooks: [{ ...shared, reinvocationPolicy: 'Never' }] };
    expect(setDefaults('MutatingWebhookConfiguration', given())).toEqual(expected);
    expect(setDefaults('MutatingWebhookConfiguration', structuredClone(expected))).toEqual(expected);
  });
});
