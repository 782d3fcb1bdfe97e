import { type ExtensionPoint, extensionPoints, maxNodeScore, type Plugin } from './plugin.ts';
import type { Plugins, SchedulerProfile } from './profile.ts';

/** The plug-ins of a profile by extension point, in calling order. */
export type PluginsByPoint = Readonly<Record<ExtensionPoint, readonly Plugin[]>>;

const points = Object.keys(extensionPoints) as ExtensionPoint[];
/** Upstream's limit is that of a 64-bit integer. */
const maxTotalScore = Number.MAX_SAFE_INTEGER;

/** The names of all plug-ins that a profile enables at any extension point. */
export function pluginNames(plugins: Plugins): Set<string> {
  const sets = [plugins.multiPoint, ...points.map((point) => plugins[point])];
  return new Set(sets.flatMap((set) => set?.enabled?.map(({ name }) => name) ?? []));
}

/**
 * Determines the plug-ins of each extension point. The order is: plug-ins of `multiPoint` that are also named at the point, then other
 * plug-ins of `multiPoint`, then plug-ins named only at the point. Throws an Error when the profile is invalid.
 */
export function pluginsByPoint(
  { schedulerName, plugins }: SchedulerProfile,
  made: ReadonlyMap<string, Plugin>,
): PluginsByPoint {
  const at = (point: ExtensionPoint): Plugin[] => pluginsAt(point, plugins, made);
  const byPoint: PluginsByPoint = {
    preFilter: at('preFilter'),
    filter: at('filter'),
    postFilter: at('postFilter'),
    reserve: at('reserve'),
    preScore: at('preScore'),
    score: at('score'),
    preBind: at('preBind'),
    bind: at('bind'),
    postBind: at('postBind'),
    permit: at('permit'),
    preEnqueue: at('preEnqueue'),
    queueSort: at('queueSort'),
  };
  const sorters = byPoint.queueSort.length;
  if (sorters !== 1) {
    throw new Error(
      `only one queue sort plugin required for profile with scheduler name "${schedulerName}", but got ${sorters}`,
    );
  }
  if (byPoint.bind.length === 0) {
    throw new Error(`at least one bind plugin is needed for profile with scheduler name "${schedulerName}"`);
  }
  return byPoint;
}

function pluginsAt(point: ExtensionPoint, plugins: Plugins, made: ReadonlyMap<string, Plugin>): Plugin[] {
  const type = `${point[0]?.toUpperCase()}${point.slice(1)}Plugin`;
  const { enabled = [], disabled = [] } = plugins[point] ?? {};
  const own = new Map<string, Plugin>();
  for (const { name } of enabled) {
    const plugin = madePlugin(name, type, made);
    if (!plugin[extensionPoints[point]]) throw new Error(`plugin "${name}" does not extend ${type} plugin`);
    if (own.has(name)) throw new Error(`plugin "${name}" already registered as "${type}"`);
    own.set(name, plugin);
  }
  const off = new Set(disabled.map(({ name }) => name));
  if (off.has('*')) return [...own.values()];
  const inherited = new Map<string, Plugin>();
  const reconfigured = new Map<string, Plugin>();
  for (const { name } of plugins.multiPoint?.enabled ?? []) {
    const plugin = madePlugin(name, type, made);
    if (!plugin[extensionPoints[point]] || off.has(name)) continue;
    if (inherited.has(name)) throw new Error(`plugin "${name}" already registered as "${type}"`);
    (own.has(name) ? reconfigured : inherited).set(name, plugin);
  }
  const first = [...own].filter(([name]) => reconfigured.has(name));
  const last = [...own].filter(([name]) => !reconfigured.has(name));
  return [...first, ...inherited, ...last].map(([, plugin]) => plugin);
}

function madePlugin(name: string, type: string, made: ReadonlyMap<string, Plugin>): Plugin {
  const plugin = made.get(name);
  if (!plugin) throw new Error(`${type} "${name}" does not exist`);
  return plugin;
}

/** The weights of the profile's score plug-ins: from `score`, or else from `multiPoint`, or else 1. */
export function scoreWeights(
  { plugins }: SchedulerProfile,
  made: ReadonlyMap<string, Plugin>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  let total = 0;
  for (const { name, weight } of [...(plugins.score?.enabled ?? []), ...(plugins.multiPoint?.enabled ?? [])]) {
    if (weights.has(name) || !made.get(name)?.score) continue;
    weights.set(name, weight || 1);
    total += (weight || 1) * maxNodeScore;
    if (total > maxTotalScore) throw new Error('score plugins: total score of Score plugins could overflow');
  }
  return weights;
}
