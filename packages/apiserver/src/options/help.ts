import { flagGroups } from './api-server-flags.ts';
import type { Flag } from './flag.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';

const width = 100;
const indent = 8;

/** What `--help` prints: the flags that are honoured, by their groups, and the names of those that are not. */
export function apiServerHelp(command: string): string {
  const groups = Object.entries(flagGroups).map(([title, flags]) => {
    const entries = Object.entries(flags as Record<string, Flag<unknown>>).map(([name, flag]) => describe(name, flag));
    return `${title}:\n\n${entries.join('\n')}`;
  });
  return [
    `The Kubernetes API server. It starts without any flag: objects, certificates and the kubeconfig of an
administrator are kept in --data-dir. The flags are those of kube-apiserver v1.36.

Usage:
  ${command} [flags]`,
    ...groups,
    `Other:

  -h, --help
${wrap('Print this')}
      --version
${wrap('Print the version of the API')}`,
    `Accepted, because scripts have them, without making a difference:\n\n${names(ignoredFlags)}`,
    `Refused, because what they ask for is not there yet:\n\n${names(refusedFlags)}`,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

function describe(name: string, { type, about, byDefault }: Flag<unknown>): string {
  const value = shown(byDefault);
  return `      --${name}${type.name && ` ${type.name}`}\n${wrap(value === '' ? about : `${about} (default ${value})`)}`;
}

/** Empty for a default that goes without saying. */
function shown(value: unknown): string {
  if (value === undefined || value === false || value === 0 || value === '0s') return '';
  if (value instanceof Map) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

const names = (flags: Readonly<Record<string, unknown>>): string =>
  wrap(
    Object.keys(flags)
      .map((name) => `--${name}`)
      .join(' '),
    6,
  );

function wrap(text: string, by = indent + 4): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (by + line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => ' '.repeat(by) + line).join('\n');
}
