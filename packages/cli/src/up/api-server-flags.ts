import { type ApiServerOptions, apiServerForm } from '@coxswain/apiserver';
import {
  type FlagTable,
  flag,
  type Given,
  notices,
  OptionsError,
  type RefusedFlag,
  refusals,
  refused,
} from '@coxswain/component-base';
import type { Invocation } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';

const kept = '--data-dir and --memory configure the storage';
const authority = "the components authenticate with certificates of the cluster's own CA";
const kubelets = 'the kubelets are in the same process';

/** Flags of the API server that a cluster sets itself, with the reasons. */
const setByCluster: Readonly<Record<string, string>> = {
  'data-dir': kept,
  memory: kept,
  'kubeconfig-out': 'use --kubeconfig',
  'secure-port': 'use --port',
  'etcd-servers': kept,
  'etcd-prefix': kept,
  'etcd-cafile': kept,
  'etcd-certfile': kept,
  'etcd-keyfile': kept,
  'cert-dir': authority,
  'client-ca-file': authority,
  'kubelet-client-certificate': kubelets,
  'kubelet-client-key': kubelets,
  'kubelet-certificate-authority': kubelets,
  'kubelet-preferred-address-types': kubelets,
};

const { flags, ignored, refused: refusedFlags } = apiServerForm;
// `cox` has its own `-v`.
const isPassed = (name: string): boolean => name !== 'v' && !Object.hasOwn(setByCluster, name);

type PassedFlags = Omit<typeof flags, 'data-dir' | 'memory' | 'v'>;

/** The flags of kube-apiserver that `cox up` accepts. */
export const passedFlags: FlagTable = {
  ...Object.fromEntries(Object.entries(flags).filter(([name]) => isPassed(name))),
  // The defaults of a cluster.
  'bind-address': { ...flags['bind-address'], byDefault: '127.0.0.1' },
  'allow-privileged': { ...flags['allow-privileged'], byDefault: true },
};

const refusedByUp: Readonly<Record<string, RefusedFlag>> = {
  ...refusedFlags,
  ...Object.fromEntries(
    Object.entries(setByCluster).flatMap(([name, why]) =>
      name === 'data-dir' || name === 'memory'
        ? []
        : [[name, refused(flags[name as keyof PassedFlags].type, 'that flag', why)] as const],
    ),
  ),
};

/** Flags that are accepted only to report why they cannot be used. Hidden in the help. */
export const otherFlags: FlagTable = Object.fromEntries(
  Object.entries({ ...ignored, ...refusedByUp }).map(([name, { type }]) => [name, { ...flag(type, ''), hidden: true }]),
);

/** Returns the options for the API server, and notices about ignored flags. Throws an OptionsError. */
export function apiServerOptionsOf(invocation: Invocation<CoxContext>): {
  readonly options: ApiServerOptions;
  readonly notices: readonly string[];
} {
  const options = invocation.given(passedFlags) as Given<PassedFlags>;
  const problems = [
    ...refusals({ refused: refusedByUp, self: 'cox up' }, invocation.texts),
    ...apiServerForm.validate({ ...options, memory: true }),
  ];
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    options,
    notices: notices({ ignored }, invocation.texts),
  };
}
