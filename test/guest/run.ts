/** `npm run test:guest [-- options] [suites…]`: suites of tests in a virtual machine with Debian's kernel. See README.md. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@coxswain/apimachinery/errors';
import { interruptible } from '../conformance/interruptible.ts';
import { hasVirtualization, runGuest } from './guest.ts';
import { makeInitrd } from './initrd.ts';
import { jobScript, readResults, type SuiteResult } from './job.ts';
import { packagesImage } from './packages-image.ts';
import { rootImage } from './root-image.ts';
import { makeSourcesImage } from './sources-image.ts';
import { suites } from './suites.ts';

const usage = `Usage: npm run test:guest -- [options] [suites…]

Runs suites of tests in a virtual machine with Debian's kernel, systemd and containerd.

  --minutes <n>        limit of the whole run (20)
  --time-factor <n>    how many times as long tests wait (10 if the processor is emulated)
  --memory <MiB>       memory of the guest (3072)
  --cpus <n>           processors of the guest (2)
  --help               this text

Suites, all of them by default:
${suites.map(({ name, about }) => `  ${name.padEnd(20)} ${about}`).join('\n')}
`;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '20' },
      'time-factor': { type: 'string' },
      memory: { type: 'string', default: '3072' },
      cpus: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const unknown = positionals.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`unknown suite "${unknown}"\n\n${usage}`);
    return 2;
  }
  if (process.getuid?.() !== 0) {
    process.stderr.write('The image of the guest can only be made by root.\n');
    return 2;
  }
  const chosen = positionals.length > 0 ? suites.filter(({ name }) => positionals.includes(name)) : suites;
  const seconds = Number(values.minutes) * 60;
  const isVirtual = await hasVirtualization();
  const timeFactor = Number(values['time-factor'] ?? (isVirtual ? 1 : 10));
  const script = jobScript(chosen, { timeFactor, suiteSeconds: seconds });
  return await interruptible(say, async (signal) => {
    const debian = await rootImage(say, signal);
    const packages = await packagesImage(signal);
    const directory = await mkdtemp(join(tmpdir(), 'coxswain-guest-'));
    try {
      const sources = await makeSourcesImage(
        { script, tests: chosen.flatMap(({ tests = [] }) => tests), directory },
        signal,
      );
      const initrd = join(directory, 'initrd');
      await makeInitrd(debian, initrd);
      const { results, console } = await runGuest(
        {
          kernel: join(debian, 'vmlinuz'),
          initrd,
          root: join(debian, 'root.ext4'),
          disks: { sources, packages },
          directory,
          limitMs: seconds * 1000,
          memoryMiB: Number(values.memory),
          cpus: Number(values.cpus),
          isVirtual,
          onOutput: (text) => void process.stdout.write(text),
        },
        signal,
      );
      signal.throwIfAborted();
      return judge(
        chosen.map(({ name }) => name),
        readResults(results),
        console,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

function judge(names: readonly string[], results: readonly SuiteResult[], console: string): number {
  say('');
  for (const { name, status, seconds } of results) {
    say(`${name.padEnd(20)} ${status === 0 ? 'ok' : `status ${status}`} after ${seconds} s`);
  }
  const missing = names.filter((name) => !results.some((result) => result.name === name));
  if (missing.length > 0) say(`The guest did not end ${missing.join(', ')}. Its console:\n${console.slice(-8000)}`);
  return missing.length === 0 && results.every(({ status }) => status === 0) ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
