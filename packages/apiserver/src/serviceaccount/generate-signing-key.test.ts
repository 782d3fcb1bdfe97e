import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Exports keys while garbage is collected very often. */
const program = `
  import { generateSigningKey } from '${fileURLToPath(new URL('generate-signing-key.ts', import.meta.url))}';
  for (let i = 0; i < 3000; i++) generateSigningKey().publicKey.export({ format: 'jwk' });
  console.log('exported');`;

it('generated keys can be exported as JWK whenever garbage is collected', async () => {
  const node = ['--max-semi-space-size=1', '--conditions=coxswain-source', '--import=tsx', '--input-type=module'];
  // In another process: a deadlock in the export would block this one.
  const { stdout } = await promisify(execFile)(process.execPath, [...node, '--eval', program], { timeout: 50_000 });
  expect(stdout).toBe('exported\n');
});
