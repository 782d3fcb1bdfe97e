import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '@coxswain/client/files';
import { flag, string } from '@coxswain/component-base';
import { type CommandBody, directives } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { readInput } from './read-input.ts';

const flags = {
  'output-dir': {
    ...flag(string, 'Write a file for each definition into this directory, instead of standard output'),
    shorthand: 'o',
  },
};

const typesCommand: CommandBody<CoxContext> = {
  long: 'Write TypeScript types for the kinds of CustomResourceDefinitions: YAML or JSON manifests; - is standard input.',
  examples: 'cox generate types crd.yaml -o src/types',
  flags,
  args: { usage: 'FILE...', least: 1 },
  completions: { 'output-dir': () => ({ values: [], directive: directives.directories }) },
  async run(invocation) {
    const { outputDir } = invocation.flags(flags);
    const { terminal } = invocation.context;
    // Imported here, because no other command needs the YAML parser and the generator.
    const { generateTypeFiles } = await import('@coxswain/client/codegen');
    const manifests = await Promise.all(
      invocation.args.map(async (name) => ({ name, text: new TextDecoder().decode(await readInput(name)) })),
    );
    const files = manifests.flatMap((manifest) => {
      try {
        return [...generateTypeFiles([manifest.text])];
      } catch (cause) {
        throw new Error(`${manifest.name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
      }
    });
    for (const { name, text } of files) {
      if (outputDir === undefined) {
        terminal.out(text);
        continue;
      }
      await makeDirectory(outputDir);
      await writeFile(join(outputDir, name), text);
      terminal.out(`${join(outputDir, name)}\n`);
    }
    return 0;
  },
};

export const generateCommand: CommandBody<CoxContext> = {
  commands: [
    {
      name: 'types',
      short: 'Write TypeScript types for the kinds of CustomResourceDefinitions',
      load: async () => typesCommand,
    },
  ],
};
