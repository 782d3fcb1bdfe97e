import { verbosity } from '@coxswain/apimachinery/log';
import { expect, it } from 'vitest';
import { debugFlagsPages, isDebugFlagsPath } from './debug-flags-pages.ts';

async function ask(method: string, path: string, body = '') {
  const level = verbosity(1);
  const { status, body: answer } = await debugFlagsPages(
    { method, path, readBody: async () => Buffer.from(body) },
    level,
  );
  return { status, text: Buffer.from(answer as Uint8Array).toString(), level: level.of('') };
}

const cases: Record<string, [method: string, body: string, status: number, text: string, level: number]> = {
  'is set by PUT': ['PUT', '4', 200, 'successfully set klog.logging.verbosity to 4\n', 4],
  'is not set by other methods': ['GET', '', 406, 'unsupported http method\n', 1],
  'must be a number': ['PUT', 'x', 400, 'strconv.ParseUint: parsing "x": invalid syntax\n', 1],
};
for (const [sentence, [method, body, status, text, level]] of Object.entries(cases)) {
  it(`the verbosity ${sentence}`, async () =>
    expect(await ask(method, '/debug/flags/v', body)).toEqual({ status, text, level }));
}

it('lists the flags at /debug/flags', async () => {
  expect((await ask('GET', '/debug/flags')).text).toContain('<tr>v<br>');
  expect(['/debug/flags', '/debug/flags/v', '/debug/flagship'].map(isDebugFlagsPath)).toEqual([true, true, false]);
});
