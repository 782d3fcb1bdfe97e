import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Catalogue, loadDescriptions } from '@coxswain/api';
import { Command, CommanderError } from 'commander';
import { apiResources } from './api-resources.ts';
import { explain } from './explain.ts';
import { findKind } from './find-kind.ts';
import type { Terminal } from './main.ts';
import { validateManifests } from './validate.ts';

/** Runs one of the commands that do something and are done. Gives the exit status; never throws. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const program = command(terminal, (code) => {
    status = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    terminal.err(`error: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
  return status;
}

function command(terminal: Terminal, exit: (status: number) => void): Command {
  const program = new Command('cox')
    .description('Kubernetes, written in TypeScript')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });

  program
    .command('validate')
    .description('judge manifests as a Kubernetes v1.36 API server would, without one')
    .requiredOption('-f, --filename <file...>', 'files with YAML or JSON manifests; - is standard input')
    .option('-n, --namespace <namespace>', 'namespace of objects that name none', 'default')
    .option('-o, --output <format>', 'print accepted objects with their defaults: yaml or json')
    .action(async (options: { filename: string[]; namespace: string; output?: string }) => {
      if (options.output !== undefined && options.output !== 'yaml' && options.output !== 'json') {
        throw new Error(
          `unable to match a printer suitable for the output format "${options.output}", allowed formats are: json,yaml`,
        );
      }
      const files = await Promise.all(options.filename.map(async (name) => ({ name, text: await read(name) })));
      const { lines, objects } = validateManifests(files, options.namespace, options.output);
      for (const { text, severity } of lines) (severity === 'info' ? terminal.out : terminal.err)(`${text}\n`);
      if (objects) terminal.out(objects);
      exit(lines.some(({ severity }) => severity === 'error') ? 1 : 0);
    });

  program
    .command('explain')
    .description('say what a kind or a field is: cox explain deployment.spec.strategy')
    .argument('<resource>', 'resource, short name or kind, and the way to a field')
    .option('--api-version <version>', 'group version, such as autoscaling/v1')
    .action(async (resource: string, options: { apiVersion?: string }) => {
      const [name, ...path] = resource.replace(/\.$/, '').split('.') as [string, ...string[]];
      terminal.out(explain(findKind(Catalogue.builtIn(), name, options.apiVersion), path, await loadDescriptions()));
    });

  program
    .command('api-resources')
    .description('list the built-in resources')
    .option('--all', 'versions that are off by default, too')
    .option('--api-group <group>', 'only this group')
    .option('--namespaced <boolean>', 'only those that are, or are not, in a namespace')
    .action((options: { all?: boolean; apiGroup?: string; namespaced?: string }) => {
      const { namespaced, ...rest } = options;
      terminal.out(
        apiResources(Catalogue.builtIn(), { ...rest, ...(namespaced && { namespaced: namespaced === 'true' }) }),
      );
    });

  program
    .command('generate')
    .description('write code')
    .command('types')
    .description('write TypeScript types for the kinds of CustomResourceDefinitions')
    .argument('<file...>', 'YAML or JSON manifests; - is standard input')
    .option('-o, --output-dir <directory>', 'a file for each definition there, instead of standard output')
    .action(async (names: string[], options: { outputDir?: string }) => {
      // Loads the YAML parser's and the generator's code, which no other command needs.
      const { generateTypeFiles } = await import('@coxswain/client/codegen');
      const manifests = await Promise.all(names.map(async (name) => new TextDecoder().decode(await read(name))));
      for (const { name, text } of generateTypeFiles(manifests)) {
        if (options.outputDir === undefined) {
          terminal.out(text);
          continue;
        }
        await mkdir(options.outputDir, { recursive: true });
        await writeFile(join(options.outputDir, name), text);
        terminal.out(`${join(options.outputDir, name)}\n`);
      }
    });

  for (const [name, description] of [
    ['up', 'run a cluster in this process: see cox up --help'],
    ['down', 'stop it'],
    ['status', 'say how it is'],
    ['reset', 'delete its data'],
    ['envtest-assets', "write the programs that controller-runtime's envtest starts"],
  ] as const)
    program.command(name).description(description).helpOption(false);

  program
    .command('apiserver')
    .description("run the API server, with kube-apiserver's flags: see cox apiserver --help")
    .helpOption(false);

  program
    .command('controller-manager')
    .description("run the controllers, with kube-controller-manager's flags: see cox controller-manager --help")
    .helpOption(false);

  program
    .command('scheduler')
    .description("run the scheduler, with kube-scheduler's flags: see cox scheduler --help")
    .helpOption(false);

  return program;
}

async function read(name: string): Promise<Uint8Array> {
  if (name !== '-') return readFile(name);
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
