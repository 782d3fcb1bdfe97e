import { FakeClock, systemClock } from '@coxswain/apimachinery/clock';
import type { ApiResponse } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import type { RequestState } from './request-state.ts';
import { withDeadline } from './with-deadline.ts';

const minute = 60_000;
const ready: ApiResponse = { status: 200, headers: {} };

const stateOf = (search: string, verb = 'list'): RequestState =>
  ({
    query: new URLSearchParams(search),
    info: { verb, subresource: '', path: '/api/v1/pods' },
  }) as unknown as RequestState;

describe('the timeout of a request', () => {
  /** Returns after how many seconds a request that never completes times out. */
  const patience = async (search: string): Promise<number> => {
    const clock = new FakeClock(0);
    const answer = withDeadline(minute, clock)(() => new Promise(() => {}))(stateOf(search));
    const refused = expect(answer).rejects.toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within the allotted timeout',
    });
    clock.turn(clock.nextInMs ?? 0);
    await refused;
    return clock.now() / 1000;
  };

  it.each([
    ['', 60],
    ['timeout=5s', 5],
    ['timeout=10m', 60],
    ['timeout=0s', 60],
    ['timeout=-5s', 60],
  ])('with query %j is %d seconds', async (search, seconds) => expect(await patience(search)).toBe(seconds));

  it.each([
    ['abc', 'time: invalid duration "abc"'],
    ['5', 'time: missing unit in duration "5"'],
  ])('is refused when it is %j', async (timeout, why) => {
    await expect(
      withDeadline(minute, systemClock)(async () => ready)(stateOf(`timeout=${timeout}`)),
    ).rejects.toMatchObject({
      code: 400,
      message: `invalid timeout specified in the request URL - ${why}`,
    });
  });

  it('does not apply to a watch', async () => {
    expect(await withDeadline(minute, systemClock)(async () => ready)(stateOf('timeout=abc', 'watch'))).toBe(ready);
  });
});
