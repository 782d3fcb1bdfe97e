import { expect, it } from 'vitest';
import { WebhookMetrics } from './webhook-metrics.ts';

it('metrics of deleted webhooks and policies are deleted', () => {
  const metrics = new WebhookMetrics();
  const names = (): string[] => {
    const labels = metrics.families.flatMap((family) => [...family.samples()].map((sample) => sample.labels));
    return [...new Set(labels.map((each) => /name="(\w+)".*type="(\w+)"/.exec(each)?.slice(1).join(' ') ?? ''))].sort();
  };
  const outcome = { seconds: 0.1, code: 200, rejected: true };
  for (const name of ['a', 'b'])
    for (const type of ['admit', 'validating'] as const) {
      metrics.called({ name, type, operation: 'CREATE' }, outcome);
      metrics.rejected(name, type, 'CREATE', 'no_error', 400);
      metrics.failedOpen(name, type);
      metrics.conditionsEvaluated(name, type, 'CREATE', 0.1, new Error('wrong'));
      metrics.conditionsEvaluated(name, type, 'CREATE', 0.1, false, 'policy');
    }
  expect(names()).toEqual(['a admit', 'a validate', 'a validating', 'b admit', 'b validate', 'b validating']);
  metrics.keepOnly('admit', new Set(['b']));
  expect(names()).toEqual(['a validate', 'a validating', 'b admit', 'b validate', 'b validating']);
  metrics.forgetPolicy('b');
  expect(names()).toEqual(['a validate', 'a validating', 'b admit', 'b validating']);
});
