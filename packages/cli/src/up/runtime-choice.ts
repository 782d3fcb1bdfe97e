import type { FlagType } from '@coxswain/component-base';

/** What runs the containers of a cluster: nothing, our own runtime, or the one at a socket. */
export type RuntimeChoice =
  | { readonly kind: 'hollow' }
  | { readonly kind: 'containers' }
  | { readonly kind: 'socket'; readonly endpoint: string };

const wanted =
  'must be auto, containers, hollow, or the socket of a container runtime: unix:///run/containerd/containerd.sock';

/** The values of `--runtime`. */
export const runtimeType: FlagType<string> = {
  name: 'string',
  read(text) {
    if (!['auto', 'containers', 'hollow'].includes(text) && !/^unix:\/\/\/./.test(text)) throw new Error(wanted);
    return text;
  },
};

/** Returns the choice as it is recorded in the state of a cluster; undefined for hollow nodes. */
export const recordOf = (choice: RuntimeChoice): string | undefined =>
  choice.kind === 'hollow' ? undefined : choice.kind === 'socket' ? choice.endpoint : choice.kind;

/** The choice that was recorded. */
export function recordedChoice(record: string | undefined): RuntimeChoice {
  if (record === undefined) return { kind: 'hollow' };
  return record === 'containers' ? { kind: record } : { kind: 'socket', endpoint: record };
}

interface Choice {
  readonly choice: RuntimeChoice;
  /** A line for the user. */
  readonly notice?: string;
}

interface Surroundings {
  /** Returns the record of the runtime that the cluster had; undefined for a new cluster. */
  readonly last: () => Promise<{ readonly runtime: string | undefined } | undefined>;
  /** Returns why the machine can run no containers. */
  readonly problem: () => Promise<string | undefined>;
}

/**
 * Chooses the runtime. `auto` keeps what the cluster had: its pods are on those nodes. A new cluster has containers if the machine can run
 * them, and the notice says why not otherwise. Throws if the machine lacks what the value needs.
 */
export async function chooseRuntime(value: string, { last, problem }: Surroundings): Promise<Choice> {
  if (value === 'hollow') return { choice: { kind: 'hollow' } };
  const had = value === 'auto' ? await last() : undefined;
  if (had) return { choice: recordedChoice(had.runtime) };
  if (value !== 'auto' && value !== 'containers') return { choice: { kind: 'socket', endpoint: value } };
  const found = await problem();
  if (found === undefined) return { choice: { kind: 'containers' } };
  if (value === 'auto')
    return { choice: { kind: 'hollow' }, notice: `the nodes are hollow and run no containers: ${found}` };
  throw new Error(`no containers can run here: ${found}; with --runtime hollow, nodes run none`);
}
