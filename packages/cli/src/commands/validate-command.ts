import { flag, string, strings } from '@coxswain/component-base';
import { type CommandBody, UsageError } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { readInput } from './read-input.ts';

const flags = {
  filename: {
    ...flag(strings, 'Files with YAML or JSON manifests; - is standard input. May be repeated', []),
    shorthand: 'f',
  },
  namespace: { ...flag(string, 'Namespace of objects without a namespace', 'default'), shorthand: 'n' },
  output: {
    ...flag(string, 'Print accepted objects with their defaults: yaml or json', ''),
    shorthand: 'o',
    values: ['json', 'yaml'],
  },
};

export const validateCommand: CommandBody<CoxContext> = {
  long: `Validate manifests like a Kubernetes v1.36 API server, without a server. Objects of custom kinds are validated by the
CustomResourceDefinitions among the manifests, in any order. The exit status is 1 when an object is invalid.`,
  examples: `# Validate a manifest
cox validate -f deployment.yaml

# An object of a custom kind, with its definition
cox validate -f crontab.yaml -f crontab-crd.yaml

# The objects with their defaults
cox validate -o yaml -f deployment.yaml`,
  flags,
  args: { usage: '-f FILE [FILE...]' },
  async run(invocation) {
    const { filename, namespace, output } = invocation.flags(flags);
    const { terminal } = invocation.context;
    const names = [...filename, ...invocation.args];
    if (names.length === 0) throw new UsageError('required flag(s) "filename" not set');
    if (output !== '' && output !== 'yaml' && output !== 'json') {
      throw new Error(
        `unable to match a printer suitable for the output format "${output}", allowed formats are: json,yaml`,
      );
    }
    const files = await Promise.all(names.map(async (name) => ({ name, text: await readInput(name) })));
    const { validateManifests } = await import('../validate/validate-manifests.ts');
    const { lines, objects } = await validateManifests(files, namespace, output || undefined);
    for (const { text, severity } of lines) (severity === 'info' ? terminal.out : terminal.err)(`${text}\n`);
    if (objects) terminal.out(objects);
    return lines.some(({ severity }) => severity === 'error') ? 1 : 0;
  },
};
