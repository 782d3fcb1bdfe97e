import type { CycleState } from './cycle-state.ts';
import type { NodeInfo } from './node-info.ts';
import type { Plugin } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { Status } from './status.ts';

/** The combined result of PreFilter. */
export interface PreFilterOutcome {
  /** The only nodes to filter; undefined: all. */
  readonly nodeNames?: ReadonlySet<string>;
  /** The plug-ins that restricted the nodes. */
  readonly plugins: ReadonlySet<string>;
  /** The rejection of the pod, or an error. */
  readonly status?: Status;
}

/** Runs the PreFilter plug-ins and combines their results: only nodes that all plug-ins allow remain. */
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
        // Continue: another plug-in may reject the pod as unresolvable.
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
