import { describe, expect, it } from 'vitest';
import type { ValidatingWebhook } from '../../generated/admissionregistration/v1.ts';
import { validateWebhooks, validateWebhooksUpdate } from './webhook-validation.ts';

const webhook = (more: Partial<ValidatingWebhook> = {}): ValidatingWebhook => ({
  name: 'check.example.com',
  clientConfig: { url: 'https://example.com' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

/** Webhooks that older servers accepted. */
const broken: Readonly<Record<string, readonly ValidatingWebhook[]>> = {
  'side effects': [webhook({ sideEffects: 'Unknown' })],
  'unknown review versions': [webhook({ admissionReviewVersions: ['v7'] })],
  'a duplicate name': [webhook(), webhook()],
  'bad values in a selector': [
    webhook({ objectSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } }),
  ],
  'conditions without a name': [webhook({ matchConditions: [{ name: '', expression: 'true' }] })],
};

describe('webhooks that break a current rule', () => {
  it.each(Object.entries(broken))('cannot be created: %s', (_, webhooks) => {
    expect(validateWebhooks(webhooks)).not.toEqual([]);
  });

  it.each(Object.entries(broken))('can be updated: %s', (_, webhooks) => {
    const updated = webhooks.map((one) => ({ ...one, timeoutSeconds: 5 }));
    expect(validateWebhooksUpdate(updated, webhooks).map(String)).toEqual([]);
  });

  it.each(Object.entries(broken))('cannot replace valid ones: %s', (_, webhooks) => {
    expect(validateWebhooksUpdate(webhooks, [webhook()])).not.toEqual([]);
  });
});
