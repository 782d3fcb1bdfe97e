import { describe, expect, it } from 'vitest';
import { defaultPodSecurityConfiguration } from './configuration.ts';
import { describe as describeLevel, labelPrefix, modes, policyOf } from './policy.ts';

const { defaults } = defaultPodSecurityConfiguration;
const baseline = { level: 'baseline', version: 20 } as const;

/** Labels without prefix; the levels for enforce, audit and warn; and the number of errors. */
const cases: Record<string, [labels: Record<string, string>, policy: string, errors?: number]> = {
  'no labels': [{}, 'privileged:latest privileged:latest privileged:latest'],
  'an enforced level also causes warnings': [
    { enforce: 'baseline', 'enforce-version': 'v1.22' },
    'baseline:v1.22 privileged:latest baseline:v1.22',
  ],
  'an explicit warn level': [
    { enforce: 'baseline', warn: 'privileged' },
    'baseline:latest privileged:latest privileged:latest',
  ],
  'an explicit warn version': [
    { enforce: 'baseline', 'enforce-version': 'v1.22', 'warn-version': 'v1.5' },
    'baseline:v1.22 privileged:latest baseline:v1.5',
  ],
  'modes are independent': [
    { enforce: 'privileged', audit: 'baseline', warn: 'restricted', 'warn-version': 'v1.99' },
    'privileged:latest baseline:latest restricted:v1.99',
  ],
  'invalid labels enforce restricted, and cause no warnings': [
    { enforce: 'a', 'enforce-version': '1', audit: '', 'audit-version': '', warn: 'x', 'warn-version': 'v1.01' },
    'restricted:latest privileged:latest privileged:latest',
    6,
  ],
};

describe('the policy in namespace labels', () => {
  for (const [sentence, [labels, wanted, wrong = 0]] of Object.entries(cases))
    it(sentence, () => {
      const all = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${labelPrefix}${key}`, value]));
      const { policy, errors } = policyOf(all, defaults);
      expect(modes.map((mode) => describeLevel(policy[mode])).join(' ')).toBe(wanted);
      expect(errors).toHaveLength(wrong);
    });

  it('uses the defaults where labels are missing', () => {
    const given = { enforce: baseline, audit: baseline, warn: { level: 'restricted', version: 7 } } as const;
    const { policy } = policyOf(
      { [`${labelPrefix}enforce`]: 'baseline', [`${labelPrefix}audit-version`]: 'v1.3' },
      given,
    );
    expect(policy).toEqual({ enforce: baseline, audit: { level: 'baseline', version: 3 }, warn: given.warn });
  });
});
