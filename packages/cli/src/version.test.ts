import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { coxswainVersion } from './version.ts';

it('is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(coxswainVersion).toBe(`v${version}`);
});
