import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CorefileFiles } from '../corefile/index.ts';
import type { ConfigurationFiles } from '../plugins/index.ts';
import type { CorefileSource } from './corefile-source.ts';

const maxFiles = 1000;

/** The files of this machine. */
export const machineFiles: ConfigurationFiles = {
  read: async (path) => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
};

/** A Corefile on this machine. Imports are relative to its folder. */
export function fileSource(path: string): CorefileSource {
  return {
    files: machineFiles,
    read: async () => {
      const corefile = await readFile(path, 'utf8');
      const imports = machineImports(dirname(resolve(path)));
      return {
        corefile,
        origin: path,
        imports,
        // Imported files are read while parsing, so their texts are not known yet: they are looked at again each time.
        fingerprint: JSON.stringify([corefile, ...importedTexts(corefile, imports)]),
      };
    },
  };
}

function importedTexts(corefile: string, imports: CorefileFiles): string[] {
  const patterns = Array.from(corefile.matchAll(/^\s*import\s+(\S+)\s*$/gm), ([, pattern = '']) => pattern);
  return patterns.flatMap((pattern) => imports.matching(pattern).map(({ path, text }) => `${path}\n${text}`));
}

function machineImports(folder: string): CorefileFiles {
  return {
    matching: (pattern) => {
      const path = resolve(folder, pattern);
      const matches = pathMatcher(basename(path));
      try {
        const names = pattern.includes('*')
          ? readdirSync(dirname(path)).filter(matches).sort().slice(0, maxFiles)
          : [basename(path)];
        return names
          .map((name) => join(dirname(path), name))
          .map((file) => ({ path: file, text: readFileSync(file, 'utf8') }));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}

/** Matches names with a pattern in which `*` stands for anything. */
export function pathMatcher(pattern: string): (name: string) => boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return (name) => name === start;
  return (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
