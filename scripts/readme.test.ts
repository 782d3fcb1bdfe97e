import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * Every ```ts block of a README is run. A line `expression; // → value` must give that value, and
 * `expression; // throws: text` must throw an error with that text.
 */
const root = join(import.meta.dirname, '..');
const readmes = [
  'README.md',
  ...readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'README.md')),
];

/** Returns the block as a module with assertions for its comments. */
function checked(block: string): string {
  const lines = block.split('\n').map((line) => {
    const value = /^(\s*)(.*); \/\/ → (.*)$/.exec(line);
    if (value) return `${value[1]}expect(${value[2]}).toEqual(${value[3]});`;
    const failure = /^(\s*)(.*); \/\/ throws: (.*)$/.exec(line);
    return failure ? `${failure[1]}expect(() => ${failure[2]}).toThrow(${JSON.stringify(failure[3])});` : line;
  });
  return ["import { expect } from 'vitest';", ...lines, ''].join('\n');
}

describe.each(readmes)('the examples of %s', (readme) => {
  const text = readFileSync(join(root, readme), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block!);

  it('exist', () => expect(blocks.length).toBeGreaterThan(0));

  it.each(blocks.map((block, index) => [index + 1, block] as const))(
    'number %i gives the documented results',
    async (index, block) => {
      const folder = join(root, '.cache', 'readme');
      const file = join(folder, `${readme.replace(/\W/g, '-')}-${index}.ts`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, checked(block));
      await import(file);
    },
  );
});
