import { GroupVersionKind } from '@coxswain/apimachinery';
import { expect, it } from 'vitest';
import { defaulterFor, strategyFor } from '../../built-in-kinds.ts';
import { FeatureGates } from '../../features/feature-gates.ts';

const tokenRequest = GroupVersionKind.of('authentication.k8s.io', 'v1', 'TokenRequest');
const context = { features: FeatureGates.defaults, now: () => new Date() };

function problemsOf(expirationSeconds: number | undefined): string[] {
  const request = {
    spec: { audiences: null, boundObjectRef: null, ...(expirationSeconds !== undefined && { expirationSeconds }) },
  };
  defaulterFor(tokenRequest)!(request);
  return strategyFor(tokenRequest)!.validate!(request as never, context).map(String);
}

it.each([
  ['lasts an hour by default', undefined, []],
  ['may last ten minutes', 600, []],
  ['may last for ages', 2 ** 32, []],
  [
    'lasts ten minutes at least',
    599,
    ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes'],
  ],
  [
    'does not last for ever',
    2 ** 32 + 1,
    ['spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'],
  ],
])('a token %s', (_, seconds, problems) => {
  expect(problemsOf(seconds)).toEqual(problems);
});

it('sets the default where it can be seen', () => {
  const request = { spec: {} };
  defaulterFor(tokenRequest)!(request);
  expect(request.spec).toEqual({ expirationSeconds: 3600 });
});
