import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * ARCHITECTURE.md and the decisions refer to files and folders: `client/src/watch` is below packages/, `docs/decisions` below the root, and
 * `<group>` or `*` stand for any name. Every such path must exist, and so must the target of every link between documents.
 */
const root = join(import.meta.dirname, '..');
const packages = readdirSync(join(root, 'packages'));
const decisions = readdirSync(join(root, 'docs', 'decisions')).map((name) => `docs/decisions/${name}`);
const documents = ['ARCHITECTURE.md', ...decisions];
const linking = [
  ...documents,
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md'],
  ...packages.map((name) => `packages/${name}/README.md`),
];
const topFolders = ['packages', 'docs', 'test', 'bench', 'examples', 'scripts'];

/** Returns the paths in a text. */
function pathsIn(text: string): string[] {
  const candidates = text.match(/(?<![\w./@:-])[\w.-]+(?:\/[\w.<>*-]+)+/g) ?? [];
  return candidates
    .map((path) => path.replace(/\.+$/, ''))
    .filter((path) => {
      const first = path.split('/', 1)[0]!;
      return packages.includes(first) || topFolders.includes(first) || path.endsWith('.ts');
    });
}

function exists(path: string): boolean {
  const [first] = path.split('/', 1);
  return matches(packages.includes(first!) ? join(root, 'packages') : root, path.split('/'));
}

function matches(directory: string, segments: readonly string[]): boolean {
  const [name, ...rest] = segments;
  if (name === undefined) return true;
  if (!/[<*]/.test(name)) return existsSync(join(directory, name)) && matches(join(directory, name), rest);
  const pattern = new RegExp(`^${name.replaceAll('.', String.raw`\.`).replace(/<\w+>|\*/g, '.+')}$`);
  return readdirSync(directory).some((entry) => pattern.test(entry) && matches(join(directory, entry), rest));
}

describe('a path in a document', () => {
  it.each(documents)('exists: %s', (document) => {
    const paths = pathsIn(readFileSync(join(root, document), 'utf8'));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  it('is recognised in ARCHITECTURE.md', () =>
    expect(pathsIn(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).length).toBeGreaterThan(30));

  it.each([
    ['client/src/watch', true],
    ['api/src/<group>/<version>/defaults.ts', true],
    ['packages/api/src/generated/schema/*.ts', true],
    ['client/src/nothing', false],
    ['informers/part-sharing.ts', false],
    ['api/src/<group>/nothing', false],
  ])('%s exists: %s', (path, expected) => expect(exists(path)).toBe(expected));
});

it.each(linking)('the links of %s point to existing files', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
  const local = targets.filter((target) => !/^\w+:/.test(target));
  expect(local.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
});
