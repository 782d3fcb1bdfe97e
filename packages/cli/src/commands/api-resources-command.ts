import { Catalogue } from '@coxswain/api';
import { boolean, flag, string } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import { apiResources } from '../api-resources.ts';
import type { CoxContext } from '../context.ts';

const flags = {
  all: flag(boolean, 'Versions that are off by default, too', false),
  'api-group': flag(string, 'Only this group'),
  namespaced: flag(boolean, 'Only those that are in a namespace, or with =false those that are not'),
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
