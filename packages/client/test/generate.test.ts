import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generatedFiles } from '../generator/emit.ts';

const directory = join(import.meta.dirname, '../src/kubernetes/generated');

it('the generated ClientSet is up to date', () => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const present = new Map(
    files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(directory, name), 'utf8')]),
  );
  expect(present).toEqual(generatedFiles());
});
