import { Catalogue } from '@coxswain/api';
import { boolean, flag, string } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import { apiResources } from '../api-resources.ts';
import type { CoxContext } from '../context.ts';

const flags = {
  all: flag(boolean, 'Include versions that are off by default', false),
  'api-group': flag(string, 'Only this group'),
  namespaced: flag(boolean, 'Only namespaced resources, or with =false only cluster-scoped ones'),
};

export const apiResourcesCommand: CommandBody<CoxContext> = {
  long: 'List the built-in resources of Kubernetes, each in its preferred version.',
  flags,
  completions: {
    'api-group': () => ({ values: [...new Set(Catalogue.builtIn().groupVersions.map(({ group }) => group))] }),
  },
  async run(invocation) {
    invocation.context.terminal.out(apiResources(Catalogue.builtIn(), invocation.given(flags)));
    return 0;
  },
};
