import { amountsOf } from '@coxswain/api';
import { Quantity } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { atLeast, atMost, brokenConstraints, ratioAtMost, requestAtMost } from './constraints.ts';

const constraints = { atLeast, atMost, requestAtMost, ratioAtMost };
type Case = [name: keyof typeof constraints, enforced: string, request?: string, limit?: string];

/** The messages of upstream's plug-in; none for valid amounts. */
const cases: Record<string, [Case, string?]> = {
  'a request at the minimum': [['atLeast', '1', '1']],
  'no request at all': [['atLeast', '1'], 'minimum cpu usage per Pod is 1.  No request is specified'],
  'a request below the minimum': [['atLeast', '1', '999m', '2'], 'minimum cpu usage per Pod is 1, but request is 999m'],
  'a limit below the minimum': [['atLeast', '1', '1', '500m'], 'minimum cpu usage per Pod is 1, but limit is 500m'],
  'a limit at the maximum': [['atMost', '1', undefined, '1']],
  'no limit at all': [['atMost', '1Gi', '1Mi'], 'maximum cpu usage per Pod is 1Gi.  No limit is specified'],
  'a limit above the maximum': [['atMost', '1', '2', '3'], 'maximum cpu usage per Pod is 1, but limit is 3'],
  'a request above the maximum': [['atMost', '1', '2', '1'], 'maximum cpu usage per Pod is 1, but request is 2'],
  'a request at the maximum, without a limit': [['requestAtMost', '1', '1']],
  'no request with a maximum': [['requestAtMost', '1'], 'maximum cpu usage per Pod is 1.  No request is specified'],
  'a ratio at the maximum': [['ratioAtMost', '1500m', '2', '3']],
  'a ratio above the maximum': [
    ['ratioAtMost', '1500m', '3', '5'],
    'cpu max limit to request ratio per Pod is 1500m, but provided ratio is 1.666667',
  ],
  'a ratio with a request of 0': [
    ['ratioAtMost', '2', '0', '5'],
    'cpu max limit to request ratio per Pod is 2, but no request is specified or request is 0',
  ],
  'a ratio with a limit of 0': [
    ['ratioAtMost', '2', '1', '0'],
    'cpu max limit to request ratio per Pod is 2, but no limit is specified or limit is 0',
  ],
  'a ratio of amounts whose milli-values overflow an int64': [
    ['ratioAtMost', '2', '10Pi', '30Pi'],
    'cpu max limit to request ratio per Pod is 2, but provided ratio is 3.000000',
  ],
};

describe('the constraints of a limit range', () => {
  for (const [sentence, [[name, enforced, request, limit], message]] of Object.entries(cases))
    it(sentence, () => {
      const parsed = (text: string | undefined) => (text === undefined ? undefined : Quantity.parse(text));
      const asked = { request: parsed(request), limit: parsed(limit) };
      expect(constraints[name]({ type: 'Pod', resource: 'cpu', enforced: Quantity.parse(enforced), ...asked })).toBe(
        message,
      );
    });

  it('are checked one after the other, with resources sorted by name', () => {
    const broken = brokenConstraints(
      { type: 'Container', min: { memory: '1Gi', cpu: '1' }, max: { cpu: '2' } },
      { min: atLeast, max: atMost },
      { requests: amountsOf({ cpu: '500m', memory: '1Mi' }), limits: new Map() },
    );
    expect(broken).toEqual([
      'minimum cpu usage per Container is 1, but request is 500m',
      'minimum memory usage per Container is 1Gi, but request is 1Mi',
      'maximum cpu usage per Container is 2.  No limit is specified',
    ]);
  });
});
