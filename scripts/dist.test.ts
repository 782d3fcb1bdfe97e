import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/* Tests run on the sources; what people install is what the compiler made of them. */
const packages = join(import.meta.dirname, '..', 'packages');

describe.each(readdirSync(packages))('%s as built', (name) => {
  const entry = join(packages, name, 'dist', 'index.js');

  it('is there: npm run build', () => expect(existsSync(entry)).toBe(true));

  it('loads in a process of its own', () => {
    const script = `console.log(Object.keys(await import(${JSON.stringify(entry)})).length > 0)`;
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString()).toBe('true\n');
  });
});

it('cox runs', () => {
  const cox = join(packages, 'cli', 'bin', 'cox.js');
  expect(execFileSync(process.execPath, [cox, 'api-resources', '--api-group', 'apps']).toString()).toContain(
    'deployments',
  );
});
