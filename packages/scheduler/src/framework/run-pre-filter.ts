import type { CycleState } from './cycle-state.ts';
import type { NodeInfo } from './node-info.ts';
import type { Plugin } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { Status } from './status.ts';

/** How PreFilter ended. */
export interface PreFilterOutcome {
  /** Only these nodes need to be looked at; undefined: all. */
  readonly nodeNames?: ReadonlySet<string>;
  /** The plug-ins that said so. */
  readonly plugins: ReadonlySet<string>;
  /** Why the pod can be nowhere, or what went wrong. */
  readonly status?: Status;
}

/** What plug-ins say one after the other counts together: the pod can only be where all let it. */
export function runPreFilter(
  plugins: readonly Plugin[],
  state: CycleState,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
): PreFilterOutcome {
  const skipped = new Set<string>();
  state.skipFilter = skipped;
  const choosers = new Set<string>();
  let nodeNames: ReadonlySet<string> | undefined;
  let rejection: Status | undefined;
  for (const plugin of plugins) {
    const answer = plugin.preFilter!(state, pod, nodes);
    if (answer === undefined) continue;
    if (answer instanceof Status) {
      if (answer.code === 'Skip') {
        skipped.add(plugin.name);
        continue;
      }
      if (answer.code === 'Unschedulable') {
        // Another may know that nothing helps at all.
        answer.plugin = plugin.name;
        rejection = answer;
        continue;
      }
      if (answer.code !== 'UnschedulableAndUnresolvable') return { plugins: new Set(), status: failed(plugin, answer) };
      answer.plugin = plugin.name;
      return { plugins: new Set(), status: answer };
    }
    choosers.add(plugin.name);
    nodeNames = nodeNames ? intersection(nodeNames, answer.nodeNames) : answer.nodeNames;
    if (nodeNames.size === 0) return { nodeNames, plugins: choosers, status: nowhere(choosers) };
  }
  return { ...(nodeNames && { nodeNames }), plugins: choosers, ...(rejection && { status: rejection }) };
}

function nowhere(choosers: ReadonlySet<string>): Status {
  const names = [...choosers].sort().join(' ');
  return Status.unresolvable(
    choosers.size === 1
      ? `node(s) didn't satisfy plugin ${names}`
      : `node(s) didn't satisfy plugin(s) [${names}] simultaneously`,
  );
}

function failed(plugin: Plugin, { message, error }: Status): Status {
  const status = Status.failed(new Error(`running PreFilter plugin "${plugin.name}": ${message}`, { cause: error }));
  status.plugin = plugin.name;
  return status;
}

const intersection = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...a].filter((name) => b.has(name)));
