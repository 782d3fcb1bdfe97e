import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Chunk {
  readonly type: string;
  readonly moduleIds?: readonly string[];
}

const fileName = 'THIRD-PARTY-LICENSES.txt';
const line = `\n${'-'.repeat(80)}\n\n`;

/**
 * Other packages' code may be bundled if their licenses are included: writes the licenses of all packages in the output, including those
 * bundled into packages in it, to a file beside it. Throws when a package has no license.
 */
export async function writeLicenses(output: readonly Chunk[], directory: string): Promise<void> {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const found = (pattern: RegExp): Set<string> => new Set(modules.flatMap((module) => pattern.exec(module)?.[0] ?? []));
  const others = [...found(/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/)].map(licenseOf);
  const joinedBefore = [...found(/^.*[\\/]dist[\\/]bundle(?=[\\/])/)].flatMap(licensesIn);
  const texts = new Set([...others, ...joinedBefore].sort());
  if (texts.size > 0) await writeFile(join(directory, fileName), [...texts].join(line));
}

function licenseOf(packagePath: string): string {
  const manifest = JSON.parse(readFileSync(join(packagePath, 'package.json'), 'utf8')) as Record<string, string>;
  const file = readdirSync(packagePath).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${manifest.name} has no license: it cannot be bundled`);
  return `${manifest.name} ${manifest.version}\n\n${readFileSync(join(packagePath, file), 'utf8').trim()}\n`;
}

function licensesIn(directory: string): string[] {
  const path = join(directory, fileName);
  return existsSync(path) ? readFileSync(path, 'utf8').split(line) : [];
}
