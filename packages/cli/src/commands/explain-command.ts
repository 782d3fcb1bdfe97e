import { Catalogue, loadDescriptions } from '@coxswain/api';
import { flag, string } from '@coxswain/component-base';
import { type CommandBody, directives } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { explain } from '../explain.ts';
import { findKind } from '../find-kind.ts';

const flags = { 'api-version': flag(string, 'Group version, such as autoscaling/v1') };

export const explainCommand: CommandBody<CoxContext> = {
  long: 'Describe a kind of Kubernetes or one of its fields: a resource, short name or kind, and the path to a field.',
  examples: `cox explain deployment.spec.strategy
cox explain hpa.spec --api-version=autoscaling/v1`,
  flags,
  args: {
    usage: 'RESOURCE',
    least: 1,
    most: 1,
    complete: () => ({ values: resourceNames(), directive: directives.noFiles | directives.noSpace }),
  },
  async run(invocation) {
    const { apiVersion } = invocation.flags(flags);
    const [name = '', ...path] = invocation.args[0]!.replace(/\.$/, '').split('.');
    const kind = findKind(Catalogue.builtIn(), name, apiVersion);
    invocation.context.terminal.out(explain(kind, path, await loadDescriptions()));
    return 0;
  },
};

const resourceNames = (): string[] => [
  ...new Set(Catalogue.builtIn().groupVersions.flatMap(({ resources }) => resources.map(({ name }) => name))),
];
