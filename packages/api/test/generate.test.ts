import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const upstream = process.env.COXSWAIN_UPSTREAM ?? join(import.meta.dirname, '../../../../shared/upstream/v1.36.4');

it.skipIf(!existsSync(upstream))('generate --check finds no differences', () => {
  const generator = join(import.meta.dirname, '..', 'generator', 'generate.ts');
  const run = () => execFileSync(process.execPath, ['--import', 'tsx', generator, '--check'], { stdio: 'pipe' });
  expect(run).not.toThrow();
});
